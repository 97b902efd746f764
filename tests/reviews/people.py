"""People of the tests and their browsers."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from console.models import Membership, Project
from tests.reviews.factories import PROJECT

FULL_NAMES = {"ana": "Ana Petrović", "yusuf": "Yusuf Al-Haddad", "vera": "Vera Lind"}


def project_with_people(roles: dict[str, str]) -> Project:
    claims = Project.objects.create(slug="claims", name="Claims and refunds", graph_id=PROJECT)
    other = Project.objects.create(slug="other", name="Other", graph_id="other-in-graph")
    for name, role in roles.items():
        first, _, last = FULL_NAMES.get(name, name.title()).partition(" ")
        user = User.objects.create_user(name, password="long enough 1", first_name=first, last_name=last)
        Membership.objects.create(project=claims, user=user, role=role)
    stranger = User.objects.create_user("stranger", password="long enough 1")
    Membership.objects.create(project=other, user=stranger, role="reviewer")
    return claims


def signed_in(username: str, **defaults: Any) -> Client:
    client = Client(**defaults)
    client.force_login(User.objects.get(username=username))
    return client
