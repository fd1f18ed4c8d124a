"""Text to program and back: the language of Tidelog."""

from tidelog.syntax.catalogue import SYNTAX_CODES
from tidelog.syntax.changes import (
    Change,
    Epoch,
    FactChange,
    InstanceAdded,
    InstanceRemoved,
    RuleAdded,
    RuleRemoved,
    parse_changes,
    parse_changes_file,
    print_change,
    print_changes,
    read_changes,
)
from tidelog.syntax.fragments import (
    parse_atom,
    parse_fact,
    parse_ground_atom,
    parse_instance,
    parse_query,
    parse_rule,
    parse_rules,
)
from tidelog.syntax.path_printer import print_path
from tidelog.syntax.printer import (
    print_atom,
    print_fact,
    print_label,
    print_literal,
    print_program,
    print_rule,
    print_term,
)
from tidelog.syntax.reader import parse_file, parse_program, read_file, read_program

__all__ = [
    "SYNTAX_CODES",
    "Change",
    "Epoch",
    "FactChange",
    "InstanceAdded",
    "InstanceRemoved",
    "RuleAdded",
    "RuleRemoved",
    "parse_atom",
    "parse_changes",
    "parse_changes_file",
    "parse_fact",
    "parse_file",
    "parse_ground_atom",
    "parse_instance",
    "parse_program",
    "parse_query",
    "parse_rule",
    "parse_rules",
    "print_atom",
    "print_change",
    "print_changes",
    "print_fact",
    "print_label",
    "print_literal",
    "print_path",
    "print_program",
    "print_rule",
    "print_term",
    "read_changes",
    "read_file",
    "read_program",
]
