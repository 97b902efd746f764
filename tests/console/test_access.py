"""Who gets what: signed out, a stranger, and each role, on each page of the console."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from console.access import MemberRequest, RoleMissing, member_required
from console.middleware import PageHtmx
from console.models import Membership, Project, Role
from tests.console.pages import words

ANY_TASK = "/p/claims/tasks/00000000-0000-4000-8000-000000000000/"
PROJECT_PAGES = ["/p/claims/", "/p/claims/tasks/", ANY_TASK]
POSTS = ["/settings/theme/", "/settings/keys/", "/sign-out/"]


@pytest.mark.parametrize("path", ["/", *PROJECT_PAGES])
def test_a_page_asks_a_signed_out_person_to_sign_in_and_comes_back(path: str, project: Project) -> None:
    response = Client().get(path + "?after=3")

    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in/?next=%2F")
    assert response["Location"].endswith("%3Fafter%3D3")


@pytest.mark.parametrize("path", PROJECT_PAGES)
def test_a_stranger_gets_what_a_random_project_gets(path: str, client_of: Callable[..., Client]) -> None:
    stranger = client_of("stranger")
    real, random = stranger.get(path), stranger.get(path.replace("claims", "nowhere"))

    assert real.status_code == random.status_code == 404
    assert "There is nothing here for you" in words(real)
    assert "Claims" not in words(real)


@pytest.mark.parametrize("role", Role.values)
@pytest.mark.parametrize("path", PROJECT_PAGES[:2])
def test_every_member_reads(path: str, role: str, client_of: Callable[..., Client], console_on_falkordb: str) -> None:
    assert client_of(role).get(path).status_code == 200


@pytest.mark.parametrize("path", ["/", *PROJECT_PAGES, "/health/"])
def test_a_page_takes_no_post(path: str, client_of: Callable[..., Client]) -> None:
    assert client_of("reviewer").post(path).status_code == 405


@pytest.mark.parametrize("path", ["/", "/p/claims/", "/p/claims/tasks/", "/health/"])
def test_a_page_answers_head_as_it_answers_get(
    path: str, client_of: Callable[..., Client], console_on_falkordb: str
) -> None:
    reviewer = client_of("reviewer")
    assert reviewer.head(path).status_code == reviewer.get(path).status_code


@pytest.mark.parametrize("path", POSTS)
def test_an_action_takes_no_get(path: str, client_of: Callable[..., Client]) -> None:
    assert client_of("reviewer").get(path).status_code == 405


@pytest.mark.parametrize("path", POSTS[:2])
def test_an_action_asks_a_signed_out_person_to_sign_in(path: str, db: None) -> None:
    assert Client().post(path).status_code == 302


# The decorator itself, for the views of the apps


@member_required("reviewer", "lead")
def act(request: MemberRequest, project: Project, part: str = "") -> HttpResponse:
    return HttpResponse(f"{project.slug} {sorted(request.roles)} {part}")


def request_of(user: User | AnonymousUser, method: str = "POST", **headers: str) -> HttpRequest:
    request = RequestFactory().generic(method, "/p/claims/decisions/1/verdict/", headers=headers)
    request.user = user
    request.htmx = PageHtmx(request)  # type: ignore[attr-defined]
    return request


@pytest.mark.parametrize("role", ["reviewer", "lead"])
def test_a_member_with_one_of_the_roles_acts(role: str, project: Project) -> None:
    user = User.objects.get(username=role)

    assert act(request_of(user), slug="claims", part="x").content.decode() == f"claims ['{role}'] x"


@pytest.mark.parametrize("role", ["viewer", "compliance", "admin"])
def test_a_member_without_the_role_is_refused(role: str, project: Project) -> None:
    with pytest.raises(RoleMissing, match="This needs the role reviewer or lead"):
        act(request_of(User.objects.get(username=role)), slug="claims")


def test_roles_combine_and_cost_one_query(project: Project, django_assert_num_queries: Callable[[int], object]) -> None:
    user = User.objects.get(username="viewer")
    Membership.objects.create(project=project, user=user, role="lead")

    with django_assert_num_queries(1):  # type: ignore[attr-defined]
        assert "['lead', 'viewer']" in act(request_of(user), slug="claims").content.decode()


def test_a_role_in_another_project_counts_for_nothing(project: Project) -> None:
    other = Project.objects.create(slug="other", name="Other", graph_id="other")
    viewer = User.objects.get(username="viewer")
    Membership.objects.create(project=other, user=viewer, role="reviewer")

    with pytest.raises(RoleMissing):
        act(request_of(viewer), slug="claims")


@pytest.mark.parametrize(
    ("referer", "target"),
    [
        ("http://testserver/p/claims/decisions/1/?x=1", "%2Fp%2Fclaims%2Fdecisions%2F1%2F%3Fx%3D1"),
        ("https://testserver/p/claims/queue/", "%2Fp%2Fclaims%2Fqueue%2F"),
        ("http://evil.example/p/claims/", "%2F"),
        ("http://testserver//evil.example/", "%2F"),
        ("http://[bad", "%2F"),
        ("", "%2F"),
    ],
)
def test_a_post_of_a_signed_out_person_comes_back_to_its_page(referer: str, target: str, project: Project) -> None:
    response = act(request_of(AnonymousUser(), Referer=referer), slug="claims")

    assert response["Location"] == f"/sign-in/?next={target}"
