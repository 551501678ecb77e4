"""The sample types that come with the harness, each a plug-in. Their miners share one pass (mining.repository)."""
