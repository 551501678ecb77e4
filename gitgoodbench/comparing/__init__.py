"""Runs compared pair by pair: statistics of paired outcomes, and what of the runs' manifests differs."""
