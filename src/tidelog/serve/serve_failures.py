"""Requests and options that the server refuses, by code: TL80xx.

Law: a request that is refused has changed nothing. `STATUSES` maps these errors to HTTP statuses; the others are
reported when the server starts.
"""

from __future__ import annotations

from tidelog.errors import ServerError
from tidelog.errors.entry import FailureEntry

NO_TOKEN = FailureEntry(
    "TL8001",
    ServerError,
    "missing or invalid token",
    "the request has no valid token",
    "Every request needs the header `Authorization: Bearer TOKEN`.",
    "Use a token from one of the files that the server lists at startup.",
    test="tests/serve/test_access.py::test_every_request_needs_a_token",
)
ONLY_READS = FailureEntry(
    "TL8002",
    ServerError,
    "token is read-only",
    "this token allows reading and querying, but not changes",
    "There are two tokens, one for reading and one for writing.",
    "Send the write token.",
    test="tests/serve/test_access.py::test_a_reading_token_changes_nothing",
)
NO_SUCH_PLACE = FailureEntry(
    "TL8003",
    ServerError,
    "path not found",
    "the path `{path}` does not exist",
    "The OpenAPI document lists all paths of the server.",
    "See `/v1/docs` or `/v1/openapi.json`.",
    test="tests/serve/test_access.py::test_an_address_that_there_is_not",
)
NO_SUCH_METHOD = FailureEntry(
    "TL8004",
    ServerError,
    "method not allowed",
    "`{path}` does not accept {method}; it accepts {known}",
    "Use GET to read, POST to query and to change, and DELETE to discard.",
    "",
    test="tests/serve/test_access.py::test_an_address_that_there_is_not",
)
TOO_LARGE = FailureEntry(
    "TL8005",
    ServerError,
    "request body too large",
    "the body is larger than {limit:,} bytes",
    "The size of a request body is limited.",
    "Send the rows in several parts to one open epoch, or start the server with a higher `--limit-body`.",
    test="tests/serve/test_limits.py::test_a_body_beyond_the_limit",
)
NOT_THIS_TYPE = FailureEntry(
    "TL8006",
    ServerError,
    "unsupported content type",
    "the body has the content type `{found}`, but this path accepts {wanted}",
    "Bodies are JSON. Rows may also be sent as an Arrow stream.",
    "Set the header, for example `Content-Type: application/json` (`--json` instead of `-d` in curl).",
    test="tests/serve/test_limits.py::test_a_body_of_another_type",
)
NOT_ACCEPTABLE = FailureEntry(
    "TL8007",
    ServerError,
    "unsupported response type",
    "`{path}` cannot be returned as {wanted}; available: {known}",
    "The header `Accept` lists the types that the client accepts.",
    "",
    test="tests/serve/test_limits.py::test_an_answer_of_another_type",
)
NOT_JSON = FailureEntry(
    "TL8008",
    ServerError,
    "request body is not JSON",
    "the body is not JSON: {error}",
    "Bodies are JSON in UTF-8, without NaN or lone surrogates.",
    "",
    test="tests/serve/test_limits.py::test_a_body_that_is_not_json",
)
NOT_AS_DESCRIBED = FailureEntry(
    "TL8009",
    ServerError,
    "invalid request",
    "{place}: {what}",
    "`/v1/openapi.json` describes the parameters and bodies. Rows are arrays or objects, in an array even if there is "
    'only one: `[["ann", 3]]`.',
    "",
    test="tests/serve/test_limits.py::test_a_request_that_is_not_as_described",
)
PAGES_GONE = FailureEntry(
    "TL8010",
    ServerError,
    "page expired",
    "the remaining pages of epoch {epoch} are no longer available; the state is at epoch {now}",
    "All pages of a response belong to one epoch. The server keeps them for a limited time.",
    "Read from the first page again, or choose the epoch with `at`.",
    test="tests/serve/test_pages.py::test_pages_that_are_no_longer_kept",
)
NO_OPEN_EPOCH = FailureEntry(
    "TL8011",
    ServerError,
    "unknown open epoch",
    "there is no open epoch `{id}`; open epochs expire after {minutes:g} minutes without a request",
    "An open epoch ends when it is committed, deleted or expires.",
    "Open an epoch with `POST /v1/epochs/open`.",
    test="tests/serve/test_staging.py::test_an_open_epoch_ends_once",
)
TOO_MANY_OPEN = FailureEntry(
    "TL8012",
    ServerError,
    "too many open epochs",
    "there are already {limit} open epochs",
    "The server limits the number of open epochs.",
    "Commit or discard one of them.",
    test="tests/serve/test_staging.py::test_open_epochs_are_limited",
)
TOO_MANY_FEEDS = FailureEntry(
    "TL8013",
    ServerError,
    "too many open feeds",
    "there are already {limit} open feeds",
    "The server limits the number of open feeds. Waiting polls count as feeds.",
    "Close one of them, or start the server with a higher `--limit-feeds`.",
    test="tests/serve/test_feeds.py::test_open_feeds_are_limited",
)
NOT_ARROW = FailureEntry(
    "TL8014",
    ServerError,
    "invalid Arrow stream",
    "the body is not an Arrow IPC stream: {error}",
    "Rows may be sent as a stream in Arrow's IPC format.",
    "",
    test="tests/serve/test_arrow.py::test_a_body_that_is_no_stream_of_arrows",
)
BUSY = FailureEntry(
    "TL8015",
    ServerError,
    "operation already running",
    "{what} is already running",
    "Operations that read the whole state run one at a time.",
    "Retry later.",
    test="tests/serve/test_asking.py::test_verification_is_done_once_at_a_time",
)
NOT_YET = FailureEntry(
    "TL8016",
    ServerError,
    "epoch does not exist yet",
    "epoch {epoch} does not exist yet; the state is at epoch {now}",
    "A feed starts after a committed epoch.",
    "Start from the epoch of an earlier response.",
    test="tests/serve/test_feeds.py::test_a_feed_from_an_epoch_that_has_not_been",
)
NO_COLUMN = FailureEntry(
    "TL8017",
    ServerError,
    "unknown column",
    "`{relation}` has no column `{name}`. Its columns: {known}",
    "Every other parameter of the query string filters by the column of that name or number (`c1`, `c2`, ...).",
    "",
    test="tests/serve/test_pages.py::test_rows_by_the_values_of_columns",
)
TOO_MANY_EXPORTS = FailureEntry(
    "TL8050",
    ServerError,
    "too many large responses at once",
    "the server is already sending as many large responses as its memory allows",
    "A large response is held in memory while it is sent.",
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
    "there are already {limit:,} unexpired tickets",
    "The server keeps a limited number of tickets; unused ones expire after a minute.",
    "Retry later. A browser page needs only one ticket for each feed.",
    test="tests/serve/test_tickets.py::test_tickets_are_limited",
)
DEFECT = FailureEntry(
    "TL8019",
    ServerError,
    "internal server error",
    "internal server error; see the log of the server for details",
    "This is a defect in Tidelog. An epoch is committed completely or not at all.",
    "Please report the request that caused it.",
    test="tests/serve/test_access.py::test_a_defect_is_reported_without_a_traceback",
)
STOPPING = FailureEntry(
    "TL8020",
    ServerError,
    "server is shutting down",
    "the server is shutting down",
    "A server that is shutting down ends its feeds and rejects new requests.",
    "Reconnect later.",
    test="tests/serve/test_feeds.py::test_feeds_end_when_the_server_stops",
)
CHANGES_GONE = FailureEntry(
    "TL8021",
    ServerError,
    "changes no longer kept",
    "the changes after epoch {since} are no longer available",
    "A server without a state folder keeps only recent changes.",
    "Read the view, and continue after the epoch of that response.",
    test="tests/serve/test_feeds.py::test_changes_that_are_no_longer_held",
)
TOO_LONG = FailureEntry(
    "TL8022",
    ServerError,
    "query exceeded its time limit",
    "the query took longer than {seconds:g} s and was cancelled",
    "The time of a query is limited. No data was changed.",
    "Bind more of its variables, make it a rule (a view is maintained), or start the server with a higher "
    "`--limit-seconds`.",
    test="tests/serve/test_limits.py::test_a_question_that_runs_away_ends_with_an_error",
)
TOO_MANY_ANSWERS = FailureEntry(
    "TL8023",
    ServerError,
    "query exceeded its row limit",
    "the query derived more than {rows:,} facts, including intermediate ones, and was cancelled",
    "The number of facts that a query may derive is limited.",
    "Bind more of its variables, make it a rule (a view is maintained), or start the server with a higher "
    "`--limit-rows`.",
    test="tests/serve/test_limits.py::test_a_question_with_too_many_answers_ends_with_an_error",
)
TOO_WIDE = FailureEntry(
    "TL8024",
    ServerError,
    "query too complex",
    "the query has more than {atoms} atoms, or more than {literals} atoms and comparisons",
    "Planning time grows with the number of parts, and planning cannot be interrupted.",
    "Turn parts of the query into rules.",
    test="tests/serve/test_limits.py::test_a_question_of_too_many_parts",
)
TEXT_TOO_SLOW = FailureEntry(
    "TL8025",
    ServerError,
    "text takes too long to check",
    "the text could not be read, checked and expanded within {seconds:g} s. Nothing was changed",
    "Texts are checked in a separate process, which is terminated at its time limit.",
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
    "Retry later.",
    test="tests/serve/test_bombs.py::test_more_texts_than_processes_are_refused_after_a_wait",
)
TOO_MUCH_MEMORY = FailureEntry(
    "TL8028",
    ServerError,
    "query exceeded its memory limit",
    "the query needs more than {megabytes:,} MB of memory, including strings, and was cancelled",
    "The memory of a query is limited. No data was changed.",
    "Bind more of its variables, or start the server with a higher `--limit-memory`.",
    test="tests/serve/test_bombs.py::test_texts_made_by_a_question_count_against_its_memory",
)
WRONG_HOST = FailureEntry(
    "TL8029",
    ServerError,
    "unknown host name",
    "this server does not answer requests for host `{host}`",
    "A server accepts requests only for its own address and for the names given with `--host-name`. This protects "
    "it from DNS rebinding, in which a page of another site reaches it under a name of that site.",
    "Start the server with `--host-name {host}` if clients are meant to use this name.",
    test="tests/serve/test_hosts.py::test_a_request_for_another_host_is_refused",
)
BAD_TOKEN_FILE = FailureEntry(
    "TL8030",
    ServerError,
    "invalid token file",
    "{path}: {what}",
    "A token is one line of at least 20 letters, digits, `-` and `_`, in a file that only its owner can read.",
    "Correct the file, or remove it to have the server create a new token.",
    test="tests/serve/test_tokens.py::test_a_token_that_others_can_read_is_refused",
)
BAD_CERTIFICATE = FailureEntry(
    "TL8031",
    ServerError,
    "cannot use the certificate",
    "TLS cannot be used: {error}",
    "TLS needs a certificate file and a key file in PEM format.",
    "Set both --tls-cert and --tls-key.",
    test="tests/serve/test_command.py::test_what_keeps_a_server_from_starting",
)
NO_ADDRESS = FailureEntry(
    "TL8032",
    ServerError,
    "cannot listen on the address",
    "cannot listen on {host}, port {port}: {error}",
    "The server needs an address of this machine and a free port.",
    "Choose another --port, or 0 for any free port.",
    test="tests/serve/test_command.py::test_what_keeps_a_server_from_starting",
)
NO_PROGRAM = FailureEntry(
    "TL8033",
    ServerError,
    "new state without a program",
    "{state} does not contain a state yet, and no program was given",
    "A new state needs a program; an existing state contains its program.",
    "Pass a program file.",
    test="tests/serve/test_command.py::test_what_keeps_a_server_from_starting",
)
NEEDS_EXTRA = FailureEntry(
    "TL8035",
    ServerError,
    "server packages are not installed",
    "the server needs {missing}, which is not installed",
    "The server needs packages that are installed with the extra `serve`.",
    "Install them: `pip install 'tidelog[serve]'`.",
    test="tests/serve/test_command.py::test_a_server_needs_its_extra",
)
NOT_ONE_INPUT = FailureEntry(
    "TL8053",
    ServerError,
    "not exactly one input to apply",
    "the body must contain exactly one of `program`, `facts` and `script`, and has {found}",
    "A request to `/v1/apply` is one epoch.",
    "Send a request for each.",
    test="tests/serve/test_apply.py::test_a_request_has_one_input",
)
NOT_ONE_EPOCH = FailureEntry(
    "TL8054",
    ServerError,
    "change script with another number of epochs",
    "the script has {found} epochs; a request applies one",
    "A request to `/v1/apply` is one epoch. `commit.` separates the epochs of a script.",
    "Send a request for each epoch; `tidelog apply --script --server` does.",
    test="tests/serve/test_apply.py::test_a_script_of_several_epochs_is_several_requests",
)
BAD_WEBHOOK = FailureEntry(
    "TL8055",
    ServerError,
    "invalid webhook",
    "{given}: {reason}",
    "A webhook sends the changes of a view to an address; a file contains the secret that signs them.",
    "Write for example `--webhook reach=https://example.org/changes --webhook-secret secret.txt`.",
    test="tests/serve/test_webhooks.py::test_what_is_wrong_with_a_webhook",
)
EXPIRED_TOKEN = FailureEntry(
    "TL8060",
    ServerError,
    "token has expired",
    "the token `{name}` expired at {when}",
    "A named token is valid until the time in `tokens.toml`.",
    "Ask the operator of the server for a new token.",
    test="tests/serve/test_named_tokens.py::test_an_expired_token_is_refused",
)
BAD_JWT = FailureEntry(
    "TL8069",
    ServerError,
    "token of an identity provider refused",
    "the token of {issuer} is not accepted: {reason}",
    "A token must be signed with a key of its issuer, be made for this server, and have a grant in `issuers.toml`.",
    "Sign in again. If that does not help, ask the operator of the server.",
    test="tests/serve/test_issuers.py::test_tokens_that_are_refused",
)
BAD_ISSUERS = FailureEntry(
    "TL8070",
    ServerError,
    "invalid list of issuers",
    "{path}: {what}",
    "`issuers.toml` lists the identity providers whose tokens are accepted, with their keys and what groups may do.",
    "Correct the file.",
    test="tests/serve/test_issuers.py::test_a_wrong_list_of_issuers_is_refused",
)
NO_SCOPE = FailureEntry(
    "TL8061",
    ServerError,
    "token lacks a scope",
    "this request needs the scope {scope}, but the token `{name}` has: {scopes}",
    "`read` allows reading and querying, `write` changing facts, `rules` changing rules and declarations, `admin` "
    "verifying and profiling.",
    "Use a token with this scope.",
    test="tests/serve/test_named_tokens.py::test_scopes_are_separate",
)
NOT_GRANTED = FailureEntry(
    "TL8062",
    ServerError,
    "token does not allow this relation",
    "the token `{name}` does not allow you to {act} `{relation}`",
    "A named token can be limited to some relations.",
    "Use a token for this relation.",
    test="tests/serve/test_named_tokens.py::test_a_token_for_some_relations_reads_no_others",
)
RESTRICTED = FailureEntry(
    "TL8063",
    ServerError,
    "token is limited to some relations",
    "this request may show any relation, but the token `{name}` is limited to: {allowed}",
    "Proofs, plans, statistics and feeds of all views need a token that allows reading every relation.",
    "Read single views, query them, or use another token.",
    test="tests/serve/test_named_tokens.py::test_a_token_for_some_relations_reads_no_others",
)
TOO_FAST = FailureEntry(
    "TL8064",
    ServerError,
    "too many requests",
    "the token `{name}` allows {rate} requests per second",
    "A named token can have a limit of requests per second.",
    "Wait as long as the header `Retry-After` says, and send fewer requests.",
    test="tests/serve/test_named_tokens.py::test_a_rate_is_kept",
)
BAD_TOKEN_LIST = FailureEntry(
    "TL8065",
    ServerError,
    "invalid list of tokens",
    "{path}: {what}",
    "`tokens.toml` has one table for each named token, and only its owner may read it.",
    "Correct the file, or write it with `tidelog token`.",
    test="tests/serve/test_named_tokens.py::test_a_broken_list_is_refused",
)
TOKEN_EXISTS = FailureEntry(
    "TL8066",
    ServerError,
    "token name in use",
    "there already is a token `{name}` in {folder}",
    "Every named token has its own name.",
    "Choose another name, or revoke the token first.",
    test="tests/serve/test_named_tokens.py::test_tokens_are_added_listed_and_revoked",
)
NO_SUCH_TOKEN = FailureEntry(
    "TL8067",
    ServerError,
    "unknown token name",
    "there is no token `{name}` in {folder}; known: {known}",
    "Only tokens listed in `tokens.toml` can be revoked.",
    "Choose one of the listed names.",
    test="tests/serve/test_named_tokens.py::test_tokens_are_added_listed_and_revoked",
)
BAD_TOKEN_OPTION = FailureEntry(
    "TL8068",
    ServerError,
    "invalid token option",
    "{what}",
    "A name has up to 100 letters, digits and `_.@-`. An expiry is a date, a time with a zone, or a number of days "
    "such as `30d`.",
    "Correct the option.",
    test="tests/serve/test_named_tokens.py::test_tokens_are_added_listed_and_revoked",
)

ENTRIES = (
    BAD_WEBHOOK,
    NO_TOKEN,
    ONLY_READS,
    NO_SUCH_PLACE,
    NO_SUCH_METHOD,
    TOO_LARGE,
    NOT_THIS_TYPE,
    NOT_ACCEPTABLE,
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
    NOT_ONE_INPUT,
    NOT_ONE_EPOCH,
    EXPIRED_TOKEN,
    BAD_JWT,
    BAD_ISSUERS,
    NO_SCOPE,
    NOT_GRANTED,
    RESTRICTED,
    TOO_FAST,
    BAD_TOKEN_LIST,
    TOKEN_EXISTS,
    NO_SUCH_TOKEN,
    BAD_TOKEN_OPTION,
)
STATUSES = {
    NO_TOKEN.code: 401,
    ONLY_READS.code: 403,
    NO_SUCH_PLACE.code: 404,
    NO_SUCH_METHOD.code: 405,
    TOO_LARGE.code: 413,
    NOT_THIS_TYPE.code: 415,
    NOT_ACCEPTABLE.code: 406,
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
    NOT_ONE_INPUT.code: 400,
    NOT_ONE_EPOCH.code: 400,
    EXPIRED_TOKEN.code: 401,
    BAD_JWT.code: 401,
    NO_SCOPE.code: 403,
    NOT_GRANTED.code: 403,
    RESTRICTED.code: 403,
    TOO_FAST.code: 429,
}
