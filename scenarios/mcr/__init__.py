"""Merge conflict resolution (MCR): a two-parent merge replayed up to its conflicts, for an agent to settle."""

from .scenario import MergeConflictResolution as MergeConflictResolution
