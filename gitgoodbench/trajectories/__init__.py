"""Training data of runs: one row per episode, chosen, masked, without duplicates, divided by repository, in the formats
that trainers read."""
