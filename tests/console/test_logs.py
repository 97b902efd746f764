"""What stands in the log."""

import logging
from collections.abc import Callable

import pytest
from django.test import Client

from console.logs import NoTraceOfRefusals


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Host": "127.0.0.1"}])
def test_a_refused_request_leaves_a_line_without_a_trace(
    headers: dict[str, str], client_of: Callable[..., Client], caplog: pytest.LogCaptureFixture
) -> None:
    response = client_of("viewer").post(
        "/p/claims/decisions/00000000-0000-4000-8000-000000000000/verdict/", headers=headers
    )

    assert response.status_code in {400, 403}
    assert any(record.__dict__.get("status_code") == response.status_code for record in caplog.records)
    assert "Traceback" not in caplog.text


def test_a_bug_keeps_its_trace() -> None:
    try:
        raise ZeroDivisionError
    except ZeroDivisionError as error:
        record = logging.LogRecord("django.request", logging.ERROR, "", 0, "broken", (), (type(error), error, None))
    record.status_code = 500

    assert NoTraceOfRefusals().filter(record)
    assert "ZeroDivisionError" in logging.Formatter().format(record)
