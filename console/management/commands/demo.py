"""manage.py demo: people, a project and a story to try the console with."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from console.graph import graph_store
from console.models import AuditHead, Membership, Project, Role
from reaffirm.store import StoreError

# Printed on purpose: the demo listens on this machine only, and refuses any database but its own.
PEOPLE = (
    ("ana", "Ana", "Petrović", (Role.REVIEWER,)),
    ("lee", "Lee", "van der Bergh", (Role.LEAD, Role.REVIEWER)),
    ("cora", "Cora", "Wiśniewska", (Role.COMPLIANCE,)),
    ("vik", "Vik", "Al-Haddad", (Role.VIEWER,)),
    ("adam", "Adam", "Okoye", (Role.ADMIN,)),
)


class Command(BaseCommand):
    help = "Make the demo's people and its project. Running it again changes nothing and prints the sign-ins again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--force", action="store_true", help="also on a database outside VAR_DIR; the passwords are public"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not (options["force"] or settings.DEBUG or _own_database()):
            raise CommandError(
                "The demo's passwords are public, and this database is not in VAR_DIR. --force makes them all the same."
            )
        from console.demo.story import StoryRefused, story
        from console.demo.telling import Teller

        tale = story()
        project, lines = _people_and_project(tale.slug, tale.name)
        try:
            teller = Teller(graph_store(), project, tale)
            if not teller.told():
                self.stdout.write(f"Writing the demo project {tale.name}.")
                self.stdout.flush()
                teller.tell()
        except (StoreError, StoryRefused) as error:
            raise CommandError(str(error)) from None
        for line in lines:
            self.stdout.write(line)


def _own_database() -> bool:
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3"):
        return False
    return Path(database["NAME"]).resolve().is_relative_to(Path(settings.VAR_DIR).resolve())


@transaction.atomic
def _people_and_project(slug: str, name: str) -> tuple[Project, list[str]]:
    project, _ = Project.objects.get_or_create(slug=slug, defaults={"name": name, "graph_id": slug})
    AuditHead.objects.get_or_create(project=project)
    lines = []
    for username, first, last, roles in PEOPLE:
        user, made = User.objects.get_or_create(username=username, defaults={"first_name": first, "last_name": last})
        password = f"{username}-demo-2026"
        if made:
            user.set_password(password)
            user.save()
        for role in roles:
            Membership.objects.get_or_create(project=project, user=user, role=role)
        # In the demo's own database nobody else made these people; the check takes a second for all of them.
        if made or _own_database() or user.check_password(password):
            lines.append(f"sign-in {roles[0]} {username} {password}")
        else:
            lines.append(f"{username} has a password of their own, which was left as it is.")
    return project, lines
