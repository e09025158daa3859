//! Facts: what an index says about games in numbers, so that a search can leave out most of them unread.
//!
//! A fact is what reading the game would show, or a bound of it. Names are numbers of a table, so that a search
//! tests each name once. What follows from the moves (final material, home pawns, stored line) is as right as the
//! program that wrote it: a search has a switch to do without.

use std::borrow::Cow;

use shakmaty::Color;

use crate::date::Date;
use crate::diagnostic::Severity;
use crate::eco::Eco;
use crate::game::{FLAGS_TAG, Game, Start};
use crate::outcome::Outcome;
use crate::rating::RatingKind;
use crate::tags::Tags;
use crate::tape::Op;

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
/// The bit of a set-up position.
pub const SETUP: u32 = 1;
/// The bit of a promotion in the main line.
pub const PROMOTION: u32 = 2;
/// The bit of a promotion to something other than a queen.
pub const UNDER_PROMOTION: u32 = 4;

/// A set of the fields of a [`Fact`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fields(u16);

impl Fields {
    /// No field.
    pub const NONE: Fields = Fields(0);
    /// White's name.
    pub const WHITE: Fields = Fields(1);
    /// Black's name.
    pub const BLACK: Fields = Fields(1 << 1);
    /// The event.
    pub const EVENT: Fields = Fields(1 << 2);
    /// The site.
    pub const SITE: Fields = Fields(1 << 3);
    /// The round.
    pub const ROUND: Fields = Fields(1 << 4);
    /// Both ratings.
    pub const RATINGS: Fields = Fields(1 << 5);
    /// The date.
    pub const DATE: Fields = Fields(1 << 6);
    /// The event's date.
    pub const EVENT_DATE: Fields = Fields(1 << 7);
    /// The result.
    pub const OUTCOME: Fields = Fields(1 << 8);
    /// The ECO code.
    pub const ECO: Fields = Fields(1 << 9);
    /// The number of half-moves.
    pub const PLIES: Fields = Fields(1 << 10);
    /// The flags.
    pub const FLAGS: Fields = Fields(1 << 11);
    /// Whether there are comments, variations and NAGs.
    pub const ANNOTATIONS: Fields = Fields(1 << 12);
    /// What follows from the moves.
    pub const MOVES: Fields = Fields(1 << 13);
    /// All of them.
    pub const ALL: Fields = Fields((1 << 14) - 1);

    /// The fields of both sets.
    #[must_use]
    pub const fn union(self, other: Fields) -> Fields {
        Fields(self.0 | other.0)
    }

    /// Whether any field is in both sets.
    #[inline]
    pub const fn meets(self, other: Fields) -> bool {
        self.0 & other.0 != 0
    }

    /// The set as a number.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set of such a number.
    pub const fn from_bits(bits: u16) -> Fields {
        Fields(bits & Fields::ALL.0)
    }
}

/// What an index says about one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The fields about which it says nothing, so that the game has to be read for them.
    pub unsaid: Fields,
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

/// The bits of [`Fact::flags`] that follow from the game and are no letters of a tag.
pub const FROM_THE_GAME: u32 = SETUP | PROMOTION | UNDER_PROMOTION;

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

/// A player's rating: the first of the rating tags of any kind; 0 counts as none.
pub fn rating(tags: &Tags, color: Color) -> Option<u16> {
    let prefix = match color {
        Color::White => "White",
        Color::Black => "Black",
    };
    tags.iter()
        .filter(|tag| tag.name.starts_with(prefix))
        .find(|tag| RatingKind::from_tag_name(tag.name).is_some_and(|(owner, _)| owner == color))
        .and_then(|tag| tag.value.trim().parse::<u16>().ok())
        .filter(|rating| *rating != 0)
}

/// The date in a tag, in whatever form it stands there.
pub fn date(tags: &Tags, name: &str) -> Option<Date> {
    Date::read(tags.get(name)?).map(|(date, _)| date)
}

impl Fact {
    /// The facts of a game that was read whole, but for what follows from its moves. `number` gives a name its
    /// number, or `None` where there is no room for it.
    pub fn of_game(game: &Game, mut number: impl FnMut(NameTable, &str) -> Option<u32>) -> Fact {
        let tags = &game.tags;
        let mut unsaid = Fields::NONE;
        if game.diagnostics.at_least(Severity::Damage) > 0 {
            // What is damaged is read and reported whenever it is asked about.
            unsaid = Fields::ALL;
        }
        let mut name = |table, tag, field| {
            number(table, tags.value(tag)).unwrap_or_else(|| {
                unsaid = unsaid.union(field);
                0
            })
        };
        let players = [
            name(NameTable::Players, "White", Fields::WHITE),
            name(NameTable::Players, "Black", Fields::BLACK),
        ];
        let event = name(NameTable::Events, "Event", Fields::EVENT);
        let site = name(NameTable::Sites, "Site", Fields::SITE);
        let round = name(NameTable::Rounds, "Round", Fields::ROUND);
        // A text that says more than the code, or says it in another way, is looked at where it stands.
        let eco = tags.value("ECO");
        let code = Eco::parse(eco).filter(|code| code.sub().is_none() && code.to_string() == eco);
        if code.is_none() && !eco.is_empty() {
            unsaid = unsaid.union(Fields::ECO);
        }
        let mut flags = 0;
        for letter in tags.value(FLAGS_TAG).bytes() {
            match FLAG_LETTERS.iter().position(|known| *known == letter) {
                Some(bit) if 1 << bit & FROM_THE_GAME == 0 => flags |= 1 << bit,
                _ => unsaid = unsaid.union(Fields::FLAGS),
            }
        }
        if game.start != Start::Standard {
            flags |= SETUP;
        }
        let (mut comments, mut variations, mut nags) = (false, false, false);
        for op in game.tape.ops() {
            match op {
                Op::Comment(id) => comments |= !game.tape.text(id).is_empty(),
                Op::Begin(_) => variations = true,
                Op::Nag(_) => nags = true,
                _ => {}
            }
        }
        Fact {
            unsaid,
            players,
            event,
            site,
            round,
            ratings: [Color::White, Color::Black].map(|color| rating(tags, color).unwrap_or(0)),
            date: date(tags, "Date").unwrap_or_default(),
            event_date: date(tags, "EventDate"),
            outcome: game.result(),
            eco: code.map_or(0, Eco::to_scid),
            plies: u32::try_from(game.tape.plies()).ok(),
            flags,
            comments,
            variations,
            nags,
            moves: None,
        }
    }
}

/// An index that states facts about games.
pub trait Facts: Sync {
    /// The number of games.
    fn len(&self) -> u64;

    /// Whether there is no game.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The facts of a game by its number, from 1; `None` beyond the last. Fields that are not wanted may hold anything.
    fn fact(&self, number: u64, wanted: Fields) -> Option<Fact>;

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
