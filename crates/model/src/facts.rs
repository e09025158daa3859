//! Facts: everything that is known about games without reading them. Lists, searches, the explorer and statistics use
//! them.
//!
//! A [`GameFacts`] has the values that reading the game would show, or bounds of them. A field that it leaves *unsaid* is
//! unknown, and the game has to be read for it. Names are numbers of a table, so that a search tests each name once. Facts
//! derived from the moves (final material, home pawns, stored line) are as correct as the program that wrote them: a search
//! has an option to ignore them.
//!
//! A format with its own index implements [`FactSource`] on it; for the others, the index beside the database does.
//! Readers use [`crate::Database::facts`] and do not know which of the two answers.

use std::borrow::Cow;

use shakmaty::Color;

use crate::date::{Date, DateForm};
use crate::diagnostic::Severity;
use crate::eco::EcoCode;
use crate::game::{FLAGS_TAG, Game, StartingPosition};
use crate::outcome::Outcome;
use crate::rating::{Rating, RatingKind};
use crate::tags::Tags;
use crate::tape::TapeOp;

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

impl NameTable {
    /// All of them.
    pub const ALL: [NameTable; 4] = [
        NameTable::Players,
        NameTable::Events,
        NameTable::Sites,
        NameTable::Rounds,
    ];

    /// The fields that hold names of the table.
    #[must_use]
    pub const fn fields(self) -> FactFields {
        match self {
            NameTable::Players => FactFields::WHITE.union(FactFields::BLACK),
            NameTable::Events => FactFields::EVENT,
            NameTable::Sites => FactFields::SITE,
            NameTable::Rounds => FactFields::ROUND,
        }
    }
}

/// The letters of the bits of [`GameFacts::flags`], from the lowest: Scid's.
pub const FLAG_LETTERS: [u8; 22] = *b"SXYDWBMENPTKQ!?U123456";
/// The bit of a game that is marked as deleted.
pub const DELETED: u32 = 8;
/// The bit of a custom starting position.
pub const SETUP: u32 = 1;
/// The bit of a promotion in the main line.
pub const PROMOTION: u32 = 2;
/// The bit of a promotion to something other than a queen.
pub const UNDER_PROMOTION: u32 = 4;

/// A set of the fields of a [`GameFacts`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FactFields(u16);

impl FactFields {
    /// No field.
    pub const NONE: FactFields = FactFields(0);
    /// White's name.
    pub const WHITE: FactFields = FactFields(1);
    /// Black's name.
    pub const BLACK: FactFields = FactFields(1 << 1);
    /// The event.
    pub const EVENT: FactFields = FactFields(1 << 2);
    /// The site.
    pub const SITE: FactFields = FactFields(1 << 3);
    /// The round.
    pub const ROUND: FactFields = FactFields(1 << 4);
    /// Both ratings.
    pub const RATINGS: FactFields = FactFields(1 << 5);
    /// The date.
    pub const DATE: FactFields = FactFields(1 << 6);
    /// The event's date.
    pub const EVENT_DATE: FactFields = FactFields(1 << 7);
    /// The result.
    pub const OUTCOME: FactFields = FactFields(1 << 8);
    /// The ECO code.
    pub const ECO: FactFields = FactFields(1 << 9);
    /// The number of plies.
    pub const PLIES: FactFields = FactFields(1 << 10);
    /// The flags.
    pub const FLAGS: FactFields = FactFields(1 << 11);
    /// Whether there are comments, variations and NAGs.
    pub const ANNOTATIONS: FactFields = FactFields(1 << 12);
    /// The facts derived from the moves, including the promotion flags.
    pub const MOVES: FactFields = FactFields(1 << 13);
    /// Both Elo ratings.
    pub const ELOS: FactFields = FactFields(1 << 14);
    /// All of them.
    pub const ALL: FactFields = FactFields((1 << 15) - 1);
    /// The fields of a game list, except the number of plies.
    pub const LISTED: FactFields = FactFields::WHITE
        .union(FactFields::BLACK)
        .union(FactFields::EVENT)
        .union(FactFields::SITE)
        .union(FactFields::ROUND)
        .union(FactFields::ELOS)
        .union(FactFields::DATE)
        .union(FactFields::OUTCOME)
        .union(FactFields::ECO)
        .union(FactFields::FLAGS);

    /// The fields of both sets.
    #[must_use]
    pub const fn union(self, other: FactFields) -> FactFields {
        FactFields(self.0 | other.0)
    }

    /// The fields that are not in another set.
    #[must_use]
    pub const fn without(self, other: FactFields) -> FactFields {
        FactFields(self.0 & !other.0)
    }

    /// The fields that a tag may give.
    pub fn of_tag(name: &str) -> FactFields {
        match name {
            "White" => FactFields::WHITE,
            "Black" => FactFields::BLACK,
            "Event" => FactFields::EVENT,
            "Site" => FactFields::SITE,
            "Round" => FactFields::ROUND,
            "Date" => FactFields::DATE,
            "EventDate" => FactFields::EVENT_DATE,
            "Result" => FactFields::OUTCOME,
            "ECO" => FactFields::ECO,
            FLAGS_TAG | "FEN" | "SetUp" => FactFields::FLAGS,
            _ if RatingKind::from_tag_name(name).is_some() => {
                FactFields::RATINGS.union(FactFields::ELOS)
            }
            _ => FactFields::NONE,
        }
    }

    /// The fields that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: FactFields) -> FactFields {
        FactFields(self.0 & other.0)
    }

    /// Whether there is no field.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether any field is in both sets.
    #[inline]
    pub const fn meets(self, other: FactFields) -> bool {
        self.0 & other.0 != 0
    }

    /// The set as a number.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set of such a number.
    pub const fn from_bits(bits: u16) -> FactFields {
        FactFields(bits & FactFields::ALL.0)
    }
}

/// What is known about one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameFacts {
    /// The fields about which it says nothing, so that the game has to be read for them.
    pub unsaid: FactFields,
    /// The fields that are said, but whose tag has another spelling than ours: a list that shows the tag reads the game.
    /// It is about [`FactFields::ELOS`] and [`FactFields::DATE`]; other fields have only one spelling.
    pub odd: FactFields,
    /// Numbers of White's and Black's name.
    pub players: [u32; 2],
    /// Number of the event's name.
    pub event: u32,
    /// Number of the site's name.
    pub site: u32,
    /// Number of the round's name.
    pub round: u32,
    /// White's and Black's rating of any kind; 0 for none.
    pub ratings: [u16; 2],
    /// White's and Black's Elo rating; 0 for none.
    pub elos: [u16; 2],
    /// The date.
    pub date: Date,
    /// The event's date.
    pub event_date: Option<Date>,
    /// The result.
    pub outcome: Outcome,
    /// Scid's code of the ECO code, 0 for none.
    pub eco: u16,
    /// Plies of the main line, if the index is certain of them.
    pub plies: Option<u32>,
    /// Flags, one bit for each of [`FLAG_LETTERS`].
    pub flags: u32,
    /// Whether there is a comment with text.
    pub comments: bool,
    /// Whether there is a variation.
    pub variations: bool,
    /// Whether there is a NAG.
    pub nags: bool,
    /// The facts derived from the moves.
    pub moves: Option<MoveFacts>,
}

/// The bits of [`GameFacts::flags`] that are derived from the game and are not letters of a tag.
pub const FROM_THE_GAME: u32 = SETUP | PROMOTION | UNDER_PROMOTION;

/// The facts of the main line of a game from the normal starting position. They always come with the promotion flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveFacts {
    /// The pieces on the board at the end: queens, rooks, bishops, knights in two bits each and at most three, pawns in
    /// four; Black's in the low twelve bits, White's above.
    pub material: u32,
    /// Pawns in the order in which they left their home squares, by moving or by being captured, four bits each from
    /// the top: 15 for the a-pawn of White to 8, 7 for the a-pawn of Black to 0.
    pub home_pawns: u64,
    /// The number of pawns that left.
    pub home_count: u8,
    /// The number of the longest of [`FactSource::stored_lines`] that the game begins with, counted from 1; 0 for none.
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

/// A player's Elo rating; 0 counts as none.
pub fn elo(tags: &Tags, color: Color) -> Option<u16> {
    let tag = RatingKind::Elo.tag_name(color);
    Rating::parse(RatingKind::Elo, tags.value(tag)).map(|rating| rating.value)
}

/// The date in a tag, in any form.
pub fn date(tags: &Tags, name: &str) -> Option<Date> {
    Date::read(tags.get(name)?).map(|(date, _)| date)
}

/// Facts of which nothing is known.
impl Default for GameFacts {
    fn default() -> GameFacts {
        GameFacts {
            unsaid: FactFields::ALL,
            odd: FactFields::NONE,
            players: [0; 2],
            event: 0,
            site: 0,
            round: 0,
            ratings: [0; 2],
            elos: [0; 2],
            date: Date::default(),
            event_date: None,
            outcome: Outcome::Unknown,
            eco: 0,
            plies: None,
            flags: 0,
            comments: false,
            variations: false,
            nags: false,
            moves: None,
        }
    }
}

impl GameFacts {
    /// The facts of a completely read game, except those derived from its moves. `number` gives a name its number, or
    /// `None` if there is no room for it.
    pub fn of_game(game: &Game, number: impl FnMut(NameTable, &str) -> Option<u32>) -> GameFacts {
        let mut fact = GameFacts::of_tags(game, FactFields::ALL, number);
        fact.unsaid = if game.diagnostics.at_least(Severity::Damage) > 0 {
            // A damaged game is read and reported by every query.
            FactFields::ALL
        } else {
            fact.unsaid.without(OF_THE_MOVES)
        };
        for op in game.tape.ops() {
            match op {
                TapeOp::Comment(id) => fact.comments |= !game.tape.text(id).is_empty(),
                TapeOp::Begin(_) => fact.variations = true,
                TapeOp::Nag(_) => fact.nags = true,
                _ => {}
            }
        }
        fact.plies = u32::try_from(game.tape.plies()).ok();
        fact
    }

    /// The facts of a game whose tags were read, as far as they are wanted. Facts that are not wanted, or derived from
    /// its moves, are left unsaid.
    pub fn of_tags(
        game: &Game,
        wanted: FactFields,
        mut number: impl FnMut(NameTable, &str) -> Option<u32>,
    ) -> GameFacts {
        let tags = &game.tags;
        let mut fact = GameFacts {
            unsaid: FactFields::ALL.without(wanted).union(OF_THE_MOVES),
            ..GameFacts::default()
        };
        let mut name = |unsaid: &mut FactFields, table, tag, field| {
            if !wanted.meets(field) {
                return 0;
            }
            number(table, tags.value(tag)).unwrap_or_else(|| {
                *unsaid = unsaid.union(field);
                0
            })
        };
        let mut unsaid = fact.unsaid;
        fact.players = [
            name(&mut unsaid, NameTable::Players, "White", FactFields::WHITE),
            name(&mut unsaid, NameTable::Players, "Black", FactFields::BLACK),
        ];
        fact.event = name(&mut unsaid, NameTable::Events, "Event", FactFields::EVENT);
        fact.site = name(&mut unsaid, NameTable::Sites, "Site", FactFields::SITE);
        fact.round = name(&mut unsaid, NameTable::Rounds, "Round", FactFields::ROUND);
        fact.unsaid = unsaid;
        if wanted.meets(FactFields::RATINGS) {
            fact.ratings = BOTH.map(|color| rating(tags, color).unwrap_or(0));
        }
        if wanted.meets(FactFields::ELOS) {
            fact.elos = BOTH.map(|color| elo(tags, color).unwrap_or(0));
            for (color, elo) in BOTH.into_iter().zip(fact.elos) {
                let text = tags.value(RatingKind::Elo.tag_name(color));
                if !is_decimal(text, elo) {
                    fact.odd = fact.odd.union(FactFields::ELOS);
                }
            }
        }
        if wanted.meets(FactFields::DATE) {
            let read = tags.get("Date").and_then(Date::read);
            fact.date = read.map_or_else(Date::default, |(date, _)| date);
            if read.is_none_or(|(_, form)| form != DateForm::Exact) {
                fact.odd = fact.odd.union(FactFields::DATE);
            }
        }
        if wanted.meets(FactFields::EVENT_DATE) {
            fact.event_date = date(tags, "EventDate");
        }
        if wanted.meets(FactFields::OUTCOME) {
            fact.outcome = game.result();
        }
        if wanted.meets(FactFields::ECO) {
            // If the text differs from the code, or has more than it, the tag itself is read.
            let eco = tags.value("ECO");
            let code = EcoCode::parse(eco);
            let code = code.filter(|code| code.sub().is_none() && code.to_string() == eco);
            if code.is_none() && !eco.is_empty() {
                fact.unsaid = fact.unsaid.union(FactFields::ECO);
            }
            fact.eco = code.map_or(0, EcoCode::to_scid);
        }
        if wanted.meets(FactFields::FLAGS) {
            for letter in tags.value(FLAGS_TAG).bytes() {
                match FLAG_LETTERS.iter().position(|known| *known == letter) {
                    Some(bit) if 1 << bit & FROM_THE_GAME == 0 => fact.flags |= 1 << bit,
                    _ => fact.unsaid = fact.unsaid.union(FactFields::FLAGS),
                }
            }
            if game.start != StartingPosition::Standard {
                fact.flags |= SETUP;
            }
        }
        fact
    }

    /// Whether all of these fields are said, in the words of the tags.
    #[inline]
    pub fn says(&self, fields: FactFields) -> bool {
        !self.unsaid.union(self.odd).meets(fields)
    }

    /// Whether the game is marked as deleted.
    pub fn is_deleted(&self) -> bool {
        self.flags & DELETED != 0
    }

    /// Whether the game starts from a custom starting position.
    pub fn is_setup(&self) -> bool {
        self.flags & SETUP != 0
    }

    /// The ECO code, if there is one.
    pub fn eco_code(&self) -> Option<EcoCode> {
        EcoCode::from_scid(self.eco)
    }

    /// The letters of the flags that users set, deletion among them.
    pub fn flag_letters(&self) -> String {
        let flags = self.flags & !FROM_THE_GAME;
        (0..)
            .zip(FLAG_LETTERS)
            .filter(|(bit, _)| flags >> bit & 1 != 0)
            .map(|(_, letter)| char::from(letter))
            .collect()
    }
}

/// Facts that tags cannot give.
const OF_THE_MOVES: FactFields = FactFields::PLIES
    .union(FactFields::ANNOTATIONS)
    .union(FactFields::MOVES);

const BOTH: [Color; 2] = [Color::White, Color::Black];

/// Whether a text is the canonical form of a rating; the canonical form of no rating is no text.
fn is_decimal(text: &str, rating: u16) -> bool {
    if rating == 0 {
        return text.is_empty();
    }
    !text.starts_with(['0', '+']) && text.parse() == Ok(rating)
}

/// A summary of all facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactsOverview {
    /// The first date whose year is known.
    pub first: Option<Date>,
    /// The last date whose year is known.
    pub last: Option<Date>,
    /// The number of games that are marked as deleted.
    pub deleted: u64,
}

impl FactsOverview {
    /// Adds a game.
    pub fn add(&mut self, date: Option<Date>, deleted: bool) {
        self.deleted += u64::from(deleted);
        let Some(date) = date.filter(|date| date.year.is_some()) else {
            return;
        };
        let key = |date: &Date| (date.year, date.month, date.day);
        if self
            .first
            .as_ref()
            .is_none_or(|first| key(&date) < key(first))
        {
            self.first = Some(date);
        }
        if self.last.as_ref().is_none_or(|last| key(&date) > key(last)) {
            self.last = Some(date);
        }
    }

    /// Counts the games of another overview in.
    pub fn merge(&mut self, other: FactsOverview) {
        self.deleted += other.deleted;
        self.add(other.first, false);
        self.add(other.last, false);
    }
}

/// A provider of the facts of all games of a database: its own index, or the index beside it.
pub trait FactSource: Sync {
    /// The number of games.
    fn len(&self) -> u64;

    /// Whether there is no game.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The facts of a game by its number, from 1; `None` beyond the last. Other fields than the wanted ones may hold
    /// anything.
    fn fact(&self, number: u64, wanted: FactFields) -> Option<GameFacts>;

    /// The fields that are unsaid for every game: a consumer that needs them reads the games in order.
    fn never_says(&self) -> FactFields {
        FactFields::NONE
    }

    /// Whether the facts come from an index, which is used before games are read or columns are decompressed, and which leaves
    /// no field unsaid for all games.
    fn is_index(&self) -> bool {
        self.never_says().is_empty()
    }

    /// Whether a game has further tags that may give fields that its facts leave empty.
    fn has_more_tags(&self, number: u64, of: FactFields) -> bool;

    /// Whether the tags of a game spell some of these fields differently from its facts, possibly with another meaning:
    /// `2011.19.11` for the 19th of November.
    fn spells_otherwise(&self, _number: u64, _of: FactFields) -> bool {
        false
    }

    /// How many names a table has.
    fn names(&self, table: NameTable) -> u32;

    /// The same, if only the names in these fields must be known.
    fn names_of(&self, table: NameTable, _fields: FactFields) -> u32 {
        self.names(table)
    }

    /// The name with this number, as in a game that was read.
    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str>;

    /// The lines that [`MoveFacts::stored_line`] counts, in SAN with spaces between.
    fn stored_lines(&self) -> &'static [&'static str] {
        &[]
    }

    /// The name of the player of a side.
    fn player(&self, fact: &GameFacts, color: Color) -> Cow<'_, str> {
        let [white, black] = fact.players;
        self.name(NameTable::Players, color.fold_wb(white, black))
    }

    /// The name of the event.
    fn event(&self, fact: &GameFacts) -> Cow<'_, str> {
        self.name(NameTable::Events, fact.event)
    }

    /// The name of the site.
    fn site(&self, fact: &GameFacts) -> Cow<'_, str> {
        self.name(NameTable::Sites, fact.site)
    }

    /// The round.
    fn round(&self, fact: &GameFacts) -> Cow<'_, str> {
        self.name(NameTable::Rounds, fact.round)
    }

    /// A summary of all facts; `None` if the facts of a game leave it unsaid.
    fn overview(&self) -> Option<FactsOverview> {
        let wanted = FactFields::DATE.union(FactFields::FLAGS);
        let mut overview = FactsOverview::default();
        for number in 1..=self.len() {
            let fact = self.fact(number, wanted)?;
            if fact.unsaid.meets(wanted) {
                return None;
            }
            overview.add(Some(fact.date), fact.is_deleted());
        }
        Some(overview)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(tags: &[(&str, &str)]) -> GameFacts {
        let mut game = Game::default();
        for (name, value) in tags {
            game.tags.push(name, value);
        }
        GameFacts::of_game(&game, |_, _| Some(0))
    }

    #[test]
    fn what_is_spelled_oddly_is_said_but_not_in_the_words_of_the_tag() {
        let plain = fact(&[("Date", "1992.11.04"), ("WhiteElo", "2785")]);
        assert!(plain.says(FactFields::ALL));
        assert_eq!((plain.elos, plain.ratings), ([2785, 0], [2785, 0]));
        for (name, value, field) in [
            ("Date", "1992-11-04", FactFields::DATE),
            ("Date", "1992.11.4", FactFields::DATE),
            ("WhiteElo", "2785?", FactFields::ELOS),
            ("WhiteElo", " 2785", FactFields::ELOS),
            ("WhiteElo", "02785", FactFields::ELOS),
            ("BlackElo", "-", FactFields::ELOS),
            ("BlackElo", "0", FactFields::ELOS),
        ] {
            let mut tags = vec![("Date", "????.??.??")];
            tags.retain(|(known, _)| *known != name);
            tags.push((name, value));
            let odd = fact(&tags);
            assert_eq!(
                (odd.unsaid, odd.odd),
                (FactFields::NONE, field),
                "{name} {value}"
            );
            assert!(!odd.says(field));
        }
        // A missing tag is not a tag with an unknown date.
        assert_eq!(fact(&[]).odd, FactFields::DATE);
    }

    #[test]
    fn a_rating_of_another_kind_is_no_elo() {
        let fact = fact(&[("WhiteUSCF", "1500"), ("WhiteElo", "1600")]);
        assert_eq!((fact.ratings, fact.elos), ([1500, 0], [1600, 0]));
    }

    #[test]
    fn what_is_not_wanted_is_left_unsaid() {
        let mut game = Game::default();
        game.tags.push("White", "A");
        game.tags.push("Date", "2001.02.03");
        let fact = GameFacts::of_tags(&game, FactFields::DATE, |_, _| panic!("no name is wanted"));
        assert_eq!(fact.unsaid, FactFields::ALL.without(FactFields::DATE));
        assert_eq!(fact.date.year, Some(2001));
    }

    #[test]
    fn flags_come_back_as_letters() {
        let fact = fact(&[("ScidFlags", "DW!")]);
        assert!(fact.is_deleted() && !fact.is_setup());
        assert_eq!(fact.flag_letters(), "DW!");
    }
}
