"""Which features of samples go with success (`gitgoodbench report --explain`)."""
