"""Episodes as tasks of Harbor, and finished jobs of Harbor as runs (docs/harbor.md)."""
