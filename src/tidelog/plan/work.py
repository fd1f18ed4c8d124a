"""The work of an epoch, as a value.

Law: work is planned once and executed as a whole by a runtime; several partitions get the same work, each with its own
share of the facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidelog.kernel.cells import Cells
from tidelog.plan.term_types import Schema
from tidelog.program import Rule


@dataclass(frozen=True, slots=True)
class AdvisedOrders:
    """The orders that a `.plan` advises: by trigger, the places in the body of the atoms to visit after it."""

    orders: Mapping[int | None, tuple[int, ...]] = field(default_factory=dict)
    binding: bool = False


UNADVISED = AdvisedOrders()


@dataclass(frozen=True, slots=True)
class RuleForm:
    """A core rule to run, with the types of the relations that it names; every partition plans it separately.

    ``value_type`` is the type of the values that an aggregate rule folds.
    """

    rule: Rule
    schema: Schema
    value_type: str = "number"
    everywhere: bool = False  # fires on every partition, and each keeps the heads that it owns
    sends: bool = False  # may send messages to other partitions
    advised: AdvisedOrders = UNADVISED


@dataclass(frozen=True, slots=True)
class StageReference:
    """Rows that Spark tasks have sent to the partitions for an epoch: those of the attempts that reported."""

    relation: str
    arity: int
    stage: str
    attempts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArrivedRows:
    """The rows of the DataFrames of an epoch: those sent to the partitions, and those that arrived here, signed."""

    staged: tuple[StageReference, ...] = ()
    here: tuple[tuple[str, int, Cells], ...] = ()  # relation, sign, rows


@dataclass(frozen=True, slots=True)
class StrataChange:
    """How the strata change: ``groups`` of relations occupy the places ``first`` up to, but not including, ``last``.

    Lower strata come first. The strata of the ``dropped`` relations, which no longer have rules, are removed before
    places are counted. Without ``last`` the groups are all strata.
    """

    groups: tuple[frozenset[str], ...]
    first: int = 0
    last: int | None = None
    dropped: frozenset[str] = frozenset()


FORMER, MAPPED = "former_rows", "mapped_rows"  # the relations of the rule of a `ColumnMapping`


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """How the asserted facts of a relation get its new columns: a rule derives `MAPPED` from `FORMER`.

    The facts ``without`` are dropped. ``key`` are the columns of which the new facts share none.
    """

    form: RuleForm
    without: Cells
    key: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EpochWork:
    """The work to be done in an epoch.

    ``strata`` specifies which relations are evaluated together after the epoch, if that changes; relations without
    rules are alone. ``retyped`` rules keep their supports and get new plans, because types that they read have become
    known. ``renewed`` relations get other columns: all rules that name them are removed or added, and of their facts
    only the asserted ones are kept, mapped. A runtime that carries out the work once may free the rows to be inserted.
    """

    arities: Mapping[str, int] = field(default_factory=dict)
    inserts: dict[str, Cells] = field(default_factory=dict)
    deletes: Mapping[str, Cells] = field(default_factory=dict)
    added: tuple[RuleForm, ...] = ()
    removed: tuple[str, ...] = ()
    retyped: tuple[RuleForm, ...] = ()
    strata: StrataChange | None = None
    places: Mapping[str, int] = field(default_factory=dict)  # of the relations in ``arities``, with several partitions
    staged: tuple[StageReference, ...] = ()
    signed: Mapping[str, Sequence[tuple[int, Cells]]] = field(default_factory=dict)  # in addition to staged rows
    keys: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of base relations, for staged rows and signed
    renewed: Mapping[str, ColumnMapping | None] = field(default_factory=dict)
    is_question: bool = False  # what is read and rolled back; indexes that it needs are kept for the next one

    def with_sent(self, sent: ArrivedRows) -> EpochWork:
        """The work with the rows of DataFrames."""
        signed = {name: list(parts) for name, parts in self.signed.items()}
        for name, sign, rows in sent.here:
            signed.setdefault(name, []).append((sign, rows))
        return replace(self, staged=sent.staged, signed=signed)

    @property
    def changes_rules(self) -> bool:
        """Whether more than facts change."""
        return bool(self.added or self.removed or self.retyped or self.renewed) or self.strata is not None
