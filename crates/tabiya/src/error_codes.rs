//! The errors of jobs, by code; those that jobs share with the formats are in `tabiya_model::error_codes`.

pub use tabiya_model::error_codes::*;

tabiya_model::error_codes! {
    NOTHING_TO_OPEN = "nothing-to-open", NotThisFormat, "There is no chess database here.";
    WRONG_PASSWORD = "wrong-password", Usage, "The password is wrong.";
    READ_ONCE = "read-once", Usage, "A pipe can be read only once.";
    ONE_AFTER_ANOTHER = "one-after-another", Usage, "The games of this database can only be read in order.";
    PROGRAM_MISSING = "program-missing", Unsupported, "A program that this needs is not installed.";
    ONLY_WRITTEN = "only-written", Unsupported, "The format can be written, but not read.";
    NOT_FROM_PIPE = "not-from-pipe", Unsupported, "The format cannot be read from a pipe.";
    DATABASE_GONE = "database-gone", NotFound, "The database no longer exists.";
    BAD_NUMBERS = "bad-numbers", Usage, "These are not game numbers.";
    IN_ARCHIVE = "in-archive", Unsupported, "Databases in an archive cannot be changed in place.";
    NOTHING_FOUND = "nothing-found", NotFound, "No game was found.";
    NAMED_TWICE = "named-twice", Usage, "The same database is named twice.";
    NOT_A_MARK = "not-a-mark", Usage, "The last change did not mark duplicates.";
    BAD_FILTER = "bad-filter", Usage, "A filter does not take this value.";
    BAD_LINE = "bad-line", Usage, "The moves cannot be played.";
    TREE_TOO_LARGE = "tree-too-large", Limit, "The tree has too many positions.";
    BAD_RATING_LIST = "bad-rating-list", Usage, "The rating list cannot be read.";
    BAD_SPELLING_FILE = "bad-spelling-file", Usage, "The spelling file cannot be read.";
    BAD_PLAYER_NAME = "bad-player-name", Usage, "This is not a player's name.";
    NO_PICTURE = "no-picture", Usage, "The chart cannot be drawn.";
    NO_SUCH_STATISTIC = "no-such-statistic", Usage, "There is no such statistic.";
    BAD_TAG = "bad-tag", Usage, "The tag cannot be set or computed.";
    BAD_TAG_RULE = "bad-tag-rule", Usage, "The tag rule is invalid.";
    NOT_VERIFIABLE = "not-verifiable", Usage, "A target written in this way cannot be compared with its sources.";
    BAD_PLIES = "bad-plies", Usage, "This is not a range of plies.";
    BAD_POSITIONS = "bad-positions", Usage, "These are not positions of a game.";
    BAD_OPERATION = "bad-operation", Usage, "There is no such EPD operation.";
    BAD_SPLIT = "bad-split", Usage, "Games cannot be split by this.";
    GAME_CHANGED = "game-changed", Conflict, "Somebody else has changed the game in the meantime.";
    NO_DELETED_GAMES = "no-deleted-games", Usage, "No game is marked as deleted.";
    HISTORY_FULL = "history-full", Usage, "The history cannot keep that many games of one change.";
    BAD_SETTING = "bad-setting", Usage, "A setting is invalid.";
    ONE_GAME = "one-game", Usage, "The text of one game is needed.";
    CANNOT_UNDO = "cannot-undo", Usage, "The change cannot be undone.";
    NOTHING_TO_UNDO = "nothing-to-undo", Usage, "There is nothing to undo.";
    NO_SUCH_VERSION = "no-such-version", NotFound, "The history has no such version.";
    NO_HISTORY = "no-history", NotFound, "There is no history.";
    FOREIGN_HISTORY = "foreign-history", Unsupported, "A file that is not a history has the name of one.";
    HISTORY_DAMAGED = "history-damaged", Corrupt, "The history is damaged.";
    HIDES_DAMAGE = "hides-damage", Unsupported, "The database is damaged, and an index would hide it.";
    NO_REPERTOIRE = "no-repertoire", Usage, "These games are not a repertoire.";
    UNKNOWN_SIDE = "unknown-side", Usage, "It is not known which side the repertoire is for.";
    IS_A_BOOK = "is-a-book", Usage, "An opening book has no games to count.";
    UNKNOWN_TARGET = "unknown-target", Usage, "The name of the target does not determine a format.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tabiya_model::error_codes;

    #[test]
    fn no_two_failures_have_the_same_code() {
        let all = super::ERRORS.iter().chain(error_codes::ERRORS);
        let mut names = BTreeSet::new();
        for code in all {
            assert!(names.insert(code.name), "{}", code.name);
            assert!(code.summary.ends_with('.'), "{}", code.summary);
        }
        assert!(names.len() > 100);
    }
}
