"""gitgoodbench: a benchmark harness for agents that work with Git."""

__version__ = "0.1.0"
