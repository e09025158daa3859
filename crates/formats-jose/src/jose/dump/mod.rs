//! SQL dumps: the text that `mysqldump`, `mariadb-dump` and other tools write of a database.
//!
//! [`lexer`] splits the text into tokens, [`statements`] handles the few relevant statements (`CREATE TABLE` for the
//! order of columns, `INSERT` and `REPLACE` for rows, `SET NAMES` and `SET SQL_MODE` for how text is written) and skips
//! all others.
//!
//! The text is read once from front to back through a buffer, a row at a time, so that memory
//! depends on the longest row and not on the dump. A [`JoseDumpState`] lets a row be read again later.

mod lexer;
mod statements;

pub use statements::{
    JoseColumnDefaults, JoseColumnFilter, JoseDumpColumns, JoseDumpEvent, JoseDumpReader,
    JoseDumpState,
};

/// Why a dump cannot be read on at all.
#[derive(Debug, thiserror::Error)]
pub enum JoseDumpError {
    /// The source could not be read.
    #[error("cannot read the dump at byte {offset}: {source}")]
    Io {
        /// Where reading stopped.
        offset: u64,
        /// The system error.
        source: std::io::Error,
    },
    /// The dump exceeds a limit.
    #[error("{what} (byte {offset})")]
    Limit {
        /// Where the limit was exceeded.
        offset: u64,
        /// The exceeded limit.
        what: &'static str,
    },
}

/// A statement or row that could not be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} (byte {offset})")]
pub struct JoseDumpDamage {
    /// The offset in the dump.
    pub offset: u64,
    /// The error.
    pub what: &'static str,
}

#[cfg(test)]
mod tests;
