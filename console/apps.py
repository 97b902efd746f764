from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "console"
    label = "console"

    def ready(self) -> None:
        from console import checks

        checks.register_all()
