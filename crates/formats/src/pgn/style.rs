//! The form in which PGN is written.

/// How moves are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum MoveStyle {
    /// Standard algebraic notation: `Nf3`.
    #[default]
    San,
    /// Long algebraic notation: `Ng1-f3`.
    Long,
    /// As engines write: `g1f3`.
    Uci,
}

/// Which marks on boards are written in comments.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Marks {
    /// `[%csl …]` and `[%cal …]`.
    Lichess,
    /// `[%draw …]`.
    Scid,
}

/// The form of PGN; the default is the export format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnStyle {
    /// Comments are written.
    pub comments: bool,
    /// NAGs are written.
    pub nags: bool,
    /// Variations are written.
    pub variations: bool,
    /// Only these tags are written, in this order, where the game has them; all where `None`.
    pub only_tags: Option<Vec<String>>,
    /// The notation.
    pub moves: MoveStyle,
    /// Characters in a line at most; 0 for one line of movetext a game.
    pub width: usize,
    /// The whole game, tags included, in one line.
    pub one_line: bool,
    /// `1.e4` in place of `1. e4`.
    pub compact_numbers: bool,
    /// `!?` in place of `$5`, and the signs of positions, where a NAG has one.
    pub glyphs: bool,
    /// Tags in the order of the source.
    pub keep_tag_order: bool,
    /// A new file every so many games.
    pub split: Option<u64>,
    /// Marks are translated into this form.
    pub marks: Option<Marks>,
}

impl Default for PgnStyle {
    fn default() -> PgnStyle {
        PgnStyle {
            comments: true,
            nags: true,
            variations: true,
            only_tags: None,
            moves: MoveStyle::San,
            width: 79,
            one_line: false,
            compact_numbers: false,
            glyphs: false,
            keep_tag_order: false,
            split: None,
            marks: None,
        }
    }
}

impl PgnStyle {
    /// The reduced export format: roster tags and moves.
    pub fn reduced() -> PgnStyle {
        PgnStyle {
            comments: false,
            nags: false,
            variations: false,
            only_tags: Some(
                tabiya_model::tags::ROSTER
                    .iter()
                    .map(|name| (*name).to_owned())
                    .collect(),
            ),
            ..PgnStyle::default()
        }
    }
}
