"""Runs as pages: a folder that opens from disk, or the same served on loopback while a run goes on."""
