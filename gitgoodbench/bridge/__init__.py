"""The model bridge: programs in a sandbox without network reach a model, through the harness, and nothing else.

`relay` runs in the sandbox, `mux` is its other end on the host; `frames` is what goes between them.
"""
