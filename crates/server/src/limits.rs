//! Limits: sizes, numbers and times that are enough for one browser and that no stranger can exceed.

use std::time::Duration;

/// Connections at once.
pub const CONNECTIONS: usize = 128;
/// Addresses for one more browser each that are valid at once.
pub const INVITATIONS: usize = 4;
/// How long each of them is valid.
pub const INVITATION: Duration = Duration::from_secs(600);
/// How long a wrong token waits for its refusal; one after the other.
pub const GUESS: Duration = Duration::from_millis(300);
/// The longest that it waits for its turn.
pub const GUESSES: Duration = Duration::from_secs(10);
/// Requests at once of one tab that read games for long: searches, checks, statistics. Jobs at once.
pub const WORKERS: usize = 4;
/// The same of all tabs.
pub const ALL_WORKERS: usize = 6;
/// Requests at once of one tab that are answered soon: rows, games, edits of an annotation.
pub const QUICK: usize = 4;
/// The same of all tabs.
pub const ALL_QUICK: usize = 6;
/// Requests at once of one tab to the explorer.
pub const EXPLORERS: usize = 3;
/// The same of all tabs.
pub const ALL_EXPLORERS: usize = 4;
/// Threads for all of them, for engines, and for a look at files now and then.
pub(crate) const THREADS: usize = ALL_WORKERS + ALL_QUICK + ALL_EXPLORERS + ENGINES + 8;
/// Steps that a query may take in one game: some five seconds.
pub const STEPS: u64 = 1 << 31;
/// Bytes of the name that identifies a tab.
pub const TAB: usize = 64;
/// Bytes of the body of a request that is not an upload.
pub const BODY: usize = 64 << 10;
/// Bytes of one upload.
pub const UPLOAD: u64 = 256 << 20;
/// Files of one upload.
pub const UPLOAD_FILES: usize = 64;
/// Bytes of a query.
pub const QUERY: usize = 16 << 10;
/// Bytes of the numbers of games in a query that the server makes; the rest is room for a query of the user's.
pub(crate) const QUERY_NUMBERS: usize = 12 << 10;
/// Rows in one answer.
pub const ROWS: u64 = 1_000;
/// Numbers of games in one answer.
pub const NUMBERS: u64 = 50_000;
/// Rows that a search sends with its first lines.
pub const FIRST_ROWS: usize = 200;
/// Games of a base that are read so that its years can be told.
pub(crate) const SURVEYED: u64 = 300_000;
/// Games that are saved as one text.
pub const EXPORT_GAMES: usize = 5_000;
/// Bytes of such a text.
pub const EXPORT: usize = 64 << 20;
/// Findings in the answer of a check.
pub const FINDINGS: usize = 500;
/// Results of searches that are kept.
pub const VIEWS: usize = 16;
/// Hits of all results that are kept.
pub const HITS: usize = 40_000_000;
/// What is told at the start of what could not be opened.
pub(crate) const FAILED: usize = 100;
/// Databases that are open at once.
pub const BASES: usize = 256;
/// Folders and databases that are listed of one folder.
pub const LISTED: usize = 2_000;
/// Files and folders that later starts of the program may hand over.
pub(crate) const HANDED: usize = 1_000;
/// Bytes of what such a start says.
pub(crate) const HANDED_LINE: u64 = 256 << 10;
/// How long it may take to say it, and to be answered.
pub const HANDING: Duration = Duration::from_secs(10);
/// How often it is looked whether anybody still looks at the app.
pub(crate) const LEAVING_LOOK: Duration = Duration::from_millis(500);
/// Jobs that are remembered.
pub const JOBS: usize = 64;
/// Tabs at once that get live events.
pub const SOCKETS: usize = 32;
/// Bytes of a message that such a tab may send; none is expected.
pub const SOCKET_MESSAGE: usize = 1_024;
/// Lines that wait for a tab that reads slowly; it gets the whole state again if it has missed some.
pub const SOCKET_LINES: usize = 64;
/// How long a tab may take to read a line.
pub const SOCKET_WRITE: Duration = Duration::from_secs(10);
/// After how long without a line a tab is checked.
pub const SOCKET_PING: Duration = Duration::from_secs(20);
/// How long a tab may be silent.
pub const SOCKET_SILENCE: Duration = Duration::from_secs(90);
/// How long the head of a request may take to arrive.
pub const HEAD: Duration = Duration::from_secs(10);
/// How long the body of a request that is not an upload may take to arrive.
pub const SMALL_BODY_TIME: Duration = Duration::from_secs(10);
/// How long the body of an upload may take to arrive.
pub const BODY_TIME: Duration = Duration::from_secs(300);
/// How long a connection may stay open.
pub const CONNECTION: Duration = Duration::from_secs(3_600);
/// How long a client that has closed its side is answered, from then or from the last piece of an answer that it took.
pub const HALF_CLOSED: Duration = Duration::from_millis(700);
/// How long an engine waits for a slot: longer than stopping one that nobody reads any more takes.
pub const ENGINE_PLACE: Duration = Duration::from_secs(3);
/// How long a connection that ends waits for the other side's end, so that the last answer arrives.
pub const LEAVING: Duration = Duration::from_secs(10);
/// Bytes of an unwanted body that are read until then.
pub const LEAVING_BYTES: usize = 64 << 20;
/// How long one search, check or list may take.
pub const SEARCH: Duration = Duration::from_secs(600);
/// Threads of one search: one processor is left to the browser, which shows the first hits while the search goes on.
pub(crate) fn search_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |all| all.get().saturating_sub(1).max(1))
}
/// How long one answer of the explorer may take.
pub const EXPLORE: Duration = Duration::from_secs(30);
/// How long a request waits for a slot among those that read games.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How long the server waits for running work when it ends.
pub const FAREWELL: Duration = Duration::from_millis(500);
/// Games that are annotated at once.
pub const DRAFTS: usize = 200;
/// Bytes of a draft on disk.
pub const DRAFT: u64 = 256 << 20;
/// How long a change of a draft may wait for the disk.
pub const DRAFT_SYNC: Duration = Duration::from_millis(250);
/// How long a draft is waited for that another server has. Other drafts wait too.
pub const DRAFT_PATIENCE: Duration = Duration::from_millis(200);
/// How long an untouched draft is kept.
pub const DRAFT_AGE: Duration = Duration::from_secs(180 * 86_400);
/// Tabs whose last edit is remembered for a game that is being annotated, so that none is made twice.
pub const TABS: usize = 64;
/// Edits in one request.
pub const WISHES: usize = 1_000;
/// Bytes of one edit.
pub const WISH: usize = 4 << 20;
/// Differences that are reported between two games, and games that are reported for a change.
pub const DIFFERENCES: usize = 200;
/// Versions of a game that are shown.
pub const VERSIONS: usize = 100;
/// Pairs of duplicates, groups of names and novelties in one answer.
pub const FOUND: usize = 500;
/// Rows of each table of mistakes.
pub(crate) const MISTAKE_ROWS: usize = 20;
/// How often it is looked whether a database is to be renewed.
pub(crate) const RENEWAL_LOOK: Duration = Duration::from_secs(2);
/// The longest time between two renewals, in hours: a month.
pub(crate) const RENEWAL_HOURS: u64 = 31 * 24;
/// Letters of the name of an account at a site.
pub(crate) const ACCOUNT_NAME: usize = 50;
/// Positions of a repertoire in one answer.
pub const REPERTOIRE_POSITIONS: usize = 2_000;
/// Moves of a line that is added to a repertoire.
pub(crate) const REPERTOIRE_LINE: usize = 300;
/// Repertoires whose reference is kept as it was counted.
pub(crate) const REPERTOIRES: usize = 6;
/// The folder of repertoires for which the user has named no place, in that of what the app remembers.
pub(crate) const REPERTOIRE_FOLDER: &str = "repertoires";
/// Trainings that go on at once.
pub(crate) const TRAININGS: usize = 16;
/// Names that are corrected at once.
pub const NAMES: usize = 2_000;
/// Names that are offered while one is typed.
pub(crate) const COMPLETIONS: usize = 50;
/// How long names are looked for in the games of a base without an index, when its first games have been looked at.
pub(crate) const COMPLETION: Duration = Duration::from_millis(700);
/// Games that are looked at for names however slow the machine is: what is found in a small base never depends on it.
pub(crate) const COMPLETION_GAMES: u64 = 2_000;
/// How long names are looked for at most.
pub(crate) const COMPLETION_WHOLE: Duration = Duration::from_secs(10);
/// Puzzles of one search.
pub(crate) const PUZZLES: usize = 200;
/// Bytes of a password.
pub(crate) const PASSWORD: usize = 1_024;
/// Threads of one engine, where the user's settings file does not say more.
pub(crate) fn engine_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
/// Megabytes of the table of one engine at most.
pub(crate) const ENGINE_HASH: u32 = 4_096;
/// Positions that an engine searches for each move of a game that it annotates, minimum and maximum.
pub const NODES: std::ops::RangeInclusive<u64> = 1_000..=50_000_000;
/// Engines that run at once.
pub const ENGINES: usize = 4;
/// The maximum number of lines of an engine.
pub const ENGINE_LINES: u32 = 8;
/// How long an engine searches one position.
pub const ENGINE: Duration = Duration::from_secs(600);
