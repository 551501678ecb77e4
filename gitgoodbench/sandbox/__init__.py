"""Where an episode's workspace lives and its commands run."""
