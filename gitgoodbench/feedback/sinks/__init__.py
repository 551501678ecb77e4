"""Where results go; each is a module of its own, found by entry point."""
