"""The model bridge: programs in a sandbox without network reach a model through the harness, and nothing else.

`session.bridged` opens one. docs/bridge.md tells what it does, and how it ends.
"""
