"""The extractors that come with the library, on words as policies have them."""

import importlib
import sys
import time

import pytest

from reaffirm.knowledge import CitationExtractor, Extractor, Graph, RuleExtractor
from reaffirm.store import GraphStore, ValueRefused

POLICY = """# Retention

Backups are kept for thirty days; audit logs for 90 calendar days (Section 4.2, Article 5(1) and § 12).
A breach is reported within 72 hours, at the latest by 30 April 2026, to dpo@example.com.
The fine is up to €20 million, or 4% of the turnover; a request costs $1,250.50 or 15 euros.
See https://peps.python.org/pep-0008/, PEP 8, RFC 2119 and ISO/IEC 27001:2022. In force since 2018-05-25.
The data
officer approves each export for one year."""


def found(extractor: Extractor, text: str) -> list[tuple[str, str, dict[str, object]]]:
    (result,) = extractor.extract([text])
    assert not result.relations
    return [
        (each.label, " ".join(text[each.char_start : each.char_end].split()), dict(each.properties))
        for each in result.entities
    ]


def test_rules_find_what_policies_are_full_of() -> None:
    assert found(RuleExtractor({"data officer": "Role"}), POLICY) == [
        ("Duration", "thirty days", {"value": "P30D"}),
        ("Duration", "90 calendar days", {"value": "P90D"}),
        ("Reference", "Section 4.2", {}),
        ("Reference", "Article 5(1)", {}),
        ("Reference", "§ 12", {}),
        ("Duration", "72 hours", {"value": "PT72H"}),
        ("Date", "30 April 2026", {"value": "2026-04-30"}),
        ("Email", "dpo@example.com", {}),
        ("Money", "€20 million", {"amount": 20_000_000, "currency": "EUR"}),
        ("Percentage", "4%", {"value": 4}),
        ("Money", "$1,250.50", {"amount": 1250.5, "currency": "USD"}),
        ("Money", "15 euros", {"amount": 15, "currency": "EUR"}),
        ("WebAddress", "https://peps.python.org/pep-0008/", {}),
        ("Reference", "PEP 8", {}),
        ("Reference", "RFC 2119", {}),
        ("Reference", "ISO/IEC 27001:2022", {}),
        ("Date", "2018-05-25", {"value": "2018-05-25"}),
        ("Role", "data officer", {}),
        ("Duration", "one year", {"value": "P1Y"}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Version 3.11.2 of 10.0.0.1, build 20260430, line 12,",
        "2026-13-01, 31 February 2026, 0000-00-00, 12-2026-04-30",
        "the second day after, a month's rest, dayshift",
        "Articles of faith; section heads; Chapter one",
        "a@b, @home, user@, x@y@z",
        "$ and % and € alone; 5 k; 7 m",
        "",
        "\n\n",
    ],
)
def test_rules_do_not_find_what_only_looks_like_it(text: str) -> None:
    assert found(RuleExtractor(), text) == []


def test_of_two_that_overlap_the_first_and_the_longest_wins() -> None:
    assert found(RuleExtractor({"thirty": "Number", "thirty days of rest": "Term"}), "thirty days of rest") == [
        ("Term", "thirty days of rest", {})
    ]
    assert [words for _, words, _ in found(RuleExtractor(), "by May 2026-04-30")] == ["2026-04-30"]


def test_terms_are_whole_words_as_written() -> None:
    extractor = RuleExtractor({"IT": "Team", "C++": "Language", "R&D": "Team", "§ 9": "Rule", "IT desk": "Place"})
    assert [words for _, words, _ in found(extractor, "IT, not it or ITEM; C++ and R&D; § 9, § 99; the IT  desk")] == [
        "IT",
        "C++",
        "R&D",
        "§ 9",
        "§ 99",
        "IT desk",
    ]


@pytest.mark.parametrize("terms", [{"": "A"}, {" ": "A"}, {"x" * 201: "A"}, {"a": 5}, ["a"], {5: "A"}])
def test_terms_that_are_none_are_refused(terms: object) -> None:
    with pytest.raises(ValueRefused):
        RuleExtractor(terms)  # type: ignore[arg-type]


def test_the_fingerprint_changes_with_the_terms_alone() -> None:
    assert RuleExtractor({"a": "A", "b": "B"}).fingerprint == RuleExtractor({"b": "B", "a": "A"}).fingerprint
    assert len({RuleExtractor(terms).fingerprint for terms in ({}, {"a": "A"}, {"a": "B"}, {"b": "A"})}) == 4


@pytest.mark.parametrize(
    "repeated", ["1,", "a@", "9", "$", "$1", "Section ", "http://", "twenty ", "a.", "1.", "30 ", "§", "PEP ", "May "]
)
def test_no_text_makes_rules_slow(repeated: str) -> None:
    """Twice the text may take twice the time, not four times."""
    extractor = RuleExtractor({"May day": "Day"})
    took = []
    for size in (20_000, 80_000):
        text = repeated * (size // len(repeated))
        begun = time.process_time()
        extractor.extract([text])
        took.append(time.process_time() - begun)
    assert took[1] < 12 * max(took[0], 0.02)


def test_documents_are_read_by_rules(store: GraphStore) -> None:
    graph = Graph(store, extractor=RuleExtractor({"data officer": "Role"}))
    result = graph.add(POLICY, document_key="docs/policy.md")
    assert (result.entities, result.left_out) == (19, 0)
    page = graph.entities("docs/policy.md")
    assert [(each.type, each.name) for each in page.entities][:3] == [
        ("Date", "2018-05-25"),
        ("Date", "30 April 2026"),
        ("Duration", "72 hours"),
    ]
    (role,) = [each for each in page.entities if each.type == "Role"]
    assert (role.name, graph.fetch(role.evidence_ids)[0].text) == ("data officer", "data\nofficer")


# Citations


CITING = (
    "Records are kept under 17 C.F.R. § 240. See Upjohn Co. v. United States, 449 U.S. 383, 389 (1981); id. at 390; "
    "42 U.S.C. §§ 1983. No case: 5 days of 2026."
)


def test_citations_are_found_by_eyecite(store: GraphStore) -> None:
    assert [(label, words, told.get("reporter")) for label, words, told in found(CitationExtractor(), CITING)] == [
        ("Law", "17 C.F.R. § 240", "C.F.R."),
        ("Case", "449 U.S. 383", "U.S."),
        ("Law", "42 U.S.C. §§ 1983", "U.S.C."),
    ]
    graph = Graph(store, extractor=CitationExtractor())
    assert graph.add(f"Rules.\n\n{CITING}", document_key="docs/rules.md").entities == 3
    assert [(each.type, each.name) for each in graph.entities("docs/rules.md").entities] == [
        ("Case", "449 U.S. 383"),
        ("Law", "17 C.F.R. § 240"),
        ("Law", "42 U.S.C. §§ 1983"),
    ]


def test_without_eyecite_the_adapter_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert importlib.import_module("eyecite")
    monkeypatch.setitem(sys.modules, "eyecite", None)
    with pytest.raises(ImportError, match=r"reaffirm\[citations\]"):
        CitationExtractor()
