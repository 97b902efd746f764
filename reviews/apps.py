from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "reviews"
    label = "reviews"
    verbose_name = "Reviews"
