"""What is known of edits, read from the database: rows, groups with intervals, comparisons, CSV, JSON, a page."""
