"""gitgoodbench as an environment of OpenEnv 0.10: `gitgoodbench serve --openenv SUITE`, and its client (docs/rl.md)."""

from gitgoodbench.extras import needed

with needed("openenv", "openenv", "uvicorn"):
    from gitgoodbench.frameworks.openenv.client import GitGoodBenchEnv
    from gitgoodbench.frameworks.openenv.records import GitAction, GitObservation, GitState
    from gitgoodbench.frameworks.openenv.server import app_of, serve

__all__ = ["GitAction", "GitGoodBenchEnv", "GitObservation", "GitState", "app_of", "serve"]
