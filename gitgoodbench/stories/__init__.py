"""The compiler of the built-in suite: stories, repositories as readable text, become bare repositories with fixed ids.

data/mini/README.md has their format.
"""
