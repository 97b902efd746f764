from django.apps import AppConfig


class TasksConfig(AppConfig):
    name = "tasks_app"
    label = "tasks"
    verbose_name = "Tasks"
