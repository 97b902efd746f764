"""Tasks: all of them, and the timeline of one. Read only."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from console.access import MemberRequest, member_required
from console.graph import counts_for, decisions_for, history_for
from console.models import Project
from tasks_app.timeline import EVENTS_A_PAGE, timeline_of

TASKS_A_PAGE = 50
DECISIONS = 100
LARGEST_SEQ = 2**53


@require_safe
@member_required()
def task_list(request: MemberRequest, project: Project) -> HttpResponse:
    cursor = request.GET.get("cursor") or None
    page = history_for(project, request.user).list_tasks(limit=TASKS_A_PAGE, cursor=cursor)
    context = {"page": page, "cursor": cursor}
    return render(request, "tasks_app/task_list.html", _shell(request, project) | context)


@require_safe
@member_required()
def task(request: MemberRequest, project: Project, task_id: UUID) -> HttpResponse:
    """The timeline after ``?after=``: six reads of the graph, however long the task is."""
    history = history_for(project, request.user)
    found = history.get_task_by_id(str(task_id))
    if not found.found or found.task is None or found.view is None:
        raise Http404("no such task in this project")
    after = _sequence(request.GET.get("after", ""))
    events = history.list_events_by_id(str(task_id), after_seq=after, limit=EVENTS_A_PAGE + 1)
    decisions = decisions_for(project, request.user).task_decisions(str(task_id), limit=DECISIONS)
    context = {
        "task": found.task,
        "view": found.view,
        "timeline": timeline_of(
            task=found.task,
            view=found.view,
            page=events,
            decisions=decisions,
            after=after,
            full=_sequence(request.GET.get("full", "")),
        ),
        "decisions": decisions,
    }
    return render(request, "tasks_app/task.html", _shell(request, project) | context)


def _shell(request: MemberRequest, project: Project) -> dict[str, Any]:
    counts = counts_for(project, request.user)
    return {"project": project, "roles": request.roles, "nav": "tasks", "counts": counts}


def _sequence(text: str) -> int:
    """A place in the log from an address; anything else reads as the beginning."""
    return min(int(text), LARGEST_SEQ) if text.isascii() and text.isdigit() and len(text) < 20 else 0
