"""gitgoodbench as a taskset of verifiers 0.4 (`vf-eval gitgoodbench`, docs/rl.md)."""

from gitgoodbench.extras import needed

with needed("verifiers", "verifiers"):
    from gitgoodbench.frameworks.verifiers.taskset import GitGoodBenchTaskset

__all__ = ["GitGoodBenchTaskset"]
