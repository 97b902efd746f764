"""The graph that everything is measured in: so many decisions, as three projects of many agents would leave them.

The biggest project has 80 % of them. A decision has 1.5 supports, 6.4 % are flagged, a tenth rests on one of them, a
few tasks and documents have most of it, and 400 choice keys are contested by three tasks each.
"""

import random
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from bench import writer
from bench.sources import EDITED, PARAGRAPHS, Source, write_source
from bench.writer import Row
from reaffirm import ids
from reaffirm.history import ConversationHistory
from reaffirm.knowledge import Graph
from reaffirm.store import GraphStore

PROJECTS = {"atlas": 0.8, "birch": 0.15, "cedar": 0.05}
BIGGEST = "atlas"
SEED = 20261201
BY_DOCUMENT = 0.06  # of the active decisions; what rests on them is flagged as well
DAY = 86_400_000
NOW = ids.milliseconds(writer.AT)


@dataclass(frozen=True)
class TaskPlan:
    project: str
    name: str

    @property
    def id(self) -> str:
        return ids.task_id(self.project, self.name)


@dataclass
class World:
    """The plan of a graph, one entry for each decision; only what later ones depend on is kept.

    Attributes:
        flagged: By project, how many flags it has.
        groups: How many choice keys are contested, all of them in the biggest project.
    """

    size: int
    tasks: list[TaskPlan] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    flagged: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PROJECTS, 0))
    hub: int = 0

    def __post_init__(self) -> None:
        none = [-1] * self.size
        self.task = array("l", none)
        self.parent = array("l", none)
        self.source = array("l", none)
        self.root = array("l", none)  # -1: clear; itself: flagged by its document
        self.depth = array("l", [0] * self.size)
        self.dependents = array("l", [0] * self.size)
        self.counts = array("l")

    @property
    def groups(self) -> int:
        return min(400, self.size // 20)

    def status(self, number: int) -> str:
        if number % 25 == 23 and number + 1 < self.size:
            return "superseded"
        return "rejected" if number % 50 == 10 else "active"

    def key(self, number: int) -> str:
        group = self.group(number)
        if group is not None:
            return f"shared-{group:04d}"
        return f"choice-{number - self.revision(number) + 1:07d}"

    def group(self, number: int) -> int | None:
        """The contested choice that a decision is a side of."""
        side = (number - 1) // 5
        return side // 3 if number % 5 == 1 and side < 3 * self.groups else None

    def revision(self, number: int) -> int:
        return 2 if number % 25 == 24 else 1

    def id(self, number: int) -> str:
        return ids.decision_id(self.tasks[self.task[number]].id, self.key(number), self.revision(number))

    def since(self, source: int) -> int:
        """When the second version of a document came, and raised its flags."""
        return NOW - DAY * 30 + (source * 7_919 % 1_000) * 2_592_000

    def flag(self, number: int) -> Row:
        root = self.root[number]
        if root < 0:
            return {}
        ms = self.since(self.source[root]) + 50 * self.depth[number]
        if root != number:
            return writer.flag_by_parent(self.id(self.parent[number]), self.id(root), self.depth[number], ms)
        source = self.sources[self.source[number]]
        words = number % 3 * (number % 17)
        return writer.flag_by_document(source.id, source.activation_id, 2, ms, words)

    def row(self, kind: str, number: int) -> Row:
        """A decision with its supports."""
        task, own = self.tasks[self.task[number]], self.root[number] == number
        source, status = self.sources[self.source[number]], self.status(number)
        cited = EDITED if own and number % 3 else number % PARAGRAPHS
        supports = [source.support(cited, 1 if own else source.seq)]
        if number % 10 < 3:
            supports.append(writer.event_support(task.id, task.name, 1))
        if self.parent[number] >= 0:
            supports.append(writer.decision_support(self.id(self.parent[number])))
        more: Row = {"status": status, "dependents": self.dependents[number], **self.flag(number)}
        if status != "active":
            verdict = "reject" if status == "rejected" else "supersede"
            more |= {"verdict_kind": verdict, "verdict_by": writer.AUTHOR, "verdict_at": writer.AT}
        if status == "rejected":
            more |= {"rejection_reason": "The request was withdrawn.", "rejected_by": writer.AUTHOR}
        if self.revision(number) == 2:
            more["supersession_explanation"] = "The rule was read again."
        if self.group(number) is not None:
            more |= {"contested_in": task.project, "conclusion": f"Answer it as task {task.name} does."}
        return writer.decision(
            kind, task.project, task.id, self.key(number), supports, revision=self.revision(number), **more
        )


def plan(size: int) -> World:
    """Who cites what, and what is flagged."""
    chance, world = random.Random(SEED), World(size)
    tasks = min(2_000, max(24, size // 50))
    for project, share in PROJECTS.items():
        world.tasks += [TaskPlan(project, f"task-{number:04d}") for number in range(max(3, int(tasks * share)))]
    placed = {project: [n for n, task in enumerate(world.tasks) if task.project == project] for project in PROJECTS}
    citable: dict[str, list[int]] = {project: [] for project in PROJECTS}
    documents = documents_of(size)
    for number in range(size):
        _place(world, number, placed, chance)
        project = world.tasks[world.task[number]].project
        world.source[number] = int(documents * chance.random() ** 3)
        active = world.status(number) == "active"
        if number != world.hub:
            _cite(world, number, citable[project], project == BIGGEST, chance)
        if active:
            _flag(world, number, documents, chance)
            world.flagged[project] += world.root[number] >= 0
            citable[project].append(number)
    world.counts = array("l", [0] * len(world.tasks))
    for number in world.task:
        world.counts[number] += 1
    return world


def documents_of(size: int) -> int:
    return min(2_000, max(10, size // 200))


def _place(world: World, number: int, placed: dict[str, list[int]], chance: random.Random) -> None:
    """Choose the task. Few have most of the decisions; the sides of a contested choice are in different ones."""
    group = world.group(number)
    if world.revision(number) == 2:
        world.task[number] = world.task[number - 1]
    elif group is not None:
        tasks = placed[BIGGEST]
        world.task[number] = tasks[(3 * group + (number - 1) // 5 % 3) % len(tasks)]
    else:
        project = BIGGEST if number == world.hub else chance.choices(list(PROJECTS), list(PROJECTS.values()))[0]
        tasks = placed[project]
        world.task[number] = tasks[int(len(tasks) * chance.random() ** 2)]


def _cite(world: World, number: int, citable: list[int], biggest: bool, chance: random.Random) -> None:
    """Choose the decision that it rests on: for a tenth of all it is one and the same, for another any earlier one."""
    drawn = chance.random()
    if biggest and drawn < 0.125:
        world.parent[number] = world.hub
    elif drawn < 0.225 and citable:
        world.parent[number] = citable[int(len(citable) * chance.random())]
    if world.parent[number] >= 0 and world.status(number) == "active":
        world.dependents[world.parent[number]] += 1


def _flag(world: World, number: int, documents: int, chance: random.Random) -> None:
    """Documents with an even number have a second version; what cites the first, and what rests on that, is flagged."""
    parent = world.parent[number]
    if parent >= 0 and world.root[parent] >= 0:
        world.root[number], world.depth[number] = world.root[parent], world.depth[parent] + 1
    elif number != world.hub and chance.random() < BY_DOCUMENT:
        world.root[number] = number
        world.source[number] = int(documents * chance.random() ** 3) // 2 * 2


def write_world(store: GraphStore, world: World) -> None:
    """Write it: documents and tasks through the library, the many records in bulk."""
    graph = Graph(store)
    world.sources = [
        write_source(graph, f"rules/{number:04d}.md", 2 - number % 2) for number in range(documents_of(world.size))
    ]
    for task in world.tasks:
        history = ConversationHistory(store, project_id=task.project, agent_id=writer.AUTHOR)
        if not history.create_task(task.name, "Answer what came in.").recorded:
            raise RuntimeError(f"{task} was not written")
    writer.events(store, {task.id: world.counts[number] + 1 for number, task in enumerate(world.tasks)})
    writer.write_all(store, writer.DECISIONS, (world.row(store.kind, number) for number in range(world.size)))
    writer.write_all(store, writer.LINKS, _links(world))
    writer.write_all(store, writer.REPLACED, _replaced(world))


def _links(world: World) -> Iterator[Row]:
    for number in range(world.size):
        if world.parent[number] >= 0:
            yield {"child": world.id(number), "parent": world.id(world.parent[number])}


def _replaced(world: World) -> Iterator[Row]:
    for number in range(24, world.size, 25):
        yield {"new": world.id(number), "old": world.id(number - 1)}
