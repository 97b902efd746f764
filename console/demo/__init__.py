"""The demo's story: documents in versions and what agents decided on them, as files, and the code that tells it."""
