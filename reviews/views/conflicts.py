"""Choices whose active decisions differ between tasks."""

from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from console.access import MemberRequest, member_required
from console.graph import decisions_for
from console.models import Project
from reviews.names import names_for


@require_safe
@member_required()
def conflicts(request: MemberRequest, project: Project) -> HttpResponse:
    traces = decisions_for(project, request.user)
    found = traces.list_conflicts()
    context = {
        "project": project,
        "nav": "conflicts",
        "counts": traces.review_counts(),
        "roles": request.roles,
        "conflicts": found,
        "names": names_for(decision.author for group in found.groups for decision in group.decisions),
    }
    return TemplateResponse(request, "reviews/conflict_list.html", context)
