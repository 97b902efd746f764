"""manage.py create_project claims --name "Claims and refunds" --member ana:reviewer --member ana:lead"""

import secrets
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from console.models import AuditHead, Membership, Project, Role


class Command(BaseCommand):
    help = "Make a project, or add members to it. Who has no account gets one; its password is printed once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="its part of the address: a-z, 0-9 and -")
        parser.add_argument("--name", help="as people read it; the slug when left out")
        parser.add_argument("--graph-id", help="its project_id in the graph; the slug when left out")
        roles = ", ".join(Role.values)
        parser.add_argument(
            "--member", action="append", default=[], metavar="name:role", help=f"repeatable; role is one of {roles}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        members = [_member(text) for text in options["member"]]
        with transaction.atomic():
            project = _project(options["slug"], options["name"], options["graph_id"])
            lines = [line for name, role in members for line in _join(project, name, role)]
        self.stdout.write(f"project {project.slug} (in the graph: {project.graph_id})")
        for line in lines:
            self.stdout.write(line)


def _project(slug: str, name: str | None, graph_id: str | None) -> Project:
    project = Project.objects.filter(slug=slug).first() or Project(
        slug=slug, name=name or slug, graph_id=graph_id or slug
    )
    if graph_id and project.graph_id != graph_id:
        raise CommandError(f"{slug} exists with the graph id {project.graph_id}; it cannot be changed.")
    project.name = name or project.name
    try:
        project.full_clean()
    except ValidationError as error:
        raise CommandError("; ".join(error.messages)) from None
    project.save()
    AuditHead.objects.get_or_create(project=project)
    return project


def _member(text: str) -> tuple[str, str]:
    name, _, role = text.rpartition(":")
    if not name or role not in Role.values:
        raise CommandError(f"--member {text}: write name:role, with a role of {', '.join(Role.values)}.")
    return name, role


def _join(project: Project, name: str, role: str) -> list[str]:
    user = User.objects.filter(username=name).first()
    lines = []
    if user is None:
        password = secrets.token_urlsafe(9)
        user = User(username=name)
        try:
            user.clean_fields(exclude=["password"])
        except ValidationError as error:
            raise CommandError(f"{name}: {'; '.join(error.messages)}") from None
        user.set_password(password)
        user.save()
        lines.append(f"sign-in {role} {name} {password}")
    Membership.objects.get_or_create(project=project, user=user, role=role)
    return lines
