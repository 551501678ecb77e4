"""The public face of the package: `from gitgoodbench import Bench` (see docs/api.md). Its names follow semantic
versioning; modules beside it may change with any release.
"""
