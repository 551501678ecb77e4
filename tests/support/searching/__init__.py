"""Whether an agent can read the answer anywhere: what to look for, and a program that looks as the agent."""
