"""Running a benchmark: the plan, the episodes, the run folder, and carrying on after an interruption."""
