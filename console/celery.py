"""The Celery app. Its broker is looked up when a worker starts or a job is queued, never at import."""

import os
from typing import Any

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
app = Celery("reaffirm")
BEAT_SECONDS = 5.0
JOBS = dict.fromkeys(
    ("propagate_reviews", "raise_flags", "adopt_new_flags", "compare_new_flags", "settle_audit"), BEAT_SECONDS
) | {"sweep_lost_flags": 300.0}
BROKER_DATABASE = 1


def broker_url() -> str:
    """CELERY_BROKER_URL, else the Redis of the embedded server, which is started when it is not running."""
    if settings.CELERY_BROKER_URL:
        return str(settings.CELERY_BROKER_URL)
    from reaffirm.store.embedded import ensure

    return ensure(settings.BROKER_FOLDER).redis_url(BROKER_DATABASE)


def _defaults() -> dict[str, Any]:
    # Read when the app is first used, so a web process that queues nothing never asks for the broker.
    return {
        "broker_url": broker_url(),
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_connection_timeout": 2,
        "broker_transport_options": {"visibility_timeout": 600},
        "task_serializer": "json",
        "accept_content": ["json"],
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_time_limit": 120,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "timezone": "UTC",
        "imports": ["console.jobs"],
        "beat_schedule_filename": str(settings.VAR_DIR / "beat"),
        "beat_schedule": {
            name: {"task": f"console.jobs.{name}", "schedule": seconds, "options": {"expires": 2 * seconds}}
            for name, seconds in JOBS.items()
        },
    }


app.add_defaults(_defaults)
