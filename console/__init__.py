"""The Django project: settings, sign-in, projects and members, audit log, home, health."""

from console.celery import app as celery_app

__all__ = ["celery_app"]
