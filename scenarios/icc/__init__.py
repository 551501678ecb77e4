"""Iterative committing of changes (ICC): what a chain of commits changed, uncommitted, for an agent to commit anew."""

from .scenario import IterativeCommitting as IterativeCommitting
