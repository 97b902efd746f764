"""What was measured of one operation, beside its goal."""

from dataclasses import dataclass, field

from bench.measure import Side


@dataclass(frozen=True)
class Goal:
    """One thing to reach. ``met`` is None where it could not be measured."""

    text: str
    met: bool | None
    found: str


@dataclass
class Figure:
    """One row of the table.

    Attributes:
        ours, peer, bare: What the three sides took; "" where a side was not measured.
        cpu: Of the server, a call, in the same order.
        statements: Of ours and of agentic-graphrag, a call.
    """

    operation: str
    ours: str
    peer: str = ""
    bare: str = ""
    statements: str = ""
    cpu: str = ""
    goals: list[Goal] = field(default_factory=list)
    note: str = ""


def milliseconds(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def at_least(value: float, goal: float, what: str) -> Goal:
    return Goal(f"≥ {goal:g} {what}", value >= goal, f"{value:.2f}" if value < 10 else f"{value:.0f}")


def at_most(value: float, goal: float, what: str) -> Goal:
    return Goal(f"≤ {goal:g} {what}", value <= goal, f"{value:.2f}" if value < 10 else f"{value:.0f}")


def figure_of(operation: str, sides: dict[str, Side], goals: list[Goal], *, rates: bool = False) -> Figure:
    """A row from the sides that were measured together: ours, agrag and bare."""

    def clock(name: str) -> str:
        side = sides.get(name)
        if side is None:
            return ""
        return f"{milliseconds(side.median_ms)} ms" + (f", {side.rate:,.0f}/s" if rates else "")

    measured = [name for name in ("ours", "agrag", "bare") if name in sides]
    return Figure(
        operation,
        ours=clock("ours"),
        peer=clock("agrag"),
        bare=clock("bare"),
        statements=" / ".join(f"{sides[name].statements:.3g}" for name in measured if name != "bare"),
        cpu=" / ".join(milliseconds(sides[name].cpu_ms) for name in measured),
        goals=goals,
    )
