"""The repository store, and the answer-free repository of one sample."""
