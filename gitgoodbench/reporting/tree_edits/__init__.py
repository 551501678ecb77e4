"""What makes one source of another, as a table, as JSON and as a page."""
