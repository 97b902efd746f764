from django.urls import path, register_converter

from reviews import views
from reviews.converters import AnythingConverter

register_converter(AnythingConverter, "anything")

app_name = "reviews"

urlpatterns = [
    path("queue/", views.queue, name="queue"),
    path("queue/next/", views.next_flag, name="next"),
    path("decisions/<uuid:decision_id>/", views.decision, name="decision"),
    path("decisions/<uuid:decision_id>/verdict/", views.verdict, name="verdict"),
    path("decisions/<uuid:decision_id>/supersede/", views.supersede, name="supersede"),
    path("conflicts/", views.conflicts, name="conflicts"),
    path("evidence/<anything:evidence_id>/", views.evidence, name="evidence"),
]
