"""Mining: from a repository's history to candidate scenarios."""
