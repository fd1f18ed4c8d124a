"""What the server refuses, by code: TL80xx.

Law: a request that is refused has changed nothing. `STATUSES` gives each of them its status of HTTP; the others are
told when the server starts.
"""

from __future__ import annotations

from tidelog.errors import ServerError
from tidelog.errors.entry import FailureEntry

NO_TOKEN = FailureEntry(
    "TL8001",
    ServerError,
    "request without a token that the server knows",
    "the request has no token that this server knows",
    "Every request has the header `Authorization: Bearer TOKEN`.",
    "The tokens are kept in the files that the server names when it starts.",
    test="tests/serve/test_access.py::test_every_request_needs_a_token",
)
ONLY_READS = FailureEntry(
    "TL8002",
    ServerError,
    "change with a token that only reads",
    "this token may read and ask, and change nothing",
    "There are two tokens, one for reading and one for writing.",
    "Send the writing token.",
    test="tests/serve/test_access.py::test_a_reading_token_changes_nothing",
)
NO_SUCH_PLACE = FailureEntry(
    "TL8003",
    ServerError,
    "address that the server does not have",
    "there is nothing at `{path}`",
    "A server has the addresses that its document of OpenAPI lists.",
    "Look at `/v1/docs`, or at `/v1/openapi.json`.",
    test="tests/serve/test_access.py::test_an_address_that_there_is_not",
)
NO_SUCH_METHOD = FailureEntry(
    "TL8004",
    ServerError,
    "method that an address does not take",
    "`{path}` does not take {method}; it takes {known}",
    "Reading is GET, asking and changing POST, giving up DELETE.",
    "",
    test="tests/serve/test_access.py::test_an_address_that_there_is_not",
)
TOO_LARGE = FailureEntry(
    "TL8005",
    ServerError,
    "body that is larger than the limit",
    "the body is larger than {limit:,} bytes",
    "The server takes bodies up to a limit.",
    "Send the rows in several parts to one open epoch, or start the server with a higher `--limit-body`.",
    test="tests/serve/test_limits.py::test_a_body_beyond_the_limit",
)
NOT_THIS_TYPE = FailureEntry(
    "TL8006",
    ServerError,
    "body of another content type",
    "the body is of type `{found}`, and this address takes {wanted}",
    "Bodies are JSON, and rows may come as a stream of Arrow's.",
    "Set the header `Content-Type`.",
    test="tests/serve/test_limits.py::test_a_body_of_another_type",
)
NOT_AS_WANTED = FailureEntry(
    "TL8007",
    ServerError,
    "answer of a type that there is not",
    "`{path}` cannot be had as {wanted}; it gives {known}",
    "`Accept` names the types that the client takes.",
    "",
    test="tests/serve/test_limits.py::test_an_answer_of_another_type",
)
NOT_JSON = FailureEntry(
    "TL8008",
    ServerError,
    "body that is not JSON",
    "the body is not JSON: {error}",
    "Bodies are JSON texts in UTF-8, without NaN and halves of surrogate pairs.",
    "",
    test="tests/serve/test_limits.py::test_a_body_that_is_not_json",
)
NOT_AS_DESCRIBED = FailureEntry(
    "TL8009",
    ServerError,
    "request that is not as described",
    "{place}: {what}",
    "Parameters and bodies are as `/v1/openapi.json` describes them.",
    "",
    test="tests/serve/test_limits.py::test_a_request_that_is_not_as_described",
)
PAGES_GONE = FailureEntry(
    "TL8010",
    ServerError,
    "page of an answer that is no longer kept",
    "the further pages of epoch {epoch} are no longer kept, and the state is at epoch {now}",
    "All pages of an answer are of one epoch; the server keeps answers for a while, within bounds.",
    "Read from the first page again, or name the epoch by `at`.",
    test="tests/serve/test_pages.py::test_pages_that_are_no_longer_kept",
)
NO_OPEN_EPOCH = FailureEntry(
    "TL8011",
    ServerError,
    "open epoch that there is not",
    "there is no open epoch `{id}`; one that is not touched for {minutes:g} minutes is given up",
    "An open epoch ends with its commit, by DELETE, or when it is forgotten.",
    "Open an epoch by POST to `/v1/epochs/open`.",
    test="tests/serve/test_staging.py::test_an_open_epoch_ends_once",
)
TOO_MANY_OPEN = FailureEntry(
    "TL8012",
    ServerError,
    "more open epochs than the limit",
    "there are {limit} open epochs",
    "The server keeps as many open epochs as its limit says.",
    "Commit or give up one of them.",
    test="tests/serve/test_staging.py::test_open_epochs_are_limited",
)
TOO_MANY_FEEDS = FailureEntry(
    "TL8013",
    ServerError,
    "more open feeds than the limit",
    "there are {limit} open feeds",
    "The server has as many feeds open as its limit says; waiting polls count as feeds.",
    "Close one of them, or start the server with a higher `--limit-feeds`.",
    test="tests/serve/test_feeds.py::test_open_feeds_are_limited",
)
NOT_ARROW = FailureEntry(
    "TL8014",
    ServerError,
    "body that is no stream of Arrow's",
    "the body is not a stream of Arrow's: {error}",
    "Rows may come as a stream of Arrow's IPC format.",
    "",
    test="tests/serve/test_arrow.py::test_a_body_that_is_no_stream_of_arrows",
)
BUSY = FailureEntry(
    "TL8015",
    ServerError,
    "work that the server does once at a time",
    "{what} is under way already",
    "Whatever goes through the whole state is done once at a time.",
    "Ask again later.",
    test="tests/serve/test_asking.py::test_verification_is_done_once_at_a_time",
)
NOT_YET = FailureEntry(
    "TL8016",
    ServerError,
    "epoch that has not been",
    "epoch {epoch} has not been; the state is at epoch {now}",
    "A feed goes on after an epoch that was committed.",
    "Begin with the epoch that an answer named.",
    test="tests/serve/test_feeds.py::test_a_feed_from_an_epoch_that_has_not_been",
)
NO_COLUMN = FailureEntry(
    "TL8017",
    ServerError,
    "column that a relation does not have",
    "`{relation}` has no column `{name}`; its columns: {known}",
    "A parameter that is no other names a column whose value is wanted.",
    "",
    test="tests/serve/test_pages.py::test_rows_by_the_values_of_columns",
)
TOO_MANY_EXPORTS = FailureEntry(
    "TL8050",
    ServerError,
    "too many large answers at once",
    "the server is sending as many large answers as it has memory for",
    "A large answer is held in memory while it is sent.",
    "Retry when one of them is finished, or read the rows in pages with `limit`.",
    test="tests/serve/test_exports.py::test_large_answers_at_once_are_limited",
)
NO_TICKET = FailureEntry(
    "TL8051",
    ServerError,
    "invalid ticket",
    "the ticket is unknown, expired, or for another feed",
    "A ticket opens one feed. It expires if it is not used for a minute, and after a day.",
    "Request a new ticket with `POST /v1/tickets`.",
    test="tests/serve/test_tickets.py::test_a_ticket_opens_one_feed_and_nothing_else",
)
TOO_MANY_TICKETS = FailureEntry(
    "TL8052",
    ServerError,
    "too many tickets",
    "there are {limit:,} unexpired tickets",
    "The server keeps a limited number of tickets; unused ones expire after a minute.",
    "Retry later, and use one ticket for each page.",
    test="tests/serve/test_tickets.py::test_tickets_are_limited",
)
DEFECT = FailureEntry(
    "TL8019",
    ServerError,
    "defect of the server",
    "the server has met a defect of its own; its log says more",
    "Whatever is sent is answered, or refused by name. This was neither, and nothing was changed.",
    "Please report what was sent.",
    test="tests/serve/test_access.py::test_a_defect_is_told_without_a_traceback",
)
STOPPING = FailureEntry(
    "TL8020",
    ServerError,
    "server that is about to stop",
    "the server is about to stop",
    "A server that stops ends its feeds and takes no further requests.",
    "Connect again later.",
    test="tests/serve/test_feeds.py::test_feeds_end_when_the_server_stops",
)
CHANGES_GONE = FailureEntry(
    "TL8021",
    ServerError,
    "changes that a server without a state folder no longer has",
    "the changes after epoch {since} are no longer held",
    "A server without a state folder holds the changes of late.",
    "Read the view, and go on after the epoch of that answer.",
    test="tests/serve/test_feeds.py::test_changes_that_are_no_longer_held",
)
TOO_LONG = FailureEntry(
    "TL8022",
    ServerError,
    "question that takes longer than the limit",
    "the question took longer than {seconds:g} s and was ended",
    "A question has so much time; what it was about has not changed.",
    "Bind more of its variables, make it a rule (a view is kept), or start the server with a higher `--limit-seconds`.",
    test="tests/serve/test_limits.py::test_a_question_that_runs_away_ends_with_an_error",
)
TOO_MANY_ANSWERS = FailureEntry(
    "TL8023",
    ServerError,
    "question with more answers than the limit",
    "the question has more than {rows:,} answers, counting those on the way, and was ended",
    "A question may make so many facts.",
    "Bind more of its variables, make it a rule (a view is kept), or start the server with a higher `--limit-rows`.",
    test="tests/serve/test_limits.py::test_a_question_with_too_many_answers_ends_with_an_error",
)
TOO_WIDE = FailureEntry(
    "TL8024",
    ServerError,
    "question with too many parts",
    "the question has more than {atoms} atoms, or more than {literals} atoms and comparisons",
    "Planning a question takes the longer the more parts it has, and cannot be ended.",
    "Make rules of its parts.",
    test="tests/serve/test_limits.py::test_a_question_of_too_many_parts",
)
TEXT_TOO_SLOW = FailureEntry(
    "TL8025",
    ServerError,
    "text takes too long to check",
    "the text could not be read, checked and expanded within {seconds:g} s. Nothing was changed",
    "Texts are checked in a separate process, which is ended at its time limit.",
    "Split the text, or start the server with a higher `--limit-check-seconds`.",
    test="tests/serve/test_bombs.py::test_a_text_that_takes_too_long_to_check_is_refused",
)
TEXT_TOO_LARGE = FailureEntry(
    "TL8026",
    ServerError,
    "text takes too much memory to check",
    "checking and expanding the text takes more than {megabytes:,} MB. Nothing was changed",
    "Texts are checked in a separate process, whose memory is limited.",
    "Split the text, or start the server with a higher `--limit-check-memory`.",
    test="tests/serve/test_bombs.py::test_a_text_that_takes_too_much_memory_to_check_is_refused",
)
NO_PROCESS = FailureEntry(
    "TL8027",
    ServerError,
    "all checking processes are busy",
    "no process was free to check the text within {seconds:g} s",
    "The server checks a few texts at a time.",
    "Try again later.",
    test="tests/serve/test_bombs.py::test_more_texts_than_processes_are_refused_after_a_wait",
)
TOO_MUCH_MEMORY = FailureEntry(
    "TL8028",
    ServerError,
    "query exceeded its memory limit",
    "the query needs more than {megabytes:,} MB, texts included, and was ended",
    "The memory of a query is limited. No data was changed.",
    "Bind more of its variables, or start the server with a higher `--limit-memory`.",
    test="tests/serve/test_bombs.py::test_texts_made_by_a_question_count_against_its_memory",
)
WRONG_HOST = FailureEntry(
    "TL8029",
    ServerError,
    "unknown host name",
    "this server does not answer requests for host `{host}`",
    "A server answers only for its own address and the names given with `--host-name`, so that no page of another site "
    "can reach it under a name of that site.",
    "Start the server with `--host-name {host}` if clients are meant to use this name.",
    test="tests/serve/test_hosts.py::test_a_request_for_another_host_is_refused",
)
BAD_TOKEN_FILE = FailureEntry(
    "TL8030",
    ServerError,
    "file of a token that cannot be used",
    "{path}: {what}",
    "A token is one line of at least 20 letters, digits, `-` and `_`, in a file that its owner alone may read.",
    "Correct it, or remove the file: the server then makes a new token.",
    test="tests/serve/test_tokens.py::test_a_token_that_others_can_read_is_refused",
)
BAD_CERTIFICATE = FailureEntry(
    "TL8031",
    ServerError,
    "certificate that cannot be used",
    "TLS cannot be used: {error}",
    "TLS needs the files of a certificate and of its key, in the PEM format.",
    "Give both --tls-cert and --tls-key.",
    test="tests/serve/test_command.py::test_what_keeps_a_server_from_starting",
)
NO_ADDRESS = FailureEntry(
    "TL8032",
    ServerError,
    "address that cannot be listened at",
    "cannot listen at {host}, port {port}: {error}",
    "A server listens at an address of this machine and at a port that is free.",
    "Choose another --port, or 0 for any that is free.",
    test="tests/serve/test_command.py::test_what_keeps_a_server_from_starting",
)
NO_PROGRAM = FailureEntry(
    "TL8033",
    ServerError,
    "new state without a program",
    "{state} holds no state yet, and no program was given",
    "The program of a new state is given when it is made; later the state has it.",
    "Name the file of a program.",
    test="tests/serve/test_command.py::test_what_keeps_a_server_from_starting",
)
NEEDS_EXTRA = FailureEntry(
    "TL8035",
    ServerError,
    "server without the packages that it needs",
    "the server needs {missing}, which this Python does not have",
    "The server's packages come with an extra, since the engine needs none of them.",
    "Install them: `pip install 'tidelog[serve]'`.",
    test="tests/serve/test_command.py::test_a_server_needs_its_extra",
)

ENTRIES = (
    NO_TOKEN,
    ONLY_READS,
    NO_SUCH_PLACE,
    NO_SUCH_METHOD,
    TOO_LARGE,
    NOT_THIS_TYPE,
    NOT_AS_WANTED,
    NOT_JSON,
    NOT_AS_DESCRIBED,
    PAGES_GONE,
    NO_OPEN_EPOCH,
    TOO_MANY_OPEN,
    TOO_MANY_FEEDS,
    NOT_ARROW,
    BUSY,
    NOT_YET,
    NO_COLUMN,
    TOO_MANY_EXPORTS,
    NO_TICKET,
    TOO_MANY_TICKETS,
    DEFECT,
    STOPPING,
    CHANGES_GONE,
    TOO_LONG,
    TOO_MANY_ANSWERS,
    TOO_WIDE,
    TEXT_TOO_SLOW,
    TEXT_TOO_LARGE,
    NO_PROCESS,
    TOO_MUCH_MEMORY,
    WRONG_HOST,
    BAD_TOKEN_FILE,
    BAD_CERTIFICATE,
    NO_ADDRESS,
    NO_PROGRAM,
    NEEDS_EXTRA,
)
STATUSES = {
    NO_TOKEN.code: 401,
    ONLY_READS.code: 403,
    NO_SUCH_PLACE.code: 404,
    NO_SUCH_METHOD.code: 405,
    TOO_LARGE.code: 413,
    NOT_THIS_TYPE.code: 415,
    NOT_AS_WANTED.code: 406,
    NOT_JSON.code: 400,
    NOT_AS_DESCRIBED.code: 400,
    PAGES_GONE.code: 410,
    NO_OPEN_EPOCH.code: 404,
    TOO_MANY_OPEN.code: 429,
    TOO_MANY_FEEDS.code: 429,
    NOT_ARROW.code: 400,
    BUSY.code: 503,
    NOT_YET.code: 400,
    NO_COLUMN.code: 400,
    TOO_MANY_EXPORTS.code: 429,
    NO_TICKET.code: 401,
    TOO_MANY_TICKETS.code: 429,
    DEFECT.code: 500,
    STOPPING.code: 503,
    CHANGES_GONE.code: 410,
    TOO_LONG.code: 422,
    TOO_MANY_ANSWERS.code: 422,
    TOO_WIDE.code: 422,
    TEXT_TOO_SLOW.code: 422,
    TEXT_TOO_LARGE.code: 422,
    NO_PROCESS.code: 503,
    TOO_MUCH_MEMORY.code: 422,
    WRONG_HOST.code: 421,
}
