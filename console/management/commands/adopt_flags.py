"""manage.py adopt_flags [slug …]: give flags that other programs raised the facts that our queue needs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from console.graph import graph_store
from console.models import Project


class Command(BaseCommand):
    help = "Complete the records that agentic-graphrag wrote, so that the queue lists them. A job does it too."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slugs", nargs="*")

    def handle(self, *args: Any, **options: Any) -> None:
        from reaffirm.decisions import adopt_flags

        projects = Project.objects.order_by("slug")
        if options["slugs"]:
            projects = projects.filter(slug__in=options["slugs"])
        for project in projects:
            done = 0
            while adopted := adopt_flags(graph_store(), project_id=project.graph_id):
                done += adopted
            self.stdout.write(f"{project.slug}: {done} completed")
