"""Scoring in a process that ends with it, held to limits: `scenario` is the scenario, `server` makes the processes.

What an agent leaves is hostile, and Git, parsers and Python read it. So it is read in a fork of a process that has
loaded everything and has done nothing else (`server`); `client` starts that process, asks it, and ends what it has
made.
"""
