"""Turn the changes that an epoch has collected into the work that a runtime carries out, stage by stage.

Law: preparing changes neither the engine nor the epoch; errors in an epoch are found here, or while it runs.
`EVERY_STAGE` prepares any epoch; the stages that an epoch of plain rows needs are determined when the rules change
(`stages`). Rows of Python become cells; rows of DataFrames stay where they are, except in relations whose rows with one
key may have several owners: those are read into this process, where their keys can be checked as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.facts import collected_types, learn
from tidelog.engine.core.core import Core
from tidelog.engine.read.report import row_text
from tidelog.engine.write.column_change import ColumnChange, check_renewed, column_mappings, renewed_storage
from tidelog.engine.write.epoch import CollectedChanges
from tidelog.engine.write.expiry import Expiry, concerned, govern, hidden_types
from tidelog.engine.write.origins import Facts, Namer, SignedRows, remember
from tidelog.io.match_names import other_names
from tidelog.io.nulls import InputReport, NullCounts
from tidelog.io.rows import Data, encode_rows, order_columns, without_nulls
from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import net_rows
from tidelog.partition.memory.keys import KeyClash, base_keys, keyed_elsewhere, replace_by_key
from tidelog.plan.ruleset import Ruleset, Schema
from tidelog.plan.work import EpochWork
from tidelog.program import Program
from tidelog.program.graph.asserted_facts import users_name
from tidelog.program.graph.choice import split_relations
from tidelog.program.values.schema import numbered_columns
from tidelog.program.values.shape import Shape, same_parts
from tidelog.rewrite.names import is_auxiliary
from tidelog.runtime.protocol.runtime import DirectRows
from tidelog.spark.arrivals import learn_arrivals


@dataclass(slots=True)
class Draft:
    """An epoch between two stages of its preparation."""

    collected: CollectedChanges
    rules: Ruleset  # after the epoch, as far as known
    changed: Ruleset | None = None  # after the epoch, before rows add types
    facts: Facts = ()  # that pass through this process
    arriving: tuple[DirectRows, ...] = ()  # rows that go to the partitions directly
    moves: tuple[tuple[str, str], ...] = ()  # asserted facts that are kept elsewhere from now on
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # that tables brought
    signed: SignedRows = field(default_factory=dict)
    ends: SignedRows = field(default_factory=dict)  # given with inserted rows
    beside: SignedRows = field(default_factory=dict)  # rows of relations that also get DataFrames
    inserts: dict[str, Cells] = field(default_factory=dict)
    deletes: dict[str, Cells] = field(default_factory=dict)
    expiry: Expiry | None = None
    met: InputReport | None = None
    work: EpochWork | None = None

    @property
    def mixed(self) -> frozenset[str]:
        """The relations that get rows of both kinds, or only of DataFrames; they are summed where the rows arrive."""
        return frozenset(frame.relation for frame in self.arriving)

    def nulls(self) -> dict[str, NullCounts]:
        """The nulls that were skipped or replaced, by relation; those of DataFrames are known after the run."""
        if self.met is None:
            return {}
        for frame in self.arriving:
            if frame.count_nulls is not None:
                self.met.count(users_name(frame.relation) or frame.relation, frame.count_nulls())
        return self.met.nulls


@dataclass(frozen=True, slots=True)
class PreparedEpoch:
    """The rule set after an epoch, the work that leads there, and the draft with what its stages found."""

    rules: Ruleset
    work: EpochWork
    draft: Draft

    @property
    def arriving(self) -> tuple[DirectRows, ...]:
        """The rows that go to the partitions directly."""
        return self.draft.arriving


Stage = Callable[[Core, Draft], None]


def prepare(core: Core, collected: CollectedChanges, stages: Sequence[Stage]) -> PreparedEpoch:
    """The work of an epoch."""
    draft = Draft(collected, core.rules)
    for stage in stages:
        stage(core, draft)
    assert draft.work is not None
    return PreparedEpoch(draft.rules, draft.work, draft)


def gather_structures(core: Core, draft: Draft) -> None:
    """Read rows of DataFrames that hold records or algebraic values, or that expire, into this process."""
    collected = draft.collected
    if not collected.arrivals:
        return
    rules = _rules_after(core, draft)
    lasting = [
        a for a in collected.arrivals if a.relation not in rules.retentions and a.relation not in core.times.governed
    ]
    there = [a for a in lasting if not any(isinstance(t, Shape) for t in rules.schema.get(a.relation, ()))]
    here = [part for a in collected.arrivals if a not in there for part in a.collected()]
    if here:
        draft.collected = replace(collected, facts=[*collected.facts, *here], arrivals=there)


def read_columns(core: Core, draft: Draft) -> None:
    """Find the rules after the epoch, its rows with columns in the order of their relations, and the new types."""
    collected = draft.collected
    rules = _rules_after(core, draft)
    gone = frozenset[str]() if collected.program is None else core.rules.declared - rules.declared
    _refuse_other_meanings(core.rules, rules)
    given = _storage_names(core.rules, rules, gone)
    moves = _moves(core.rules, rules, gone)
    rows = [(sign, name, data) for sign, name, data in collected.facts if data.length]
    after = rules
    namer = Namer(rules, lambda name: core.columns(name, core.rules if name in gone else after))
    met = InputReport()
    ordered = [
        (sign, name, _ordered(data, namer, name, rules.schema.get(given(name)), met)) for sign, name, data in rows
    ]
    draft.facts = [(sign, given(name), data) for sign, name, data in ordered if data.length]
    staying = [(sign, given(name), data) for sign, name, data in ordered if data.length and name not in gone]
    rules = _learning(_taking_types(rules, moves, core.schema), *learn(staying, rules.schema))
    arrivals = [replace(arrival, relation=given(arrival.relation)) for arrival in collected.arrivals]
    arriving, bound, known = learn_arrivals(arrivals, rules.schema, namer, namer.meet)
    for frame in arriving:
        met.ignore(users_name(frame.relation) or frame.relation, frame.ignored)
    draft.rules = _learning(rules, bound, known)
    draft.arriving, draft.moves, draft.names, draft.met = tuple(arriving), moves, namer.in_use(), met


def gather_keyed(core: Core, draft: Draft) -> None:
    """Read DataFrames whose rows with one key may have several owners into this process."""
    collected, apart = draft.collected, _keys_elsewhere(core, draft)
    if apart:
        arrivals = [arrival for arrival in collected.arrivals if arrival.relation not in apart]
        found = [part for arrival in collected.arrivals if arrival.relation in apart for part in arrival.collected()]
        draft.collected = replace(collected, facts=[*collected.facts, *found], arrivals=arrivals)
        read_columns(core, draft)


def take_rows(core: Core, draft: Draft) -> None:
    """Accept rows of Python for relations whose columns are known: they add no information."""
    draft.facts = [fact for fact in draft.collected.facts if fact[2].length]


def encode(core: Core, draft: Draft) -> None:
    """The rows of this process as cells, by relation."""
    dictionary, signed = core.dictionary, draft.signed
    for sign, name, data in draft.facts:
        schema = draft.rules.schema if name in draft.rules.schema else core.schema  # a removed one has facts
        types = [t or "number" for t in schema[name]]
        signed.setdefault(name, []).append((sign, encode_rows(name, data, types, dictionary)))
    for source, target in draft.moves:
        cells, *_, bases = core.runtime.facts.counts(source)
        for sign, name in ((-1, source), (1, target)):
            signed.setdefault(name, []).append((sign, cells[bases]))


def remember_origins(core: Core, draft: Draft) -> None:
    """Add the names and types in the data to the rules."""
    draft.rules = remember(
        core.rules, draft.rules, draft.facts, draft.signed, draft.arriving, draft.names, core.dictionary
    )


def note_expiries(core: Core, draft: Draft) -> None:
    """The ends that were given with inserted rows; only asserted facts have any."""
    if all(data.until is None for _, _, data in draft.facts):
        return
    places: dict[str, int] = {}
    heads = {rule.head.predicate for rule in draft.rules.program.rules}
    for _, name, data in draft.facts:
        place = places[name] = places.get(name, -1) + 1
        if data.until is not None:
            if name in heads or name in draft.rules.asserted_elsewhere.values():
                raise failures.UNTIL_DERIVED.error(name=users_name(name) or name)
            draft.ends.setdefault(name, []).append((data.until, draft.signed[name][place][1]))


def sum_signs(core: Core, draft: Draft) -> None:
    """The net changes (D3); those of relations that also get DataFrames are summed where these arrive."""
    if draft.arriving:
        draft.beside = {name: draft.signed.pop(name, []) for name in draft.mixed}
    draft.inserts, draft.deletes = net_rows(draft.signed)
    draft.signed = {}


def replace_keys(core: Core, draft: Draft) -> None:
    """An inserted row replaces the one that has its key (D9)."""
    keys = base_keys(draft.rules.program)
    for name in renewed_storage(draft.collected.columns, core.rules, draft.rules):
        keys.pop(name, None)  # mapped facts are compared where they are
    try:
        replace_by_key(keys, core.runtime.facts.rows_with_keys, draft.inserts, draft.deletes)
    except KeyClash as clash:
        raise clash.as_error(row_text(core, draft.rules)) from None


def expire(core: Core, draft: Draft) -> None:
    """Facts that end by the time of the epoch are deleted in it."""
    timeless, rules = draft.collected.timeless, draft.rules
    moment = core.times.now if timeless else core.times.of_epoch(draft.collected.at)
    names = [] if timeless else concerned(core, rules, moment, draft.ends, (*draft.inserts, *draft.deletes))
    draft.rules = _learning(rules, *hidden_types(rules, names, moves=moment != core.times.now))
    draft.expiry = govern(core, draft.rules, moment, names, draft.ends, draft.inserts, draft.deletes)


def plan(core: Core, draft: Draft) -> None:
    """The work that leads from the rules before the epoch to those after it."""
    mixed = draft.mixed
    columns = column_mappings(core, draft.rules, draft.collected.columns) if draft.collected.columns else {}
    draft.rules = draft.rules.holding([*draft.inserts, *mixed, *(name for name in columns if columns[name])])
    work = core.planner.work(core.rules, draft.rules, draft.inserts, draft.deletes, columns=columns)
    if work.renewed:
        check_renewed(core, draft.rules, work)
    _refuse_other_shapes(core, draft.rules, work)
    if mixed:
        keys = base_keys(draft.rules.program)
        work = replace(work, signed=draft.beside, keys={name: keys[name] for name in mixed if name in keys})
    draft.work = work


def plan_rows(core: Core, draft: Draft) -> None:
    """The work if only rows change, in relations that the partitions have."""
    draft.work = EpochWork(inserts=draft.inserts, deletes=draft.deletes)


EVERY_STAGE: tuple[Stage, ...] = (
    gather_structures,
    read_columns,
    gather_keyed,
    encode,
    remember_origins,
    note_expiries,
    sum_signs,
    replace_keys,
    expire,
    plan,
)


def _ordered(data: Data, names: Namer, relation: str, types: Sequence[str | None] | None, met: InputReport) -> Data:
    """Columns in the order of the relation, with nulls handled according to the policy.

    A relation whose columns have no names adopts those of the first table.
    """
    own = names(relation)
    found = order_columns(data, own, relation)
    if found is not data and data.names is not None:
        met.ignore(relation, other_names(own, data.names))
    names.meet(relation, data.names)
    if data.nulls is None:
        return found
    width = len(found.columns)
    called = names(relation) or numbered_columns(width)
    found, counts = without_nulls(found, called, types or (None,) * width, relation)
    met.count(relation, counts)
    return found


def _storage_names(before: Ruleset, after: Ruleset, removed: frozenset[str]) -> Callable[[str], str]:
    """The relations in which the asserted facts of a relation are or were kept: some have a separate relation."""
    former = {name: to for name, to in before.asserted_elsewhere.items() if name in removed}
    elsewhere = {**after.asserted_elsewhere, **former}
    return lambda name: elsewhere.get(name, name)


def _refuse_other_meanings(before: Ruleset, after: Ruleset) -> None:
    """Refuse to change the structure of relations with facts, or the place where these facts are kept."""
    if before.program.declarations is after.program.declarations and before.program.types is after.program.types:
        return
    for name in sorted(after.known.keys() & before.schema.keys() & after.schema.keys()):
        for one, other in zip(before.schema[name], after.schema[name], strict=False):
            if isinstance(one, Shape) and isinstance(other, Shape) and not same_parts(one, other):
                raise failures.MEANT_OTHERWISE.error(name=users_name(name) or name)
    old, new = split_relations(before.program), split_relations(after.program)
    for name in sorted(old.keys() ^ new.keys()):
        if after.known.keys() & {name, old.get(name), new.get(name)}:
            raise failures.MEANT_OTHERWISE.error(name=name)


def _moves(before: Ruleset, after: Ruleset, gone: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """The places of asserted facts before and after an epoch that adds a first clause or removes a last one."""
    if before.program.rules is after.program.rules and before.program.declarations is after.program.declarations:
        return ()
    old, new = before.asserted_elsewhere, after.asserted_elsewhere
    pairs = ((old.get(name, name), new.get(name, name)) for name in sorted({*old, *new} - gone))
    return tuple((source, target) for source, target in pairs if source != target and source in before.known)


def _taking_types(rules: Ruleset, moves: Sequence[tuple[str, str]], schema: Schema) -> Ruleset:
    """The rule set in which facts that move keep their types."""
    bound = {(to, i): t for source, to in moves for i, t in enumerate(schema[source]) if t is not None}
    return _learning(rules, bound, {to: len(schema[source]) for source, to in moves})


def _rules_after(core: Core, draft: Draft) -> Ruleset:
    """The rules after the epoch, before its rows add types; they are checked once, however many stages ask."""
    if draft.changed is None:
        draft.changed = _changed_rules(core.rules, draft.collected)
    return draft.changed


def _changed_rules(rules: Ruleset, collected: CollectedChanges) -> Ruleset:
    if collected.program is not None:
        after = replace(collected.program, rules=rules.program.rules, facts=())
        rules = rules.declaring(after, _renewed_names(rules, after, collected.columns))
    if not collected.changes_rules:
        return rules
    learnt = collected_types(collected.facts, {*rules.schema, *rules.declared}) if collected.added else ({}, {})
    whole = collected.program is not None
    return rules.changed(collected.added, collected.removed, *learnt, whole=whole, checked=collected.checked)


def _renewed_names(rules: Ruleset, after: Program, changes: Sequence[ColumnChange]) -> list[str]:
    """The relations whose columns change, and those that keep their asserted facts."""
    names = [change.after.relation for change in changes if not change.keeps_facts(rules.program, after)]
    return [*names, *(rules.asserted_elsewhere[name] for name in names if name in rules.asserted_elsewhere)]


def _learning(rules: Ruleset, bound: Mapping[tuple[str, int], str], known: Mapping[str, int]) -> Ruleset:
    """The rule set with the types and relations that data introduces."""
    return rules.changed(bound=bound, known=known) if bound or known else rules


def _keys_elsewhere(core: Core, draft: Draft) -> set[str]:
    """The relations that get DataFrames and whose rows with one key may have several owners."""
    keys = base_keys(draft.rules.program) if draft.arriving else {}
    keyed = {name: keys[name] for name in draft.mixed if name in keys}
    if not keyed:
        return set()
    rules = draft.rules.holding([*(name for _, name, _ in draft.facts), *draft.mixed])
    return keyed_elsewhere(keyed, core.planner.placing.next_form(rules).places)


def _refuse_other_shapes(core: Core, rules: Ruleset, work: EpochWork) -> None:
    """Refuse a rule whose hidden relation still holds facts of another rule with its label and other columns."""
    names = work.arities.keys() - work.renewed.keys()
    held = {name for name in names if is_auxiliary(name) and core.runtime.facts.live(name)}
    for rule in rules.core.values() if held else ():
        if rule.head.predicate in held:
            raise failures.OTHER_SHAPE.error(label=rule.users_label)
