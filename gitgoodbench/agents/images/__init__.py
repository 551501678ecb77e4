"""Images of the docker sandbox with an agent in them: what goes in, from where, checked, tried, and then named."""
