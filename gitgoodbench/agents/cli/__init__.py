"""Command-line agents: programs with tools of their own, in the sealed sandbox, their model behind the bridge.

`contract` is what one of them is, each in a file of its own; `playing` lets any of them work.
"""
