"""Readers of assistants' logs; each program is a module of its own, found by entry point."""
