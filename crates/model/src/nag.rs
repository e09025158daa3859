//! Numeric annotation glyphs: their numbers, meanings and signs.

/// A numeric annotation glyph; numbers that nobody has defined are kept as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Nag(pub u32);

/// What a glyph speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NagKind {
    /// Nothing: number 0.
    Null,
    /// The move just made.
    Move,
    /// The position.
    Position,
    /// The clock.
    Time,
    /// Remarks on the text, diagrams and later extensions.
    Other,
}

impl Nag {
    /// What the glyph speaks of.
    #[must_use]
    pub fn kind(self) -> NagKind {
        match self.0 {
            0 => NagKind::Null,
            1..=9 => NagKind::Move,
            10..=135 => NagKind::Position,
            136..=139 => NagKind::Time,
            _ => NagKind::Other,
        }
    }
}
