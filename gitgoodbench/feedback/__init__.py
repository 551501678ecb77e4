"""Feedback at every commit: what became of the work of a developer's own AI assistant.

Sources read assistants' logs, linking finds the commit that an edit ended in, scoring says how much of it was kept,
sinks take the results elsewhere. Everything is kept in one database in the repository's common Git directory.
"""
