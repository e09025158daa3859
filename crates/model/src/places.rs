//! Where games stand in a file that does not say it: found out by a walk over the file, and worth keeping beside it.

/// The places of all games of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// Where each game begins, rising.
    pub bytes: Vec<u64>,
    /// The line in which each game begins, not falling; as many as there are games.
    pub lines: Vec<u64>,
    /// Where the last game ends.
    pub end: u64,
    /// What else the format has found out on its way, in its own words.
    pub about: String,
}

/// Gives places when they are wanted, if they are any good.
pub type Maker = Box<dyn FnOnce() -> Option<Places> + Send>;
