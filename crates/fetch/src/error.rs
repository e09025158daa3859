//! Why something could not be fetched.

/// Why something could not be fetched. Texts of a site's answer are in none of them.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Nobody answers.
    #[error("{site}: no answer: {why}")]
    NoAnswer {
        /// The address that was asked.
        site: String,
        /// What the system said.
        why: String,
    },
    /// The other end cannot prove who it is.
    #[error("{site}: the certificate is not that of this site ({why}); nothing was sent")]
    Certificate {
        /// The address that was asked.
        site: String,
        /// What is wrong with it.
        why: String,
    },
    /// The answer sends on to another host.
    #[error("{site} sends on to {other}, which is another host; Tabiya does not follow that")]
    OtherHost {
        /// The address that was asked.
        site: String,
        /// The host that it names.
        other: String,
    },
    /// What was asked for is not there.
    #[error("{site} knows no {what}: the name is misspelt, or it was closed")]
    NotThere {
        /// The address that was asked.
        site: String,
        /// What was asked for.
        what: String,
    },
    /// A token is missing or not accepted.
    #[error(
        "{site} lets nobody see {what} without a token that it accepts (status {status}); docs/fetch.md says where tokens are kept"
    )]
    NotAllowed {
        /// The address that was asked.
        site: String,
        /// What was asked for.
        what: String,
        /// The status of the answer.
        status: u16,
    },
    /// Another status than what was expected.
    #[error("{site} answers with status {status}; try again later")]
    Status {
        /// The address that was asked.
        site: String,
        /// The status of the answer.
        status: u16,
    },
    /// The site asks to be left alone for a long time.
    #[error("{site} asks to wait {seconds} seconds: try again then")]
    Busy {
        /// The address that was asked.
        site: String,
        /// How long to wait.
        seconds: u64,
    },
    /// The answer is something else than what was asked for.
    #[error(
        "{site} answers with something else than {wanted}: a page of a network that wants a login may be in between"
    )]
    NotData {
        /// The address that was asked.
        site: String,
        /// What was asked for.
        wanted: &'static str,
    },
    /// The answer ended before its end.
    #[error(
        "{site}: the answer was cut off ({why}); what was whole is kept, and the same command goes on there"
    )]
    Cut {
        /// The address that was asked.
        site: String,
        /// What the system said.
        why: String,
    },
    /// The answer is longer than any sound one.
    #[error("{site}: the answer is longer than {limit} bytes, and was not read further")]
    TooLong {
        /// The address that was asked.
        site: String,
        /// The bound.
        limit: u64,
    },
    /// A word of the user's that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The file of what was fetched cannot be read.
    #[error("{file}: {why}; move it away to fetch everything anew, nothing will be doubled")]
    State {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// The user has stopped it.
    #[error("stopped; what was fetched by then is kept")]
    Stopped,
    /// The base could not be read or changed.
    #[error(transparent)]
    Base(#[from] tabiya_model::Error),
    /// Somebody else fetches into the base.
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
        /// What the system said.
        error: std::io::Error,
    },
}
