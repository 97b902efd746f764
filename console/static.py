"""Static files under names with their digest, which browsers may keep for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStorage(CompressedManifestStaticFilesStorage):
    """WhiteNoise's storage; before `collectstatic` has run, plain names instead of an error on every page."""

    def stored_name(self, name: str) -> str:
        if not self.hashed_files:
            return name
        return str(super().stored_name(name))
