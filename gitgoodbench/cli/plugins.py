"""gitgoodbench plugins"""

from __future__ import annotations

from gitgoodbench.cli.output import echo


def list_plugins() -> int:
    """List what is installed: scenarios with their reference agents, agents, sandboxes, sample types, scores, options.

    Examples:

      gitgoodbench plugins
    """
    from gitgoodbench.errors import UserError
    from gitgoodbench.plugin_options import describe_options
    from gitgoodbench.plugins import GROUPS, SCENARIOS, pin, plugins

    for group, kind in GROUPS.items():
        for name, plugin in plugins(group).items():
            try:
                package = f"{plugin.distribution} {pin(plugin.distribution).version}"
                policies = plugin.object.reference_agents() if group == SCENARIOS else ()
            except UserError as problem:
                echo(f"{kind:9} {name}: {problem}")
                continue
            agents = f": reference agents {', '.join(policies)}" if policies else ""
            echo(f"{kind:9} {name} ({package}){agents}")
    for name, values, default, text in describe_options():
        echo(f"option    {name}={default} ({values}): {text}")
    return 0
