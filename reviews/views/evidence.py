"""One cited passage, as it was cited."""

from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from console.access import MemberRequest, member_required
from console.graph import decisions_for, knowledge
from console.models import Project
from reaffirm.knowledge.evidence import decode
from reaffirm.knowledge.models import DocumentVersion, EvidenceReference, FetchOutcome, FetchStatus

READABLE = frozenset({FetchStatus.OK, FetchStatus.PARTIAL, FetchStatus.TRUNCATED})


@require_safe
@member_required()
def evidence(request: MemberRequest, project: Project, evidence_id: str) -> HttpResponse:
    """The words of an evidence id; 404 with the reason when they cannot be shown (cases.md 20)."""
    traces = decisions_for(project, request.user)
    reference = decode(evidence_id)
    outcome = _fetch(project, request, evidence_id, reference)
    readable = outcome is not None and outcome.status in READABLE and bool(outcome.text)
    context = {
        "project": project,
        "nav": "queue",
        "counts": traces.review_counts(),
        "roles": request.roles,
        "evidence_id": evidence_id,
        "reference": reference,
        "outcome": outcome if readable else None,
        "version": _version_of(outcome) if outcome and readable else None,
        "malformed": reference is None,
    }
    return TemplateResponse(request, "reviews/evidence.html", context, status=200 if readable else 404)


def _fetch(
    project: Project, request: MemberRequest, evidence_id: str, reference: EvidenceReference | None
) -> FetchOutcome | None:
    """None for a malformed id, and for a document that no decision of this project cites: nothing crosses projects."""
    if reference is None:
        return None
    if not decisions_for(project, request.user).cites_document(reference.document_node_id):
        return None
    return next(iter(knowledge().fetch([evidence_id])), None)


def _version_of(outcome: FetchOutcome) -> DocumentVersion | None:
    """The newest activation with the text of the passage; the outcome itself only knows the document's latest one."""
    if not outcome.document_key or not outcome.content_hash:
        return None
    versions = reversed(knowledge().versions(outcome.document_key))
    return next((each for each in versions if each.content_hash == outcome.content_hash), None)
