"""The commands that make projects and members."""

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from console.models import Membership, Project
from tests.reviews.factories import World


def test_a_project_is_made_with_its_members(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    User.objects.create_user("yusuf", password="kept as it is")
    call_command("create_project", "claims", "--name", "Claims", "--member", "ana:reviewer", "--member", "ana:lead",
                 "--member", "yusuf:viewer")  # fmt: skip
    lines = capsys.readouterr().out.splitlines()

    project = Project.objects.get(slug="claims")
    assert (project.name, project.graph_id) == ("Claims", "claims")
    assert sorted(Membership.objects.values_list("user__username", "role")) == [
        ("ana", "lead"), ("ana", "reviewer"), ("yusuf", "viewer"),
    ]  # fmt: skip
    assert lines[0] == "project claims (in the graph: claims)"
    word, role, name, password = lines[1].split()
    assert (word, role, name) == ("sign-in", "reviewer", "ana")
    assert authenticate(username="ana", password=password)
    assert authenticate(username="yusuf", password="kept as it is")
    assert len(lines) == 2


def test_it_can_run_again(db: None) -> None:
    for _ in range(2):
        call_command("create_project", "claims", "--graph-id", "team a/claims", "--member", "ana:reviewer", verbosity=0)

    assert Project.objects.get().graph_id == "team a/claims"
    assert Membership.objects.count() == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Claims!"], "Use a-z"),
        (["claims", "--member", "ana"], "write name:role"),
        (["claims", "--member", "ana:king"], "write name:role"),
        (["claims", "--member", "a b:viewer"], "a b:"),
        (["taken", "--graph-id", "other"], "cannot be changed"),
        (["second", "--graph-id", "taken"], "already exists"),
    ],
)
def test_it_says_what_is_wrong_and_makes_nothing(words: list[str], said: str, db: None) -> None:
    Project.objects.create(slug="taken", name="Taken", graph_id="taken")
    with pytest.raises(CommandError, match=said):
        call_command("create_project", *words)

    assert Project.objects.count() == 1
    assert User.objects.count() == 0


def test_flags_of_other_programs_are_adopted(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.flagged()
    call_command("adopt_flags")

    assert capsys.readouterr().out.startswith("claims: ")
