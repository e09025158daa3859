//! Facts: what an index says about games in numbers, so that a search can leave out most of them unread.
//!
//! A fact is what reading the game would show, or a bound of it. Names are numbers of a table, so that a search
//! tests each name once. What follows from the moves (final material, home pawns, stored line) is as right as the
//! program that wrote it: a search has a switch to do without.

use std::borrow::Cow;

use crate::date::Date;
use crate::outcome::Outcome;

/// The tables of names.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NameTable {
    /// White and Black.
    Players,
    /// Events.
    Events,
    /// Sites.
    Sites,
    /// Rounds.
    Rounds,
}

/// The letters of the bits of [`Fact::flags`], from the lowest: Scid's.
pub const FLAG_LETTERS: [u8; 22] = *b"SXYDWBMENPTKQ!?U123456";
/// The bit of a set-up position; this and the next two follow from the game and are no tag.
pub const SETUP: u32 = 1;
/// The bit of a promotion in the main line.
pub const PROMOTION: u32 = 2;
/// The bit of a promotion to something other than a queen.
pub const UNDER_PROMOTION: u32 = 4;

/// What an index says about one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Numbers of White's and Black's name.
    pub players: [u32; 2],
    /// Number of the event's name.
    pub event: u32,
    /// Number of the site's name.
    pub site: u32,
    /// Number of the round's name.
    pub round: u32,
    /// White's and Black's rating of any kind; 0 where the index has none.
    pub ratings: [u16; 2],
    /// The date.
    pub date: Date,
    /// The event's date.
    pub event_date: Option<Date>,
    /// The result.
    pub outcome: Outcome,
    /// Scid's code of the ECO code, 0 for none.
    pub eco: u16,
    /// Half-moves of the main line, where the index is sure of them.
    pub plies: Option<u32>,
    /// Flags, one bit for each of [`FLAG_LETTERS`].
    pub flags: u32,
    /// Whether there is a comment with text.
    pub comments: bool,
    /// Whether there is a variation.
    pub variations: bool,
    /// Whether there is a NAG.
    pub nags: bool,
    /// What follows from the moves.
    pub moves: Option<MoveFacts>,
}

/// What an index says about the main line of a game from the normal start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveFacts {
    /// What stands on the board at the end: queens, rooks, bishops, knights in two bits each and at most three, pawns
    /// in four; Black's in the low twelve bits, White's above.
    pub material: u32,
    /// Pawns in the order in which they left their home squares, by moving or by being taken, four bits each from the
    /// top: 15 for the a-pawn of White to 8, 7 for the a-pawn of Black to 0.
    pub home_pawns: u64,
    /// How many pawns left.
    pub home_count: u8,
    /// The number of the longest of [`Facts::stored_lines`] that the game begins with, counted from 1; 0 for none.
    pub stored_line: u8,
}

/// An index that states facts about games.
pub trait Facts: Sync {
    /// The number of games.
    fn len(&self) -> u64;

    /// Whether there is no game.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The facts of a game by its number, from 1; `None` beyond the last.
    fn fact(&self, number: u64) -> Option<Fact>;

    /// Whether a game has tags beyond those that its facts make.
    fn has_more_tags(&self, number: u64) -> bool;

    /// How many names a table has.
    fn names(&self, table: NameTable) -> u32;

    /// A name; what reading a game with this number would show.
    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str>;

    /// The lines that [`MoveFacts::stored_line`] counts, in SAN with spaces between.
    fn stored_lines(&self) -> &'static [&'static str] {
        &[]
    }
}
