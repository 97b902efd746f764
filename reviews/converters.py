"""What an address of ours may hold."""


class AnythingConverter:
    """Any text, line ends too: what is wrong with an evidence id is for its page to say."""

    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
