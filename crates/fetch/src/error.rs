//! Why something could not be fetched.

/// Why something could not be fetched. No error contains text of a site's answer.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Nobody answers.
    #[error("{site}: no answer: {why}")]
    NoAnswer {
        /// The requested address.
        site: String,
        /// The error of the system.
        why: String,
    },
    /// The certificate of the site is invalid.
    #[error("{site}: the certificate does not belong to this site ({why}); nothing was sent")]
    Certificate {
        /// The requested address.
        site: String,
        /// What is wrong with it.
        why: String,
    },
    /// The answer redirects to another host.
    #[error("{site} redirects to {other}, which is another host; Tabiya does not follow that")]
    OtherHost {
        /// The requested address.
        site: String,
        /// The other host.
        other: String,
    },
    /// The requested data does not exist.
    #[error("{site} has no {what}: the name is misspelt, or it was closed")]
    NotThere {
        /// The requested address.
        site: String,
        /// The requested data.
        what: String,
    },
    /// The month is not published.
    #[error("{site} has no games of {month}: a month is published some days after its end")]
    NotPublished {
        /// The requested address.
        site: String,
        /// The month.
        month: String,
    },
    /// A token is missing or not accepted.
    #[error(
        "{site} does not show {what} without a valid token (status {status}); docs/fetch.md explains where tokens are kept"
    )]
    NotAllowed {
        /// The requested address.
        site: String,
        /// The requested data.
        what: String,
        /// The status of the answer.
        status: u16,
    },
    /// A login was refused.
    #[error("{site} did not accept the login; try again")]
    LoginRefused {
        /// The requested address.
        site: String,
    },
    /// Nobody has logged in.
    #[error("{site}: nobody logged in in time; try again")]
    LoginLate {
        /// The requested address.
        site: String,
    },
    /// Another status than expected.
    #[error("{site} answers with status {status}; try again later")]
    Status {
        /// The requested address.
        site: String,
        /// The status of the answer.
        status: u16,
    },
    /// The site requests a long pause.
    #[error("{site} asks you to wait {seconds} seconds: try again then")]
    Busy {
        /// The requested address.
        site: String,
        /// How long to wait.
        seconds: u64,
    },
    /// The answer is not the requested data.
    #[error("{site} does not answer with {wanted}: perhaps the network shows a login page instead")]
    NotData {
        /// The requested address.
        site: String,
        /// The requested data.
        wanted: &'static str,
    },
    /// Games were not added, because an earlier change of the database failed.
    #[error("the games could not be added to the database; the same command fetches them again")]
    NotAdded,
    /// The answer is incomplete.
    #[error(
        "{site}: the answer was cut off ({why}); all complete games are kept, and the same command continues there"
    )]
    Cut {
        /// The requested address.
        site: String,
        /// The error of the system.
        why: String,
    },
    /// The answer is damaged.
    #[error(
        "{site}: the answer is damaged ({why}), and was removed; the same command downloads it again"
    )]
    Damaged {
        /// The requested address.
        site: String,
        /// What is wrong with it.
        why: String,
    },
    /// The answer is too long.
    #[error("{site}: the answer is longer than {limit} bytes, and was not read further")]
    TooLong {
        /// The requested address.
        site: String,
        /// The bound.
        limit: u64,
    },
    /// The answer has too many games to be held in memory.
    #[error("{site}: the answer has more than {limit} games, and was not read further")]
    TooMany {
        /// The requested address.
        site: String,
        /// The bound.
        limit: usize,
    },
    /// An invalid argument.
    #[error("{0}")]
    Usage(String),
    /// The file of what was fetched cannot be read.
    #[error("{file}: {why}; move it away to fetch everything again, without making duplicates")]
    State {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// The user has stopped it.
    #[error("stopped; everything fetched so far is kept")]
    Stopped,
    /// The base could not be read or changed.
    #[error(transparent)]
    Base(#[from] tabiya_model::Error),
    /// Another program fetches into the base.
    #[error(transparent)]
    Lock(#[from] tabiya_io::lock::LockError),
    /// A file could not be written.
    #[error(transparent)]
    Output(#[from] tabiya_io::output::OutputError),
    /// A file could not be read or written.
    #[error("{file}: {error}")]
    File {
        /// The file.
        file: String,
        /// The error of the system.
        error: std::io::Error,
    },
}
