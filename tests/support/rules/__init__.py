"""Rules by which a scripted model works: programs for a sandbox, with Git and nothing of the harness."""
