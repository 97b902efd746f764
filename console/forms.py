"""The console's own forms."""

from django import forms

from console.models import Theme


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=Theme.choices)


class SingleKeysForm(forms.Form):
    single_keys = forms.ChoiceField(choices=[("on", "on"), ("off", "off")])
