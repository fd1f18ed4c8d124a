"""Errors of commands, by code: TL14xx files, TL30xx memory, TL48xx options and inputs, TL53xx state folders.

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
    "`tidelog apply` reads files named after relations: edge.facts, edge.csv, edge.parquet.",
    "Check the folder and the file names.",
    _PROGRAM + "$ mkdir new\n$ tidelog run p.dl --state s --runtime embedded\n$ tidelog apply new --state s\n",
)
UNKNOWN_FILE = FailureEntry(
    "TL1402",
    DataError,
    "fact file for an unknown relation",
    "{path}: unknown relation `{name}`; known: {known}",
    "A fact file is named after its relation.",
    "Rename the file, or remove it from the folder.",
    _PROGRAM + "$ mkdir new\n$ touch new/m.facts\n$ tidelog run p.dl --state s --runtime embedded\n"
    "$ tidelog apply new --state s\n",
)
NOT_EMPTY = FailureEntry(
    "TL1403",
    DataError,
    "folder is not empty",
    "{out} is not empty; choose a new folder",
    "An export never overwrites files.",
    "",
    _PROGRAM + "$ mkdir out\n$ touch out/letter.txt\n$ tidelog run p.dl --state s --runtime embedded\n"
    "$ tidelog export s out\n",
)
NOT_EXPORTED = FailureEntry(
    "TL1404",
    DataError,
    "cannot write the export",
    "cannot write {out}: {error}",
    "An export is a folder with a program and fact files.",
    "Check the folder, its permissions and the free space.",
    _PROGRAM + "$ touch file\n$ tidelog run p.dl --state s --runtime embedded\n$ tidelog export s file/out\n",
)
OUTSIDE = FailureEntry(
    "TL4880",
    EngineError,
    "file outside the sandbox",
    "the program refers to `{path}`, which is outside {folders}",
    "In a sandbox a program may access files in its own folder, in the folders of facts and outputs, and in folders "
    "given with `--allow`. Symbolic links are resolved.",
    "Move the file, add its folder with `--allow`, or omit `--sandbox`.",
    "$ printf '.decl n(a: number)\\n.input n(filename=\"/etc/n.facts\")\\n' > p.dl\n"
    "$ tidelog run p.dl --sandbox --runtime embedded\n",
)
OUT_OF_MEMORY = FailureEntry(
    "TL3082",
    LimitError,
    "out of memory",
    "not enough memory; nothing more was changed",
    "Facts, derived facts and files being read are held in memory.",
    "Set `--limit-memory`, which reports what grows, or use Spark (`--runtime spark`).",
    test="tests/cli/test_run.py::test_memory_that_runs_out_is_reported",
)
NEEDS_MORE = FailureEntry(
    "TL4801",
    EngineError,
    "missing argument",
    "`:{command}` needs an argument, as in `:{command} {example}`",
    "Prompt commands start with a colon; some take an argument.",
    "`:help` lists the commands and their arguments.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
NO_PERIOD = FailureEntry(
    "TL4802",
    EngineError,
    "missing period",
    "rules and facts end with a period; nothing was changed",
    "Input continues over several lines until a period.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
NO_COLON = FailureEntry(
    "TL4815",
    EngineError,
    "missing colon",
    "commands start with a colon: `:{name}`; facts and rules end with a period; nothing was changed",
    "Input that starts with a letter is a fact or a rule.",
    test=f"{_REPL}::test_a_command_word_without_a_colon_is_reported",
)
LATE_DECLARATION = FailureEntry(
    "TL4803",
    EngineError,
    "directive after rules and facts",
    "after rules and facts, only relations, types and keys can be declared; put other directives into a file "
    "and start with `tidelog repl FILE`",
    "Directives other than declarations apply to a whole program.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
UNKNOWN_COMMAND = FailureEntry(
    "TL4804",
    EngineError,
    "unknown prompt command",
    "unknown command `:{name}`; `:help` lists the commands",
    "Prompt commands start with a colon.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
LOADED_DECLARATIONS = FailureEntry(
    "TL4805",
    EngineError,
    "loading a file with declarations",
    "`{file}` contains declarations; start with it: `tidelog repl {file}`",
    "Declarations fix the types of relations before there are facts.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
APPLY_OPTION = FailureEntry(
    "TL4899",
    EngineError,
    "invalid option of `:apply`",
    "`:apply` does not accept `{found}`{reason}",
    "After the file, each option is followed by its value. Values with blanks are quoted.",
    "Write `:apply edited.dl --column 'p.name=cat(first, last)' --drop-column p.age`.",
    test=f"{_REPL}::test_an_edited_program_is_applied_at_the_prompt",
)
NOT_LOADED = FailureEntry(
    "TL4806",
    EngineError,
    "cannot read the file",
    "cannot read `{file}`: {reason}",
    "`:load` reads a file of rules and facts.",
    "Check the file name and the permissions.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
AT_WITHOUT_STATE = FailureEntry(
    "TL4807",
    EngineError,
    "--at without --state",
    "--at reads an epoch of a state folder; add --state",
    "Only state folders keep old epochs.",
    "",
    _PROGRAM + "$ tidelog run p.dl --at 1\n",
)
AT_ONLY_READS = FailureEntry(
    "TL4808",
    EngineError,
    "changes to an old epoch",
    "--at is read-only; omit it to apply changes to the last epoch",
    "Committed epochs cannot be changed.",
    "",
    _PROGRAM + "$ printf '+n(2).' > c.dl\n$ tidelog run p.dl --state s --at 1 --changes c.dl\n",
)
CIRCUIT_STATE = FailureEntry(
    "TL4809",
    EngineError,
    "state folder with the circuit",
    "the circuit does not support --state; omit it, or use the engine",
    "`--algorithm circuit` demonstrates the circuits of the theory and keeps everything in memory.",
    "",
    _PROGRAM + "$ tidelog run p.dl --algorithm circuit --state s\n",
)
CIRCUIT_PLACE = FailureEntry(
    "TL4810",
    EngineError,
    "circuit on several partitions",
    "the circuit runs in one process on one partition; use `--runtime embedded`",
    "`--algorithm circuit` demonstrates the circuits of the theory in one process.",
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
    "Install Tidelog with pip, or omit `--algorithm`.",
    test="tests/cli/test_extensions.py::test_an_algorithm_without_its_extension_is_refused",
)
CIRCUIT_KEYS = FailureEntry(
    "TL4811",
    EngineError,
    "feature not supported by the circuit",
    "the circuit does not support keys (`materialize`), `eqrel` or `choice-domain`; run this program on the engine",
    "On the circuit, new rows never replace existing ones, and a relation contains exactly its asserted and derived "
    "facts.",
    "",
    "$ printf 'materialize(n, infinity, infinity, keys(1)).' > p.dl\n"
    "$ tidelog run p.dl --algorithm circuit --runtime embedded\n",
)
CIRCUIT_INSTANCES = FailureEntry(
    "TL4890",
    EngineError,
    "instances changed on the circuit",
    "only the engine can add and remove instances of components",
    "With the circuit, scripts change facts and rules only.",
    "Omit `--algorithm circuit`.",
    "$ printf '.comp C { .decl p(x: number) }\\n.init c = C\\n.output c.p' > p.dl\n"
    "$ printf -- '- .init c.' > c.txt\n"
    "$ tidelog run p.dl --changes c.txt --algorithm circuit --runtime embedded\n",
)
CIRCUIT_PREVIEW = FailureEntry(
    "TL4895",
    EngineError,
    "preview on the circuit",
    "`preview.` works on the engine only",
    "The circuit cannot roll back an epoch.",
    "Omit `--algorithm circuit`, or write `commit.`.",
    "$ printf 'p(X) :- q(X).\\n' > p.dl\n"
    "$ printf -- '+q(1). preview.' > c.txt\n"
    "$ tidelog run p.dl --changes c.txt --algorithm circuit --runtime embedded\n",
)
SPARK_OPTION = FailureEntry(
    "TL4812",
    EngineError,
    "Spark option without Spark",
    "{option} requires Spark, but this run is embedded; omit it, or add `--runtime spark`",
    "The embedded runtime does not use Spark.",
    "",
    _PROGRAM + "$ tidelog run p.dl --runtime embedded --master local[2]\n",
)
UNKNOWN_MASTER = FailureEntry(
    "TL4813",
    EngineError,
    "unknown master host",
    "--master {master}: unknown host {host} ({reason})",
    "Executors connect to the driver at the address from which this machine reaches the master.",
    "Check the host name.",
    test="tests/cli/test_run.py::test_master_that_is_not_known_is_reported",
)
FACTS_WITHOUT_PROGRAM = FailureEntry(
    "TL4814",
    EngineError,
    "facts without a program",
    "`-F` requires a PROGRAM argument",
    "`tidelog verify` checks a state against itself, or against a program and its facts.",
    "Name the program as the second argument, or omit `-F`.",
    _PROGRAM + "$ tidelog run p.dl --state s --runtime embedded\n$ tidelog verify s -F .\n",
)
ONLY_FILES = FailureEntry(
    "TL4820",
    EngineError,
    "option not supported with --facts",
    "`tidelog verify --facts FOLDER PROGRAM` does not accept a state folder, --at or --runtime spark",
    "Files of results have no epochs, and they are checked in this process.",
    "Write `tidelog verify --facts FOLDER PROGRAM`, with `-F DIR` for the base facts.",
    _PROGRAM + "$ tidelog verify --facts . s p.dl\n",
)
PROVED_ALONE = FailureEntry(
    "TL4821",
    EngineError,
    "option not supported with --proved",
    "`--proved` checks a state folder against its own rules; omit PROGRAM, -F, --facts and --runtime spark",
    "The extracted checker reads the core rules, base facts and ranks that the state holds.",
    "Omit the other options, or omit `--proved`.",
    _PROGRAM + "$ tidelog verify s p.dl --proved\n",
)
BINARY_ANSWERS = FailureEntry(
    "TL4819",
    EngineError,
    "binary output to a terminal",
    "--format {form} is binary: redirect the output, for example to `answers.{form}`, or use a pipe",
    "Parquet and Arrow are not text.",
    "Omit --format to print a table.",
    test="tests/cli/test_query.py::test_bytes_are_not_written_to_a_terminal",
)
ONLY_ASKED = FailureEntry(
    "TL4816",
    EngineError,
    "state folder opened read-only",
    "{state} is open read-only at epoch {epoch}; use `:open {state} write` to change it, or `tidelog run "
    "--state` or `tidelog apply`",
    "`tidelog query`, `why` and `repl` read one committed epoch of a state folder.",
    "",
    test="tests/cli/test_query.py::test_a_state_is_not_changed_at_the_prompt",
)
NEEDS_STATE = FailureEntry(
    "TL4817",
    EngineError,
    "`:at` without a state folder",
    "`:at` switches to another epoch of a state folder; start with `tidelog repl --state DIR`, or use `:open DIR`",
    "Only state folders keep old epochs.",
    test="tests/cli/test_query.py::test_the_prompt_goes_to_other_epochs",
)
NO_EPOCH_NUMBER = FailureEntry(
    "TL4818",
    EngineError,
    "invalid epoch number",
    "`{text}` is not an epoch; write its number, as in `:at 3` or `:undo 3`; `:at -1` is the last one",
    "Epochs are numbered from 1. `tidelog log` lists the epochs that a state folder keeps.",
    test="tests/cli/test_query.py::test_the_prompt_goes_to_other_epochs",
)
NOT_A_CHANGE = FailureEntry(
    "TL4840",
    EngineError,
    "`:dry` without a change",
    "`:dry` expects a change, but `{text}` is not one",
    "A dry run reports what facts, rules, retractions and edited programs (`:apply`) would change.",
    "Write a fact or a rule with its period, as in `:dry edge(1, 2).`",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
NOT_WRITTEN = FailureEntry(
    "TL4841",
    EngineError,
    "cannot write the file",
    "cannot write `{file}`: {reason}",
    "`:save`, `:graph`, `:plot`, `:why` and `tidelog why --svg` write one file.",
    "Check the file name, the folder and the permissions.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
FILE_EXISTS = FailureEntry(
    "TL4842",
    EngineError,
    "file already exists",
    "`{file}` already exists and was neither loaded nor saved in this session; choose another name",
    "A session does not overwrite files that it did not create.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
OPENED_HOW = FailureEntry(
    "TL4843",
    EngineError,
    "unknown mode of `:open`",
    "`:open STATE` opens a state folder read-only, `:open STATE write` for changes; unknown mode `{how}`",
    "A state folder has at most one writing process.",
    "Omit the mode, or use `write`.",
    test=f"{_REPL}::test_wrong_input_is_reported_and_changes_nothing",
)
NOT_AN_ENGINE = FailureEntry(
    "TL4844",
    EngineError,
    "not an engine",
    "`{name}` is {found}; `%tidelog use NAME` expects a variable that holds an Engine",
    "A notebook has one current engine; `%tidelog use` selects another.",
    "Create one first: `db = Engine(...)`.",
    test="tests/notebook/test_magics.py::test_only_an_engine_is_taken",
)
NO_STATE_AT = FailureEntry(
    "TL5301",
    StateError,
    "folder without a state",
    "{state} contains no state, so epoch {epoch} cannot be read",
    "Epochs can be read only from an existing state.",
    "Check the folder name, or omit --at to create a state there.",
    _PROGRAM + "$ tidelog run p.dl --state s --at 1\n",
)
NO_STATE = FailureEntry(
    "TL5303",
    StateError,
    "folder without a state",
    "{place} contains no state; `tidelog run PROGRAM --state {place}` creates one",
    "This command expects a folder that was created with `--state`.",
    "",
    "$ tidelog log nowhere\n",
)

NO_OUTPUTS = FailureEntry(
    "TL4831",
    EngineError,
    "`--outputs-only` without outputs",
    "`--outputs-only` requires outputs, but the program has none",
    "Outputs are the relations named by `.output` and `.printsize`.",
    "Add `.output` directives, or omit the option.",
    _PROGRAM + "$ tidelog run p.dl --outputs-only\n",
)

NO_FUNCTIONS = FailureEntry(
    "TL1410",
    DataError,
    "cannot load functions",
    "cannot load functions from {path}: {error}",
    "`--functions` expects a Python file, which is run once.",
    "Fix the file.",
    _PROGRAM + "$ tidelog run p.dl --functions none.py\n",
)

LAYOUT_NOT_KEPT = FailureEntry(
    "TL4720",
    EngineError,
    "formatting would change the program",
    "{file}: formatting would change its meaning; left unchanged",
    "`tidelog format` only moves words to other lines, and checks this by parsing the result. A text that uses "
    "its line numbers (`__LINE__`), or that is part of another program and is valid in either convention, may "
    "change.",
    "Specify the convention with --convention, or write the line number as a number.",
    "$ printf 'p(__LINE__).\\n\\n\\n\\np(__LINE__).' > p.dl\n$ tidelog format p.dl\n",
)
NOTHING_TO_FORMAT = FailureEntry(
    "TL4721",
    EngineError,
    "no programs in the folder",
    "{folder} contains no `.dl` files",
    "`tidelog format FOLDER` formats the `.dl` files in the folder and below it.",
    "Name the files explicitly if they have another extension.",
    "$ mkdir empty\n$ tidelog format empty\n",
)
NOT_FORMATTED = FailureEntry(
    "TL4722",
    EngineError,
    "cannot write the program",
    "cannot write {file}: {reason}",
    "`tidelog format` replaces the file with its formatted text.",
    "Check the permissions of the file and its folder, or format standard input (`-`).",
    test="tests/cli/test_format.py::test_a_file_that_cannot_be_written_is_reported",
)
NO_EDITOR_EXTRA = FailureEntry(
    "TL4723",
    EngineError,
    "missing packages for the language server",
    "`tidelog lsp` requires a package that is not installed: {missing}",
    "The language server is an optional extra.",
    "Install it with `pip install 'tidelog[editor]'`.",
    test="tests/cli/test_lsp.py::test_what_is_missing_is_reported",
)
NO_MCP_EXTRA = FailureEntry(
    "TL4724",
    EngineError,
    "missing packages for the tools of agents",
    "`tidelog mcp` requires a package that is not installed: {missing}",
    "The Model Context Protocol is an optional extra.",
    "Install it with `pip install 'tidelog[mcp]'`.",
    test="tests/client/test_agent_tools.py::test_missing_packages_are_reported",
)
NOT_ONE_STATE = FailureEntry(
    "TL4898",
    EngineError,
    "not exactly one state to apply to",
    "`tidelog apply` requires either --state or --server",
    "A state folder is changed in place; the state of a running server is changed through the server.",
    "Pass `--state DIR`, or `--server URL` while the folder is served.",
    "$ touch p.dl\n$ tidelog apply p.dl\n",
)
DRY_RUN_OF_ONE = FailureEntry(
    "TL4891",
    EngineError,
    "dry run of several epochs",
    "{file} has {found} epochs; a dry run covers one",
    "A dry run changes nothing, so a later epoch of a script would not see the changes of an earlier one.",
    "Apply the epochs one by one, or merge them into one.",
    _PROGRAM + "$ tidelog run p.dl --state s --runtime embedded\n"
    "$ printf '+e(8, 9). commit. +e(9, 9). commit.' > c.txt\n$ tidelog apply c.txt --script --state s --dry-run\n",
)
NO_SERVER_TOKEN = FailureEntry(
    "TL4892",
    EngineError,
    "missing token for the server",
    "no token: pass --token-file, or set {variable}",
    "A server requires a token with every request, and changes need the token for writing.",
    "The server lists its token files at startup, for example `--token-file state/tokens/write`.",
    "$ touch p.dl\n$ tidelog apply p.dl --server http://127.0.0.1:9\n",
)
NOT_WATCHED = FailureEntry(
    "TL4893",
    EngineError,
    "folder cannot be watched",
    "cannot watch {folder}: {reason}",
    "`tidelog serve --watch` applies the fact files of a folder, and the program if it is in the folder.",
    "Correct the folder, and name the program as the first argument.",
    test="tests/serve/test_watch.py::test_what_cannot_be_watched",
)
BAD_COLUMN = FailureEntry(
    "TL4894",
    EngineError,
    "invalid column option",
    "`{option} {given}` is not of the form {form}",
    "These options state the values of columns that an edited program adds, renames, converts or drops.",
    "Write for example `--column 'person.full=cat(first, last)'` or `--drop-column person.age`.",
    "$ touch p.dl\n$ tidelog apply p.dl --state s --column full\n",
)
BAD_CONFIG = FailureEntry(
    "TL4897",
    EngineError,
    "invalid configuration file",
    "{path}: {what}",
    "A configuration file is TOML: the names of options and their values, such as `port = 8118`.",
    "Correct the file. `tidelog serve --help` lists the options.",
    test="tests/cli/test_config_file.py::test_a_wrong_file_is_refused",
)

ENTRIES = (
    APPLY_OPTION,
    BAD_COLUMN,
    NOT_WATCHED,
    NOT_ONE_STATE,
    DRY_RUN_OF_ONE,
    NO_SERVER_TOKEN,
    BAD_CONFIG,
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
    ONLY_FILES,
    PROVED_ALONE,
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
    NO_MCP_EXTRA,
    OUTSIDE,
    OUT_OF_MEMORY,
)
