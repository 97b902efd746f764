"""The review app: queue, decision page, verdicts, conflicts and evidence."""
