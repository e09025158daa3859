//! What can be wrong in the server alone, by code.

pub(crate) use tabiya::error_codes::*;

tabiya_model::error_codes! {
    DRAFT_NOT_KEPT = "draft-not-kept", Unsupported, "What is annotated is not kept on the disk.";
    DRAFT_FULL = "draft-full", Limit, "What is kept of the annotation is full.";
    DRAFT_ELSEWHERE = "draft-elsewhere", Busy, "The game is annotated through another server.";
    BAD_HOST_NAME = "bad-host-name", Usage, "This is no name of a host.";
    CANNOT_LISTEN = "cannot-listen", Usage, "The address cannot be listened at.";
    BAD_SETTINGS_FILE = "bad-settings-file", Usage, "The file of settings cannot be read.";
    CONVERSION_FAILED = "conversion-failed", Usage, "The conversion could not be finished.";
    READ_ONLY_SERVER = "read-only-server", Forbidden, "The server was started so that nothing is changed.";
    TOO_BUSY = "too-busy", Busy, "Too much is going on at once.";
    NO_SUCH_PAGE = "no-such-page", NotFound, "There is no such page or route.";
    FOREIGN_PAGE = "foreign-page", Forbidden, "Requests of other pages are refused.";
    NO_MARK = "no-mark", Forbidden, "A request that changes something needs the header of the app.";
    NO_TOKEN = "no-token", Forbidden, "The browser has not been let in.";
    WRONG_HOST = "wrong-host", Forbidden, "The server is not reached by this name.";
    BAD_PATH = "bad-path", Usage, "The path cannot be used.";
    OUTSIDE_FOLDERS = "outside-folders", Forbidden, "The path is outside the folders that the server was given.";
    NO_SUCH_DATABASE = "no-such-database", NotFound, "This database is not open here.";
    TOO_MANY_DATABASES = "too-many-databases", Limit, "No more databases can be open.";
    BAD_PASSWORD_TEXT = "bad-password-text", Usage, "No password has this form.";
    COPY_NOT_CHANGED = "copy-not-changed", Usage, "The database is a copy that goes with the server.";
    NEIGHBOUR_NOT_CHANGED = "neighbour-not-changed", Forbidden, "The database only lies beside one that was opened.";
    NO_FOLDER = "no-folder", Forbidden, "This machine has no folder where that could be kept.";
    TOO_MANY_AT_ONCE = "too-many-at-once", Usage, "These are none, or too many at once.";
    BAD_PARAMETER = "bad-parameter", Usage, "A parameter does not take this value.";
    NO_SUCH_FORMAT = "no-such-format", Usage, "There is no such format.";
    NO_SUCH_JOB = "no-such-job", NotFound, "There is no such job.";
    NO_SUCH_FILE = "no-such-file", NotFound, "There is no such file of a job.";
    NOT_ANNOTATED = "not-annotated", NotFound, "The game is not annotated any more.";
    DRAFT_CHANGED = "draft-changed", Conflict, "The game was annotated in another tab meanwhile.";
    BAD_REQUEST = "bad-request", Usage, "The request cannot be understood.";
    TOO_SLOW = "too-slow", Limit, "The request took too long to arrive.";
    SEARCH_FORGOTTEN = "search-forgotten", NotFound, "The search is forgotten.";
    NOT_IN_REPERTOIRE = "not-in-repertoire", NotFound, "The repertoire does not have the position.";
    NO_SUCH_TRAINING = "no-such-training", NotFound, "The training is over.";
    TRAINING_WENT_ON = "training-went-on", Conflict, "The question was answered already.";
    BAD_UPLOAD = "bad-upload", Usage, "The files did not arrive as they should.";
}
