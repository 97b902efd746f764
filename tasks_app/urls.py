from django.urls import path

from tasks_app import views

app_name = "tasks"

urlpatterns = [
    path("tasks/", views.task_list, name="list"),
    path("tasks/<uuid:task_id>/", views.task, name="task"),
]
