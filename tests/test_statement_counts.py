"""Every public read takes a fixed number of statements, however much the project holds."""

import pytest

from reaffirm.store import GraphStore
from tests.reads import FACADES, READS, WRITES, Filled, public

FEW, MANY = 3, 40


@pytest.mark.parametrize("kind", FACADES, ids=lambda kind: kind.__name__)
def test_every_public_method_is_a_write_or_has_its_number_here(kind: type) -> None:
    """A new read gets a line in tests/reads.py."""
    named = {name.partition(".")[2] for name in READS if name.partition(".")[0] == kind.__name__}
    assert named | WRITES[kind.__name__] == public(kind)
    assert not named & WRITES[kind.__name__]


def test_reads_take_the_same_statements_for_little_and_for_much(store: GraphStore) -> None:
    filled = Filled(store)
    seen: dict[str, list[tuple[int, int]]] = {name: [] for name in READS}
    for size in (FEW, MANY):
        filled.grow(size)
        for name, read in READS.items():
            filled.listening.texts.clear()
            rows = len(read.rows(read.call(filled)))
            seen[name].append((rows, len(filled.listening.texts)))
    assert filled.listening.writes == 0
    counted = {name: tuple(statements for _, statements in found) for name, found in seen.items()}
    assert counted == {name: (read.statements, read.large or read.statements) for name, read in READS.items()}
    for name, ((few, _), (many, _)) in seen.items():
        assert few > 0, name
        assert many > few if READS[name].grows else many == few, (name, few, many)
