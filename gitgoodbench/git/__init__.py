"""All knowledge of Git: running it, trees, index stages, conflicts."""
