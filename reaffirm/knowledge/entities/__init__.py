"""Entities: what extractors find in documents, how that stands in the graph, and how it is read."""
