"""Where the text of a removed document stands now: one that is renamed is removed and added under another key."""

from reaffirm.decisions.case import Case
from reaffirm.store import GraphStore, Row

KEYS = 5  # told of one document

# Only documents that the project has among its sources, or cites: the key of another project's is not told.
SAME_TEXT = """
UNWIND $pairs AS pair
MATCH (o:Document) WHERE o.current_content_hash = pair.hash
WITH pair, o WHERE o.id <> pair.doc
OPTIONAL MATCH (p:Project {_agrag_history_record: true, project_id: $project})-[source:HAS_SOURCE]->(o)
WITH pair, o, count(source) AS sources
OPTIONAL MATCH (s:DecisionSupport) WHERE s.document_node_id = o.id AND s.project_id = $project
WITH pair, o, sources, count(s) AS cited WHERE sources + cited > 0
RETURN DISTINCT pair.doc AS id, o.document_key AS key ORDER BY key
"""


def same_text_keys(
    store: GraphStore, project_id: str, case: Case, activations: list[Row]
) -> dict[str, tuple[str, ...]]:
    """Id of each removed document → keys of those that hold the text that it had, or that the decision cites.

    Reads only where a cited document was removed.
    """
    removed = {
        support.document_node_id
        for support in case.of_kind("document")
        if support.document_node_id in case.documents and case.passages[support.id].removed
    }
    pairs = {(each.document_node_id, each.content_hash) for each in case.of_kind("document")}
    pairs |= {(each["document_id"], each.get("previous_content_hash")) for each in activations}
    wanted = [{"doc": document, "hash": found} for document, found in pairs if document in removed and found]
    if not wanted:
        return {}
    keys: dict[str, tuple[str, ...]] = {}
    for row in store.read(SAME_TEXT, project=project_id, pairs=wanted):
        keys[row["id"]] = (*keys.get(row["id"], ()), row["key"])[:KEYS]
    return keys
