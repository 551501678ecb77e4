"""What people read of a run: summaries, tables, progress lines."""
