"""What commands refuse, by code: TL14xx files, TL30xx memory, TL48xx options and inputs, TL53xx state folders.

Law: a command that is refused has changed nothing.
"""

from __future__ import annotations

from tidelog.errors import DataError, EngineError, LimitError, StateError
from tidelog.errors.entry import FailureEntry

_PROGRAM = "$ printf 'n(1).' > p.dl\n"
_REPL = "tests/cli/test_repl.py"

NO_FACT_FILES = FailureEntry(
    "TL1401",
    DataError,
    "folder without fact files",
    "{folder} has no fact files",
    "`tidelog apply` takes files named after relations: edge.facts, edge.csv, edge.parquet.",
    "Check the folder and the names of its files.",
    _PROGRAM + "$ mkdir new\n$ tidelog run p.dl --state s --runtime embedded\n$ tidelog apply new --state s\n",
)
UNKNOWN_FILE = FailureEntry(
    "TL1402",
    DataError,
    "fact file of no relation",
    "{path}: unknown relation `{name}`; known: {known}",
    "A fact file is named after its relation.",
    "Rename the file, or take it out of the folder.",
    _PROGRAM + "$ mkdir new\n$ touch new/m.facts\n$ tidelog run p.dl --state s --runtime embedded\n"
    "$ tidelog apply new --state s\n",
)
NOT_EMPTY = FailureEntry(
    "TL1403",
    DataError,
    "folder that is not empty",
    "{out} is not empty; choose a new folder",
    "An export never overwrites anything.",
    "",
    _PROGRAM + "$ mkdir out\n$ touch out/letter.txt\n$ tidelog run p.dl --state s --runtime embedded\n"
    "$ tidelog export s out\n",
)
NOT_EXPORTED = FailureEntry(
    "TL1404",
    DataError,
    "export that cannot be written",
    "cannot write {out}: {error}",
    "An export is a folder with a program and files of facts.",
    "Check the folder, its permissions and the space left.",
    _PROGRAM + "$ touch file\n$ tidelog run p.dl --state s --runtime embedded\n$ tidelog export s file/out\n",
)
OUTSIDE = FailureEntry(
    "TL4880",
    EngineError,
    "file outside the folders of a sandbox",
    "the program names `{path}`, which lies outside {folders}",
    "In a sandbox a program reads and writes files beside it, in the folders of facts and of outputs, and in those "
    "allowed by `--allow`; links count as what they lead to.",
    "Move the file, allow its folder by `--allow`, or leave `--sandbox` out.",
    "$ printf '.decl n(a: number)\\n.input n(filename=\"/etc/n.facts\")\\n' > p.dl\n"
    "$ tidelog run p.dl --sandbox --runtime embedded\n",
)
OUT_OF_MEMORY = FailureEntry(
    "TL3082",
    LimitError,
    "command for which there is not enough memory",
    "there is not enough memory; nothing more was changed",
    "Facts and what is derived from them are held in memory, files while they are read, too.",
    "Bound it by `--limit-memory`, which tells what grows, or run it on Spark (`--runtime spark`).",
    test="tests/cli/test_run.py::test_memory_that_runs_out_is_told",
)
NEEDS_MORE = FailureEntry(
    "TL4801",
    EngineError,
    "command of the prompt without its argument",
    "`:{command}` needs more, as in `:{command} {example}`",
    "Commands of the prompt begin with a colon; some take an argument.",
    "`:help` shows what they take.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
NO_PERIOD = FailureEntry(
    "TL4802",
    EngineError,
    "input without a period",
    "rules and facts end with a period; nothing was changed",
    "An input goes on over several lines until its period.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
NO_COLON = FailureEntry(
    "TL4815",
    EngineError,
    "command without a colon",
    "commands begin with a colon: `:{name}`; a fact or rule ends with a period; nothing was changed",
    "What begins with a letter is a fact or a rule.",
    test=f"{_REPL}::test_a_bare_command_word_is_told_to_want_a_colon",
)
LATE_DECLARATION = FailureEntry(
    "TL4803",
    EngineError,
    "directive after rules and facts",
    "after rules and facts only relations, types and keys are declared; put the rest into a file and begin with "
    "`tidelog repl FILE`",
    "Directives other than declarations say what becomes of a whole program.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
UNKNOWN_COMMAND = FailureEntry(
    "TL4804",
    EngineError,
    "unknown command of the prompt",
    "unknown command `:{name}`; `:help` lists those there are",
    "Commands of the prompt begin with a colon.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
LOADED_DECLARATIONS = FailureEntry(
    "TL4805",
    EngineError,
    "file with declarations that is loaded at the prompt",
    "`{file}` has declarations; begin with it: `tidelog repl {file}`",
    "Declarations fix the types of relations before there are any facts.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
NOT_LOADED = FailureEntry(
    "TL4806",
    EngineError,
    "file that cannot be loaded at the prompt",
    "cannot read `{file}`: {reason}",
    "`:load` takes a file of rules and facts.",
    "Check the name of the file and its permissions.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
AT_WITHOUT_STATE = FailureEntry(
    "TL4807",
    EngineError,
    "epoch of no state folder",
    "--at reads an epoch of a state folder; give it with --state",
    "Old epochs are kept in state folders only.",
    "",
    _PROGRAM + "$ tidelog run p.dl --at 1\n",
)
AT_ONLY_READS = FailureEntry(
    "TL4808",
    EngineError,
    "change of an old epoch",
    "--at only reads; changes are applied to the last epoch, without --at",
    "A committed epoch does not change any more.",
    "",
    _PROGRAM + "$ printf '+n(2).' > c.dl\n$ tidelog run p.dl --state s --at 1 --changes c.dl\n",
)
CIRCUIT_STATE = FailureEntry(
    "TL4809",
    EngineError,
    "state folder of the circuit",
    "the circuit keeps no state; leave out --state, or use the engine",
    "`--algorithm circuit` shows the circuits of the theory; it keeps everything in memory.",
    "",
    _PROGRAM + "$ tidelog run p.dl --algorithm circuit --state s\n",
)
CIRCUIT_PLACE = FailureEntry(
    "TL4810",
    EngineError,
    "circuit on several partitions",
    "the circuit runs in this process, on one partition; say `--runtime embedded`",
    "`--algorithm circuit` shows the circuits of the theory; it runs in one process.",
    "",
    _PROGRAM + "$ tidelog run p.dl --algorithm circuit --runtime spark\n",
)
NO_LAB = FailureEntry(
    "TL4822",
    EngineError,
    "missing extension",
    "no installed package provides the algorithm `{algorithm}`",
    "Algorithms besides the engine are provided by packages with the entry point `tidelog.extensions`, such as "
    "`tidelog.lab`. A source tree that was not installed has no entry points.",
    "Install Tidelog with pip, or leave out `--algorithm`.",
    test="tests/cli/test_extensions.py::test_an_algorithm_without_its_extension_is_refused",
)
CIRCUIT_KEYS = FailureEntry(
    "TL4811",
    EngineError,
    "keys on the circuit",
    "the circuit keeps no keys (`materialize`), no `eqrel` and no `choice-domain`; run this program on the engine",
    "The circuit interprets positive Datalog, where a new row replaces nothing and facts are what is asserted.",
    "",
    "$ printf 'materialize(n, infinity, infinity, keys(1)).' > p.dl\n"
    "$ tidelog run p.dl --algorithm circuit --runtime embedded\n",
)
CIRCUIT_INSTANCES = FailureEntry(
    "TL4890",
    EngineError,
    "instances that come and go on the circuit",
    "instances of components come and go on the engine only",
    "The circuit takes the program as it was read; scripts change its facts and rules.",
    "Leave `--algorithm circuit` out.",
    "$ printf '.comp C { .decl p(x: number) }\\n.init c = C\\n.output c.p' > p.dl\n"
    "$ printf -- '- .init c.' > c.txt\n"
    "$ tidelog run p.dl --changes c.txt --algorithm circuit --runtime embedded\n",
)
CIRCUIT_PREVIEW = FailureEntry(
    "TL4895",
    EngineError,
    "preview on the circuit",
    "`preview.` tries an epoch out on the engine only",
    "The circuit rolls nothing back.",
    "Leave `--algorithm circuit` out, or write `commit.`.",
    "$ printf 'p(X) :- q(X).\\n' > p.dl\n"
    "$ printf -- '+q(1). preview.' > c.txt\n"
    "$ tidelog run p.dl --changes c.txt --algorithm circuit --runtime embedded\n",
)
SPARK_OPTION = FailureEntry(
    "TL4812",
    EngineError,
    "option about Spark without Spark",
    "{option} is about Spark, and this run is embedded; leave it out, or say `--runtime spark`",
    "An embedded run uses no Spark.",
    "",
    _PROGRAM + "$ tidelog run p.dl --runtime embedded --master local[2]\n",
)
UNKNOWN_MASTER = FailureEntry(
    "TL4813",
    EngineError,
    "master that is not known",
    "--master {master}: {host} is not known here ({reason})",
    "Executors reach the driver at the address of this machine towards the master.",
    "Check the name of the host.",
    test="tests/cli/test_run.py::test_master_that_is_not_known_is_told",
)
FACTS_WITHOUT_PROGRAM = FailureEntry(
    "TL4814",
    EngineError,
    "facts of no program",
    "`-F` gives the facts of a PROGRAM; name the program too",
    "`tidelog verify` checks a state against itself, or against a program with its facts.",
    "",
    _PROGRAM + "$ tidelog run p.dl --state s --runtime embedded\n$ tidelog verify s -F .\n",
)
BINARY_ANSWERS = FailureEntry(
    "TL4819",
    EngineError,
    "answers that no terminal can show",
    "--format {form} is for another program: add `> answers.{form}`, or a pipe",
    "Parquet and Arrow are bytes, not text.",
    "Leave --format out to see a table.",
    test="tests/cli/test_query.py::test_bytes_are_not_written_to_a_terminal",
)
ONLY_ASKED = FailureEntry(
    "TL4816",
    EngineError,
    "change of a state folder that is asked",
    "{state} is asked at epoch {epoch} and not changed; `:open {state} write` opens it to be changed, "
    "`tidelog run --state` and `tidelog apply` change it too",
    "`tidelog query`, `why` and `repl` read one committed epoch of a state folder.",
    "",
    test="tests/cli/test_query.py::test_a_state_is_not_changed_at_the_prompt",
)
NEEDS_STATE = FailureEntry(
    "TL4817",
    EngineError,
    "epoch of no state folder at the prompt",
    "`:at` goes to another epoch of a state folder; begin with `tidelog repl --state DIR`, or `:open DIR`",
    "Old epochs are kept in state folders only.",
    test="tests/cli/test_query.py::test_the_prompt_goes_to_other_epochs",
)
NO_EPOCH_NUMBER = FailureEntry(
    "TL4818",
    EngineError,
    "epoch at the prompt that is no number",
    "`{text}` is no epoch; write its number, as in `:at 3`, or `:at -1` for the last",
    "Epochs are numbered from 1; `tidelog log` lists those that a state folder keeps.",
    test="tests/cli/test_query.py::test_the_prompt_goes_to_other_epochs",
)
NOT_A_CHANGE = FailureEntry(
    "TL4840",
    EngineError,
    "dry run of what is no change",
    "`:dry` takes a change, and `{text}` is none",
    "A dry run tells what facts, rules and retractions would change.",
    "Write a fact or a rule with its period, as in `:dry edge(1, 2).`",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
NOT_WRITTEN = FailureEntry(
    "TL4841",
    EngineError,
    "file that cannot be written at the prompt",
    "cannot write `{file}`: {reason}",
    "`:save` and `:graph` write one file.",
    "Check the name of the file, its folder and its permissions.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
FILE_EXISTS = FailureEntry(
    "TL4842",
    EngineError,
    "file that is there already",
    "`{file}` is there already, and was neither loaded nor saved in this session; choose another name",
    "What a session did not make it does not overwrite.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
OPENED_HOW = FailureEntry(
    "TL4843",
    EngineError,
    "state folder opened in an unknown way",
    "`:open STATE` asks a state folder, `:open STATE write` changes it; there is no `{how}`",
    "A state folder is asked, or changed by one process.",
    "Leave the word out, or write `write`.",
    test=f"{_REPL}::test_wrong_input_is_told_and_changes_nothing",
)
NOT_AN_ENGINE = FailureEntry(
    "TL4844",
    EngineError,
    "engine of a notebook that is none",
    "`{name}` is {found}; `%tidelog use NAME` takes a variable that holds an Engine",
    "A notebook has one engine; `%tidelog use` gives it another.",
    "Make one first: `db = Engine(...)`.",
    test="tests/notebook/test_magics.py::test_only_an_engine_is_taken",
)
NO_STATE_AT = FailureEntry(
    "TL5301",
    StateError,
    "epoch of a folder without a state",
    "{state} holds no state, so there is no epoch {epoch} to read",
    "An epoch can be read where a state was made.",
    "Check the name of the folder, or leave out --at to make a state there.",
    _PROGRAM + "$ tidelog run p.dl --state s --at 1\n",
)
NO_STATE = FailureEntry(
    "TL5303",
    StateError,
    "command on a folder without a state",
    "{place} holds no state; `tidelog run PROGRAM --state {place}` makes one",
    "Commands on states take the folder that `--state` named.",
    "",
    "$ tidelog log nowhere\n",
)

NO_OUTPUTS = FailureEntry(
    "TL4831",
    EngineError,
    "`--outputs-only` without outputs",
    "`--outputs-only` evaluates what outputs ask for, and the program has none",
    "Outputs are the relations that `.output` and `.printsize` name.",
    "Add `.output` for the relations that are wanted, or leave the option out.",
    _PROGRAM + "$ tidelog run p.dl --outputs-only\n",
)

NO_FUNCTIONS = FailureEntry(
    "TL1410",
    DataError,
    "file of functions that cannot be loaded",
    "cannot load functions from {path}: {error}",
    "`--functions` takes a Python file, which is run once.",
    "Correct the file.",
    _PROGRAM + "$ tidelog run p.dl --functions none.py\n",
)

LAYOUT_NOT_KEPT = FailureEntry(
    "TL4720",
    EngineError,
    "layout that would mean something else",
    "{file}: its layout would not be read as the same program; left alone",
    "`tidelog format` moves words to other lines and changes nothing else, which it checks by reading its layout. A "
    "text that asks for its own line numbers (`__LINE__`), or that is a part of another program and can be read in "
    "either convention, may change by that.",
    "Say how the text is to be read with --convention, or write the line number as a number.",
    "$ printf 'p(__LINE__).\\n\\n\\n\\np(__LINE__).' > p.dl\n$ tidelog format p.dl\n",
)
NOTHING_TO_FORMAT = FailureEntry(
    "TL4721",
    EngineError,
    "folder without programs",
    "{folder} holds no program: no file in it ends in `.dl`",
    "A folder that is given to `tidelog format` stands for the programs in it and below it.",
    "Name the files themselves if they have other names.",
    "$ mkdir empty\n$ tidelog format empty\n",
)
NOT_FORMATTED = FailureEntry(
    "TL4722",
    EngineError,
    "program that cannot be written",
    "cannot write {file}: {reason}",
    "`tidelog format` puts a layout in the place of the file.",
    "Check the permissions of the file and its folder, or format the standard input (`-`).",
    test="tests/cli/test_format.py::test_a_file_that_cannot_be_written_is_told",
)
NO_EDITOR_EXTRA = FailureEntry(
    "TL4723",
    EngineError,
    "language server without its packages",
    "`tidelog lsp` needs a package that is not installed: {missing}",
    "The language server is an extra: an engine needs no editor.",
    "Install it with `pip install 'tidelog[editor]'`.",
    test="tests/cli/test_lsp.py::test_what_is_missing_is_told",
)

ENTRIES = (
    NO_FACT_FILES,
    UNKNOWN_FILE,
    NOT_EMPTY,
    NOT_EXPORTED,
    NEEDS_MORE,
    NO_PERIOD,
    NO_COLON,
    LATE_DECLARATION,
    UNKNOWN_COMMAND,
    LOADED_DECLARATIONS,
    NOT_LOADED,
    AT_WITHOUT_STATE,
    AT_ONLY_READS,
    CIRCUIT_STATE,
    CIRCUIT_PLACE,
    NO_LAB,
    CIRCUIT_KEYS,
    CIRCUIT_INSTANCES,
    CIRCUIT_PREVIEW,
    SPARK_OPTION,
    UNKNOWN_MASTER,
    FACTS_WITHOUT_PROGRAM,
    BINARY_ANSWERS,
    ONLY_ASKED,
    NEEDS_STATE,
    NO_EPOCH_NUMBER,
    NOT_A_CHANGE,
    NOT_WRITTEN,
    FILE_EXISTS,
    OPENED_HOW,
    NOT_AN_ENGINE,
    NO_STATE_AT,
    NO_STATE,
    NO_OUTPUTS,
    NO_FUNCTIONS,
    LAYOUT_NOT_KEPT,
    NOTHING_TO_FORMAT,
    NOT_FORMATTED,
    NO_EDITOR_EXTRA,
    OUTSIDE,
    OUT_OF_MEMORY,
)
