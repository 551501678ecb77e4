"""Samples, and the loaders and writers of the suites that hold them."""
