"""Every address of the console."""

from django.urls import include, path

urlpatterns = [
    path("", include("console.page_urls")),
    path("p/<slug:slug>/", include("reviews.urls")),
    path("p/<slug:slug>/", include("tasks_app.urls")),
]
handler400 = "console.errors.bad_request"
handler403 = "console.errors.forbidden"
handler404 = "console.errors.not_found"
handler500 = "console.errors.server_error"
