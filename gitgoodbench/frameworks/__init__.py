"""Our tasks in the frameworks that others train and evaluate with; each is thin, and behind an extra of its own."""
