"""What the log leaves out."""

import logging


class NoTraceOfRefusals(logging.Filter):
    """A refused request is no fault of ours: its line stays, a trace that anybody could cause at will does not."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True
