"""The console's own pages: projects, sign-in, health."""

from django.urls import path

from console import views

app_name = "console"

urlpatterns = [
    path("", views.home, name="home"),
    path("p/<slug:slug>/", views.project, name="project"),
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("settings/theme/", views.theme, name="theme"),
    path("settings/keys/", views.single_keys, name="single_keys"),
    path("health/", views.health, name="health"),
]
