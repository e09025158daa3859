//! How much, how many and how long: what one browser needs and no stranger can stretch.

use std::time::Duration;

/// Connections at once.
pub const CONNECTIONS: usize = 128;
/// Requests at once that read games.
pub const WORKERS: usize = 4;
/// Bytes of the body of a request that is no upload.
pub const BODY: usize = 64 << 10;
/// Bytes of one upload.
pub const UPLOAD: u64 = 256 << 20;
/// Files of one upload.
pub const UPLOAD_FILES: usize = 64;
/// Bytes of a query.
pub const QUERY: usize = 16 << 10;
/// Rows in one answer.
pub const ROWS: u64 = 1_000;
/// Rows that a search sends with its first lines.
pub const FIRST_ROWS: usize = 200;
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
/// Databases that are open at once.
pub const BASES: usize = 256;
/// Jobs that are remembered.
pub const JOBS: usize = 64;
/// How long the head of a request may take to come.
pub const HEAD: Duration = Duration::from_secs(10);
/// How long the body of an upload may take to come.
pub const BODY_TIME: Duration = Duration::from_secs(300);
/// How long a connection may stay open.
pub const CONNECTION: Duration = Duration::from_secs(3_600);
/// How long one search, check or list may take.
pub const SEARCH: Duration = Duration::from_secs(600);
/// How long one answer of the explorer may take.
pub const EXPLORE: Duration = Duration::from_secs(30);
/// How long a request waits for a place among those that read games.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// How long the server waits for work under way when it ends.
pub const FAREWELL: Duration = Duration::from_millis(500);
