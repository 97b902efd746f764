"""The WSGI entry. It stops with a clear message when a setting cannot be used; it opens no connection."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
application = get_wsgi_application()


def _check() -> None:
    from console.checks import settings_problems

    problems = settings_problems()
    if problems:
        sys.stderr.write("Reaffirm cannot start:\n" + "".join(f"- {problem}\n" for problem in problems))
        raise ImproperlyConfigured("; ".join(problems))


_check()
