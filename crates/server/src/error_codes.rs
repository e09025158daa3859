//! The errors of the server, by code.

pub(crate) use tabiya::error_codes::*;

tabiya_model::error_codes! {
    DRAFT_NOT_KEPT = "draft-not-kept", Unsupported, "The draft of an annotation cannot be saved.";
    DRAFT_FULL = "draft-full", Limit, "The draft of the annotation is full.";
    DRAFT_ELSEWHERE = "draft-elsewhere", Busy, "Another server is annotating the game.";
    BAD_HOST_NAME = "bad-host-name", Usage, "This is not a host name.";
    CANNOT_LISTEN = "cannot-listen", Usage, "The server cannot listen at the address.";
    BAD_SETTINGS_FILE = "bad-settings-file", Usage, "The settings file cannot be read.";
    CONVERSION_FAILED = "conversion-failed", Usage, "The conversion could not be finished.";
    READ_ONLY_SERVER = "read-only-server", Forbidden, "The server was started read-only.";
    TOO_BUSY = "too-busy", Busy, "Too many requests are running.";
    NO_SUCH_PAGE = "no-such-page", NotFound, "There is no such page or route.";
    FOREIGN_PAGE = "foreign-page", Forbidden, "Requests of other pages are refused.";
    NO_MARK = "no-mark", Forbidden, "A request that changes something needs the header of the app.";
    NO_TOKEN = "no-token", Forbidden, "The browser has no access.";
    WRONG_HOST = "wrong-host", Forbidden, "The server does not answer for this name.";
    BAD_PATH = "bad-path", Usage, "The path cannot be used.";
    OUTSIDE_FOLDERS = "outside-folders", Forbidden, "The path is outside the folders of the server.";
    NO_SUCH_DATABASE = "no-such-database", NotFound, "This database is not open here.";
    TOO_MANY_DATABASES = "too-many-databases", Limit, "No more databases can be open.";
    BAD_PASSWORD_TEXT = "bad-password-text", Usage, "This cannot be a password.";
    COPY_NOT_CHANGED = "copy-not-changed", Usage, "The database is a temporary copy of the server.";
    NEIGHBOUR_NOT_CHANGED = "neighbour-not-changed", Forbidden, "The database itself was not opened, only one beside it.";
    NO_FOLDER = "no-folder", Forbidden, "This machine has no folder to keep that in.";
    TOO_MANY_AT_ONCE = "too-many-at-once", Usage, "There are none of these, or too many at once.";
    BAD_PARAMETER = "bad-parameter", Usage, "A parameter does not accept this value.";
    NO_SUCH_FORMAT = "no-such-format", Usage, "There is no such format.";
    NO_SUCH_JOB = "no-such-job", NotFound, "There is no such job.";
    NO_SUCH_FILE = "no-such-file", NotFound, "There is no such file of a job.";
    NOT_ANNOTATED = "not-annotated", NotFound, "The game is no longer being annotated.";
    DRAFT_CHANGED = "draft-changed", Conflict, "The game was annotated in another tab in the meantime.";
    BAD_REQUEST = "bad-request", Usage, "The request cannot be understood.";
    TOO_SLOW = "too-slow", Limit, "The request took too long to arrive.";
    SEARCH_FORGOTTEN = "search-forgotten", NotFound, "The search has expired.";
    NOT_IN_REPERTOIRE = "not-in-repertoire", NotFound, "The repertoire does not have the position.";
    NO_SUCH_TRAINING = "no-such-training", NotFound, "The training is over.";
    TRAINING_WENT_ON = "training-went-on", Conflict, "The question has already been answered.";
    NO_FETCH_PROGRAM = "no-fetch-program", Unsupported, "The program that fetches from sites is not installed.";
    LOGIN_FAILED = "login-failed", Usage, "The login did not succeed.";
    NOTHING_FETCHED = "nothing-fetched", Usage, "Nothing has been fetched into the database.";
    RENEWAL_FAILED = "renewal-failed", Io, "The database could not be renewed from its sites.";
    LOGIN_ELSEWHERE = "login-elsewhere", Forbidden, "A login is possible only on the machine where Tabiya runs.";
    BAD_UPLOAD = "bad-upload", Usage, "The files did not arrive correctly.";
}
