//! Offsets of games in a file that does not store them: found by scanning the file, and worth saving in its index.

/// The places of all games of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameOffsets {
    /// The offset of each game, in ascending order.
    pub bytes: Vec<u64>,
    /// The line in which each game begins, in ascending order; one for each game.
    pub lines: Vec<u64>,
    /// The end of the last game.
    pub end: u64,
    /// Other findings of the format during the scan, in its own words.
    pub about: String,
}

/// The place of one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameSpan {
    /// The start of the game.
    pub byte: u64,
    /// The end of the game.
    pub end: u64,
    /// The line in which it begins.
    pub line: u64,
}

impl GameSpan {
    /// How many bytes the game has.
    pub fn length(self) -> u64 {
        self.end.saturating_sub(self.byte)
    }
}

/// Known offsets: from a scan just now, or saved from an earlier one.
pub trait OffsetLookup: Send + Sync {
    /// The number of games.
    fn count(&self) -> u64;

    /// The offsets of a game by its number, from 1; `None` if they are not known.
    fn place(&self, number: u64) -> Option<GameSpan>;

    /// The number of games that begin before a byte; `None` if it is not known.
    fn before(&self, byte: u64) -> Option<u64>;

    /// [`GameOffsets::about`].
    fn about(&self) -> &str;

    /// All offsets, if they are usable.
    fn all(&self) -> Option<GameOffsets>;
}

impl OffsetLookup for GameOffsets {
    fn count(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn place(&self, number: u64) -> Option<GameSpan> {
        let at = usize::try_from(number.checked_sub(1)?).ok()?;
        Some(GameSpan {
            byte: *self.bytes.get(at)?,
            end: self.bytes.get(at + 1).copied().unwrap_or(self.end),
            line: *self.lines.get(at)?,
        })
    }

    fn before(&self, byte: u64) -> Option<u64> {
        Some(self.bytes.partition_point(|begin| *begin < byte) as u64)
    }

    fn about(&self) -> &str {
        &self.about
    }

    fn all(&self) -> Option<GameOffsets> {
        Some(self.clone())
    }
}
