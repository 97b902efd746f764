from django.urls import path, re_path

from reviews import views

app_name = "reviews"

urlpatterns = [
    path("queue/", views.queue, name="queue"),
    path("queue/next/", views.next_flag, name="next"),
    path("decisions/<uuid:decision_id>/", views.decision, name="decision"),
    path("decisions/<uuid:decision_id>/verdict/", views.verdict, name="verdict"),
    path("decisions/<uuid:decision_id>/supersede/", views.supersede, name="supersede"),
    path("conflicts/", views.conflicts, name="conflicts"),
    # Any text, line ends too: what is wrong with an evidence id is for its page to say.
    re_path(r"^evidence/(?P<evidence_id>[\s\S]+)/\Z", views.evidence, name="evidence"),
]
