"""Tasks and their timelines."""
