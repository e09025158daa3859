//! Questions about a game's tags, its counts and its annotations.

use std::ops::Range;
use std::sync::Arc;

use shakmaty::Color;
use tabiya_model::command::{ClockKind, CommentCommand, Evaluation, commands};
use tabiya_model::date::Date;
use tabiya_model::facts;
use tabiya_model::game::{FLAGS_TAG, StartingPosition};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::tags::TagSet;
use tabiya_model::time_class::{self, TimeClass};
use tabiya_model::{Game, TapeOp};

pub use crate::language::values::DateBound;
use crate::language::values::{mate_score, within};
use crate::terms::engine_scores;
use crate::terms::evaluations::EvaluationTerm;
use crate::terms::openings;
use crate::terms::openings::OpeningTest;
use crate::terms::repertoires::RepertoireTest;
use crate::terms::text::TextTest;

/// A text of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextField {
    /// White's name.
    White,
    /// Black's name.
    Black,
    /// The name of either player.
    Player,
    /// The event.
    Event,
    /// The site.
    Site,
    /// The round.
    Round,
    /// Who annotated the game.
    Annotator,
    /// The names of opening and variation.
    Opening,
    /// The time control, as in the tag.
    TimeControl,
    /// A player's title; of either where none is named.
    Title(Option<Color>),
    /// A player's country or federation.
    Country(Option<Color>),
    /// Any tag of this name, in any case.
    Tag(String),
    /// Any comment.
    Comment,
}

/// A number of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberField {
    /// White's rating.
    WhiteElo,
    /// Black's rating.
    BlackElo,
    /// The ratings of both players: both have to be in the range.
    Elo,
    /// The rating of either player.
    AnyElo,
    /// The mean of both ratings. Its bounds are in halves, so that 2500.5 is above 2500.
    AverageElo,
    /// White's rating less Black's.
    EloDifference,
    /// The year.
    Year,
    /// The month.
    Month,
    /// Plies of the main line.
    Plies,
    /// Moves of the main line, a last single ply counted as one.
    Moves,
    /// The number of the game in its database.
    Number,
}

/// A property of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameFeature {
    /// A comment with text.
    Comments,
    /// A variation.
    Variations,
    /// A NAG.
    Nags,
    /// A custom starting position.
    Setup,
    /// A clock time in a comment.
    Clock,
    /// An evaluation in a comment.
    Eval,
    /// A move.
    Moves,
    /// Movetext that could not be read, or another finding about damage.
    Damage,
}

/// A question about a game as a whole.
#[derive(Clone, Debug)]
pub enum FieldTerm {
    /// A text passes a test.
    Text(TextField, TextTest),
    /// A number is between two others, both included.
    Number(NumberField, i64, i64),
    /// The number of the game in its database is in one of these ranges, which rise and do not overlap.
    Numbers(Arc<[Range<u64>]>),
    /// A date is between two bounds, both included.
    Date {
        /// The event's date instead of the game's.
        event: bool,
        /// The earliest date.
        low: Option<DateBound>,
        /// The latest date.
        high: Option<DateBound>,
    },
    /// The ECO code is between two codes or beginnings of codes, in capitals.
    Eco(String, String),
    /// The result is one of these, by their numbers in [`Outcome::ALL`].
    Result([bool; 4]),
    /// The game has a property.
    Has(GameFeature),
    /// A NAG is somewhere in the game.
    Nag(Nag),
    /// The game is flagged with this letter of Scid's.
    Flag(char),
    /// There is a tag of this name.
    HasTag(String),
    /// The game is of that speed, or its speed is unknown.
    Speed(Option<TimeClass>),
    /// A clock shows between these numbers of milliseconds.
    Clock(i64, i64),
    /// An evaluation is between these numbers of hundredths of a pawn; a mate counts 100000 less its moves.
    Eval(i64, i64),
    /// A question about the evaluations of moves.
    Evaluations(EvaluationTerm),
    /// A tag names the opening.
    NamesOpening,
    /// A tag has an ECO code, or whatever stands in its place.
    HasEcoCode,
    /// The opening by position passes a test.
    OpeningByPosition(OpeningTest),
    /// Where the game leaves a repertoire.
    Repertoire(RepertoireTest),
}

/// How much of a game has to be read for a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ReadDepth {
    /// The tags.
    Tags,
    /// The moves of the main line.
    MainLine,
    /// The moves of all lines.
    Variations,
    /// Everything.
    All,
}

/// Whether a number lies in one of some ranges, which rise.
pub(crate) fn is_in(ranges: &[Range<u64>], number: u64) -> bool {
    let at = ranges.partition_point(|range| range.end <= number);
    ranges.get(at).is_some_and(|range| range.contains(&number))
}

impl FieldTerm {
    /// How much of a game has to be read for the term.
    pub fn needs(&self) -> ReadDepth {
        match self {
            FieldTerm::Text(TextField::Comment, _)
            | FieldTerm::Nag(_)
            | FieldTerm::Clock(..)
            | FieldTerm::Eval(..)
            | FieldTerm::Evaluations(_) => ReadDepth::All,
            FieldTerm::Number(NumberField::Plies | NumberField::Moves, ..)
            | FieldTerm::OpeningByPosition(_)
            | FieldTerm::Repertoire(_) => ReadDepth::MainLine,
            FieldTerm::Has(GameFeature::Setup) => ReadDepth::Tags,
            FieldTerm::Has(GameFeature::Moves) => ReadDepth::MainLine,
            FieldTerm::Has(GameFeature::Variations) => ReadDepth::Variations,
            FieldTerm::Has(_) => ReadDepth::All,
            _ => ReadDepth::Tags,
        }
    }

    /// The tags that answer the term, if tags do.
    pub fn tags(&self) -> TagSet {
        match self {
            FieldTerm::Text(field, _) => match field {
                TextField::White => TagSet::of(&["White"]),
                TextField::Black => TagSet::of(&["Black"]),
                TextField::Player => TagSet::of(&["White", "Black"]),
                TextField::Event => TagSet::of(&["Event"]),
                TextField::Site => TagSet::of(&["Site"]),
                TextField::Round => TagSet::of(&["Round"]),
                TextField::Annotator => TagSet::of(&["Annotator"]),
                TextField::Opening => TagSet::of(&openings::TAGS),
                TextField::TimeControl => TagSet::of(&["TimeControl"]),
                TextField::Tag(name) => TagSet::of(&[name]),
                TextField::Title(_) => TagSet::of(&TITLES.concat()),
                TextField::Country(_) => TagSet::of(&COUNTRIES.concat()),
                TextField::Comment => TagSet::ALL,
            },
            FieldTerm::Number(field, ..) => match field {
                NumberField::Year | NumberField::Month => TagSet::of(&["Date"]),
                NumberField::Plies | NumberField::Moves | NumberField::Number => TagSet::NONE,
                _ => ratings(),
            },
            FieldTerm::Numbers(_) => TagSet::NONE,
            FieldTerm::Date { event, .. } => {
                TagSet::of(&[if *event { "EventDate" } else { "Date" }])
            }
            FieldTerm::Eco(..) | FieldTerm::HasEcoCode => TagSet::of(&["ECO"]),
            FieldTerm::NamesOpening => TagSet::of(&openings::TAGS),
            FieldTerm::OpeningByPosition(_) | FieldTerm::Repertoire(_) => TagSet::of(&["FEN"]),
            FieldTerm::Result(_) => TagSet::of(&["Result"]),
            FieldTerm::Has(GameFeature::Setup) => TagSet::of(&["FEN"]),
            FieldTerm::Flag(_) => TagSet::of(&[FLAGS_TAG]),
            FieldTerm::HasTag(name) => TagSet::of(&[name]),
            FieldTerm::Speed(_) => TagSet::of(&time_class::TAGS),
            FieldTerm::Has(_)
            | FieldTerm::Nag(_)
            | FieldTerm::Clock(..)
            | FieldTerm::Eval(..)
            | FieldTerm::Evaluations(_) => TagSet::ALL,
        }
    }

    /// Whether a game matches. `number` is the game's number in its database.
    pub fn matches(&self, game: &Game, number: u64) -> bool {
        let tags = &game.tags;
        match self {
            FieldTerm::Text(field, test) => text_matches(field, test, game),
            FieldTerm::Numbers(ranges) => is_in(ranges, number),
            FieldTerm::Number(field, low, high) => match field {
                NumberField::Plies => within(*low, *high, count(game.tape.plies())),
                NumberField::Moves => within(*low, *high, moves_of(count(game.tape.plies()))),
                NumberField::Number => {
                    within(*low, *high, i64::try_from(number).unwrap_or(i64::MAX))
                }
                NumberField::Year => facts::date(tags, "Date")
                    .and_then(|date| date.year)
                    .is_some_and(|year| within(*low, *high, i64::from(year))),
                NumberField::Month => facts::date(tags, "Date")
                    .and_then(|date| date.month)
                    .is_some_and(|month| within(*low, *high, i64::from(month))),
                _ => {
                    let rating = |color| facts::rating(tags, color);
                    elo_matches(
                        *field,
                        *low,
                        *high,
                        rating(Color::White),
                        rating(Color::Black),
                    )
                }
            },
            FieldTerm::Date { event, low, high } => {
                let name = if *event { "EventDate" } else { "Date" };
                date_matches(facts::date(tags, name), *low, *high)
            }
            FieldTerm::Eco(low, high) => eco_matches(tags.value("ECO"), low, high),
            FieldTerm::Result(set) => set[usize::from(game.result().to_scid() & 3)],
            FieldTerm::Has(feature) => has(*feature, game),
            FieldTerm::Nag(nag) => game.tape.ops().any(|op| op == TapeOp::Nag(*nag)),
            FieldTerm::Flag(letter) => tags.value(FLAGS_TAG).contains(*letter),
            FieldTerm::HasTag(name) => tags.iter().any(|tag| tag.name.eq_ignore_ascii_case(name)),
            FieldTerm::Speed(speed) => TimeClass::of_game(tags) == *speed,
            FieldTerm::Clock(low, high) => any_command(game, |command| match command {
                CommentCommand::Clock(ClockKind::Remaining, time) => {
                    let amount = i64::try_from(time.amount.as_millis()).unwrap_or(i64::MAX);
                    within(*low, *high, if time.negative { -amount } else { amount })
                }
                _ => false,
            }),
            FieldTerm::Evaluations(term) => term.matches(game),
            FieldTerm::NamesOpening => openings::is_named(tags),
            FieldTerm::HasEcoCode => tabiya_openings::is_told(tags.value("ECO")),
            FieldTerm::OpeningByPosition(test) => test.matches(openings::of_game(game)),
            FieldTerm::Repertoire(test) => test.answer_for(game).0,
            FieldTerm::Eval(low, high) => {
                let commands = any_command(game, |command| match command {
                    CommentCommand::Eval(score, _) => within(*low, *high, worth(score)),
                    _ => false,
                });
                commands || engine_scores::any(game, |value| within(*low, *high, value))
            }
        }
    }
}

/// What an evaluation is worth, in hundredths of a pawn.
pub(crate) fn worth(score: Evaluation) -> i64 {
    match score {
        Evaluation::Centipawns(value) => i64::from(value),
        Evaluation::Mate(moves) => mate_score(i64::from(moves)),
    }
}

fn count(plies: usize) -> i64 {
    i64::try_from(plies).unwrap_or(i64::MAX)
}

pub(crate) fn moves_of(plies: i64) -> i64 {
    plies / 2 + plies % 2
}

fn any_command(game: &Game, mut test: impl FnMut(CommentCommand) -> bool) -> bool {
    game.tape.ops().any(|op| match op {
        TapeOp::Comment(id) => commands(game.tape.text(id)).any(&mut test),
        _ => false,
    })
}

fn text_matches(field: &TextField, test: &TextTest, game: &Game) -> bool {
    let tags = &game.tags;
    let value = |name: &str| test.matches(tags.value(name));
    let either = |color: &Option<Color>, [white, black]: &[&[&str]; 2]| {
        let any = |names: &[&str]| {
            names
                .iter()
                .any(|name| tags.get(name).is_some_and(|value| test.matches(value)))
        };
        (*color != Some(Color::Black) && any(white)) || (*color != Some(Color::White) && any(black))
    };
    match field {
        TextField::White => value("White"),
        TextField::Black => value("Black"),
        TextField::Player => value("White") || value("Black"),
        TextField::Event => value("Event"),
        TextField::Site => value("Site"),
        TextField::Round => value("Round"),
        TextField::Annotator => value("Annotator"),
        TextField::TimeControl => value("TimeControl"),
        TextField::Opening => openings::tags_match(tags, test),
        TextField::Title(color) => either(color, &TITLES),
        TextField::Country(color) => either(color, &COUNTRIES),
        TextField::Tag(name) => tags
            .iter()
            .any(|tag| tag.name.eq_ignore_ascii_case(name) && test.matches(tag.value)),
        TextField::Comment => game.tape.ops().any(|op| match op {
            TapeOp::Comment(id) => test.matches(game.tape.text(id)),
            _ => false,
        }),
    }
}

/// The tags of titles, White's and Black's.
const TITLES: [&[&str]; 2] = [&["WhiteTitle"], &["BlackTitle"]];
/// The tags of countries and federations.
const COUNTRIES: [&[&str]; 2] = [
    &["WhiteCountry", "WhiteFederation", "WhiteFed"],
    &["BlackCountry", "BlackFederation", "BlackFed"],
];

/// The tags of ratings of any kind.
fn ratings() -> TagSet {
    let older = TagSet::of(&["WhiteBCF", "BlackBCF"]);
    RatingKind::all().fold(older, |set, kind| {
        set.union(TagSet::of(
            &[Color::White, Color::Black].map(|color| kind.tag_name(color)),
        ))
    })
}

pub(crate) fn elo_matches(
    field: NumberField,
    low: i64,
    high: i64,
    white: Option<u16>,
    black: Option<u16>,
) -> bool {
    let fits = |rating: Option<u16>| rating.is_some_and(|r| within(low, high, i64::from(r)));
    let both = white.zip(black).map(|(w, b)| (i64::from(w), i64::from(b)));
    match field {
        NumberField::WhiteElo => fits(white),
        NumberField::BlackElo => fits(black),
        NumberField::Elo => fits(white) && fits(black),
        NumberField::AnyElo => fits(white) || fits(black),
        NumberField::AverageElo => both.is_some_and(|(w, b)| within(low, high, w + b)),
        NumberField::EloDifference => both.is_some_and(|(w, b)| within(low, high, w - b)),
        _ => false,
    }
}

pub(crate) fn date_matches(
    date: Option<Date>,
    low: Option<DateBound>,
    high: Option<DateBound>,
) -> bool {
    date.is_some_and(|date| {
        date.year.is_some()
            && low.is_none_or(|low| low.compare(date).is_ge())
            && high.is_none_or(|high| high.compare(date).is_le())
    })
}

/// Whether a code lies between two, the upper one standing for all that begin with it.
pub(crate) fn eco_matches(code: &str, low: &str, high: &str) -> bool {
    let code = code.trim().as_bytes();
    if code.is_empty() || !code[0].is_ascii_alphabetic() {
        return false;
    }
    let upper = |bytes: &[u8]| bytes.to_ascii_uppercase();
    let code = upper(code);
    let cut = code.get(..high.len()).unwrap_or(&code);
    *code >= *low.as_bytes() && cut <= high.as_bytes()
}

fn has(feature: GameFeature, game: &Game) -> bool {
    let any = |test: fn(&TapeOp) -> bool| game.tape.ops().any(|op| test(&op));
    match feature {
        GameFeature::Comments => game.tape.ops().any(|op| match op {
            TapeOp::Comment(id) => !game.tape.text(id).is_empty(),
            _ => false,
        }),
        GameFeature::Variations => any(|op| matches!(op, TapeOp::Begin(_))),
        GameFeature::Nags => any(|op| matches!(op, TapeOp::Nag(_))),
        GameFeature::Moves => any(|op| matches!(op, TapeOp::Move(_))),
        GameFeature::Setup => {
            game.start != StartingPosition::Standard || game.tags.get("FEN").is_some()
        }
        GameFeature::Clock => {
            any_command(game, |command| matches!(command, CommentCommand::Clock(..)))
        }
        GameFeature::Eval => {
            any_command(game, |command| matches!(command, CommentCommand::Eval(..)))
        }
        GameFeature::Damage => {
            any(|op| matches!(op, TapeOp::Raw(_)))
                || game
                    .diagnostics
                    .iter()
                    .any(|found| found.code.severity == tabiya_model::Severity::Damage)
        }
    }
}

/// Which results a word means.
pub(crate) fn results(word: &str) -> Option<[bool; 4]> {
    let one = |outcome: Outcome| {
        let mut set = [false; 4];
        set[usize::from(outcome.to_scid() & 3)] = true;
        set
    };
    Some(match word.to_ascii_lowercase().as_str() {
        "white" | "white-wins" | "1" => one(Outcome::WhiteWins),
        "black" | "black-wins" | "0" => one(Outcome::BlackWins),
        "draw" | "drawn" => one(Outcome::Draw),
        "unknown" | "none" => one(Outcome::Unknown),
        "decisive" => [false, true, true, false],
        "finished" => [false, true, true, true],
        other => one(Outcome::read(other)?),
    })
}
