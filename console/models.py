"""Projects, members and the audit log, in SQL. What people and agents say about the work is in the graph."""

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models

slug_valid = RegexValidator(r"\A[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?\Z", "Use a-z, 0-9 and - inside, at most 50.")


class Project(models.Model):
    """A tenant: its slug in URLs, and its project id in the graph."""

    slug = models.CharField(max_length=50, unique=True, validators=[slug_valid])
    name = models.CharField(max_length=200)
    graph_id = models.CharField(max_length=200, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    VIEWER = "viewer"
    REVIEWER = "reviewer"
    LEAD = "lead"
    COMPLIANCE = "compliance"
    ADMIN = "admin"


class Membership(models.Model):
    """One role of one person in one project; roles combine. Any row lets its person read the project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "user", "role"], name="one_row_per_role")]

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} of {self.project_id}"


class AuditOutcome(models.TextChoices):
    """What became of an attempt. A row *intended* is followed by one of the others with the same request id."""

    INTENDED = "intended"
    DONE = "done"
    REFUSED = "refused"
    STALE = "stale"
    UNKNOWN = "unknown"
    NOT_DONE = "not_done"


class AppendOnly(models.QuerySet["AuditRow"]):
    """No bulk way around the rule that rows are only added."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("audit rows are never changed")

    def delete(self) -> NoReturn:
        raise TypeError("audit rows are never deleted")

    def bulk_create(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("audit rows are added by audit_append()")

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("audit rows are never changed")


class AuditRow(models.Model):
    """One link of a project's hash chain. Holds ids, verbs, codes and digests, never a text that can be redacted."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="audit_rows")
    number = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor = models.CharField(max_length=200)
    verb = models.CharField(max_length=50)
    target = models.CharField(max_length=200)
    outcome = models.CharField(max_length=20)
    request_id = models.CharField(max_length=64, blank=True)
    detail = models.CharField(max_length=500, blank=True)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering: ClassVar = ["project", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "number"], name="audit_numbers_are_unique")]
        indexes: ClassVar = [
            models.Index(fields=["project", "request_id", "number"], name="audit_by_request"),
            models.Index(fields=["project", "actor", "number"], name="audit_by_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.actor} {self.verb} {self.target}: {self.outcome}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("audit rows are never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("audit rows are never deleted")


class AuditHead(models.Model):
    """The end of a project's chain, kept outside the table so that a cut tail shows.

    ``settled_to``: every row up to this number is known to have its outcome.
    """

    project = models.OneToOneField(Project, models.PROTECT, related_name="audit_head", primary_key=True)
    number = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, blank=True)
    settled_to = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.project_id}: {self.number}"


class JobBeat(models.Model):
    """When a job last ran, and the lease that keeps two runs of it apart."""

    name = models.CharField(max_length=50, primary_key=True)
    last_run_at = models.DateTimeField(null=True)
    running_until = models.DateTimeField(null=True)
    detail = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.name}: {self.last_run_at}"


class SignInFailure(models.Model):
    """A refused sign-in, for the pause after too many. ``key`` is a digest of name and address."""

    key = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["key", "at"], name="failures_by_key"),
            models.Index(fields=["at"], name="failures_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.at}"


class Theme(models.TextChoices):
    AUTO = "auto", "as the system"
    LIGHT = "light", "light"
    DARK = "dark", "dark"


class Preference(models.Model):
    """What a person chose for the look and the keyboard."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="preference", primary_key=True)
    theme = models.CharField(max_length=5, choices=Theme.choices, default=Theme.AUTO)
    single_keys = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.theme}"
