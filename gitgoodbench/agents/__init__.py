"""Agents: what works on an episode."""
