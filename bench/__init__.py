"""Measurements of the library beside agentic-graphrag 0.0.7 and beside its bare statements. `make bench` runs them."""
