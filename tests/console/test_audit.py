"""The audit log: one chain per project; edits, gaps and cut tails show."""

import threading

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from console.audit import audit_append, audit_verify
from console.models import AuditRow, Project


def append(project: Project, target: str = "d1", outcome: str = "done") -> AuditRow:
    return audit_append(
        project=project, actor="ana", verb="reaffirm", target=target, outcome=outcome, request_id="r1", detail=""
    )


def tamper(sql: str) -> None:
    """As someone with the database's password would."""
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_a_whole_chain_has_no_faults(project: Project) -> None:
    rows = [append(project, str(number)) for number in range(5)]

    assert [row.number for row in rows] == [1, 2, 3, 4, 5]
    assert rows[3].previous_hash == rows[2].hash
    assert audit_verify(project) == []


def test_a_project_without_rows_has_no_faults(project: Project) -> None:
    assert audit_verify(project) == []


def test_it_finds_an_edited_row(project: Project) -> None:
    for _ in range(3):
        append(project)
    tamper("UPDATE console_auditrow SET actor = 'eve' WHERE number = 2")

    assert audit_verify(project) == ["Row 2 was changed."]


def test_it_finds_a_row_that_was_edited_and_hashed_again(project: Project) -> None:
    from console.audit import row_hash

    for _ in range(3):
        append(project)
    row = AuditRow.objects.get(project=project, number=2)
    row.actor = "eve"
    tamper(f"UPDATE console_auditrow SET actor = 'eve', hash = '{row_hash(row)}' WHERE number = 2")

    assert audit_verify(project) == ["Row 3 does not follow row 2: one of them was changed."]


def test_it_finds_a_gap(project: Project) -> None:
    for _ in range(5):
        append(project)
    tamper("DELETE FROM console_auditrow WHERE number IN (2, 3)")

    assert audit_verify(project) == ["Rows 2 to 3 are missing."]


def test_it_finds_a_cut_tail(project: Project) -> None:
    for _ in range(4):
        append(project)
    tamper("DELETE FROM console_auditrow WHERE number > 2")

    assert audit_verify(project) == ["Rows 3 to 4 are missing. The end was cut."]


def test_it_finds_that_everything_is_gone(project: Project) -> None:
    append(project)
    tamper("DELETE FROM console_auditrow")

    assert audit_verify(project) == ["Row 1 is missing. The end was cut."]


def test_it_finds_a_missing_head(project: Project) -> None:
    append(project)
    tamper("DELETE FROM console_audithead")

    assert audit_verify(project) == ["The head of the chain is missing."]


def test_rows_are_only_added(project: Project) -> None:
    row = append(project)
    row.actor = "eve"

    for change in (
        row.save,
        row.delete,
        AuditRow.objects.all().delete,
        lambda: AuditRow.objects.update(actor="eve"),
        lambda: AuditRow.objects.bulk_update([row], ["actor"]),
        lambda: AuditRow.objects.bulk_create([row]),
    ):
        with pytest.raises(TypeError):
            change()
    assert audit_verify(project) == []


def test_chains_of_projects_are_apart(project: Project) -> None:
    other = Project.objects.create(slug="other", name="Other", graph_id="other")
    append(project)
    append(other)
    append(project)

    assert AuditRow.objects.get(project=other).number == 1
    assert audit_verify(project) == audit_verify(other) == []


@pytest.mark.django_db(transaction=True)
def test_sixteen_threads_append_one_unbroken_chain(transactional_project: Project) -> None:
    errors: list[Exception] = []
    together = threading.Barrier(16)

    def work(name: str) -> None:
        try:
            together.wait()
            for number in range(5):
                append(transactional_project, f"{name}-{number}")
        except Exception as error:  # noqa: BLE001  any of them fails the test
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert AuditRow.objects.filter(project=transactional_project).count() == 80
    assert audit_verify(transactional_project) == []


@pytest.fixture
def transactional_project(transactional_db: None) -> Project:
    return Project.objects.create(slug="claims", name="Claims", graph_id="claims")


def test_the_command_says_ok_and_fails_on_a_fault(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    append(project)
    call_command("verify_audit", "claims")
    assert capsys.readouterr().out == "claims: ok\n"

    tamper("UPDATE console_auditrow SET verb = 'reject'")
    with pytest.raises(CommandError):
        call_command("verify_audit")
    assert "Row 1 was changed." in capsys.readouterr().out
