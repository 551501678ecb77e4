"""What ships with gitgoodbench: the built-in suite and published reference figures."""
