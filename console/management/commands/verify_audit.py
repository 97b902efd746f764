"""manage.py verify_audit [slug …]: read the audit chains and say what is wrong with them."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.audit import audit_verify
from console.models import Project


class Command(BaseCommand):
    help = "Check the audit log of every project, or of those named; fails when anything was edited or removed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slugs", nargs="*")

    def handle(self, *args: Any, **options: Any) -> None:
        projects = Project.objects.order_by("slug")
        if options["slugs"]:
            projects = projects.filter(slug__in=options["slugs"])
        faulty = False
        for project in projects:
            faults = audit_verify(project)
            faulty |= bool(faults)
            self.stdout.write(f"{project.slug}: {'ok' if not faults else ' '.join(faults)}")
        if faulty:
            raise CommandError("The audit log is not whole.")
