"""What an outcome is worth: gates, exact match, similarity, and the statistics over many episodes."""
