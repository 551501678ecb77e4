"""The judge: models that compare the agent's history with the real one, blind and in both orders."""
