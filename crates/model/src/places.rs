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

/// The place of one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Where it begins.
    pub byte: u64,
    /// Where it ends.
    pub end: u64,
    /// The line in which it begins.
    pub line: u64,
}

/// Places that somebody has kept from an earlier walk.
pub trait KeptPlaces: Send + Sync {
    /// The place of a game by its number, from 1; `None` where it is not known.
    fn place(&self, number: u64) -> Option<Place>;

    /// [`Places::about`].
    fn about(&self) -> &str;

    /// All places, if they are any good.
    fn all(&self) -> Option<Places>;
}

impl KeptPlaces for Places {
    fn place(&self, number: u64) -> Option<Place> {
        let at = usize::try_from(number.checked_sub(1)?).ok()?;
        Some(Place {
            byte: *self.bytes.get(at)?,
            end: self.bytes.get(at + 1).copied().unwrap_or(self.end),
            line: *self.lines.get(at)?,
        })
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn all(&self) -> Option<Places> {
        Some(self.clone())
    }
}
