//! Checks by `check` beyond reading: derived fields, files that belong to another database, and the files that can be rebuilt
//! from the others.

mod name_games;
mod name_orders;

use std::collections::BTreeMap;

use tabiya_model::game::StartingPosition;
use tabiya_model::tape::TapeOp;
use tabiya_model::{Game, Location};

use super::annotations::{Cbh2AnnotationCutter, kind};
use super::base::Cbh2Reader;
use super::codes;
use super::entities::{Cbh2EntityRecord, Cbh2EntityTable};
use super::layout::{
    Cbh2Frame, Cbh2FrameError, Cbh2GameRecord, Cbh2Record, DATA_HEADER, FLAG_CHESS960, FLAG_SETUP,
    FLAG_VARIATIONS,
};
use super::name_roles::Cbh2NameRole;
use crate::cbh::sample::sample;
use crate::counted::counted;

/// How many of what was compared in one file disagree.
#[derive(Copy, Clone, Debug, Default)]
struct Cbh2AuditTally {
    compared: u64,
    wrong: u64,
}

impl Cbh2AuditTally {
    fn add(&mut self, is_right: bool) {
        self.compared += 1;
        self.wrong += u64::from(!is_right);
    }

    /// Whether most disagree.
    fn is_foreign(self) -> bool {
        self.wrong > 0 && self.wrong * 2 > self.compared
    }
}

/// Compares a sample of all numbers and offsets with the files that they lead to.
pub(super) fn look_for_foreign_files(reader: &mut Cbh2Reader) {
    let mut tallies: BTreeMap<&'static str, Cbh2AuditTally> = BTreeMap::new();
    for number in sample(reader.headers_count()).map(|number| number + 1) {
        let Some(record) = reader.record(number) else {
            continue;
        };
        type Found<'a> = Option<Option<Result<Cbh2Frame<'a>, Cbh2FrameError>>>;
        let frames: [(&str, Found<'_>); 2] = [
            ("2cbg", record.body().map(|at| reader.move_frame(at))),
            (
                "2cba",
                record.annotations().map(|at| reader.annotation_frame(at)),
            ),
        ];
        for (extension, found) in frames {
            if let Some(Some(frame)) = found {
                tallies.entry(extension).or_default().add(frame.is_ok());
            }
        }
        let Some(names) = reader.names() else {
            continue;
        };
        for (role, id) in references(&record) {
            let is_there = names.get(role.table(), id).is_some();
            tallies.entry("2lid").or_default().add(is_there);
        }
    }
    for (extension, tally) in tallies {
        if tally.is_foreign() {
            let Cbh2AuditTally { compared, wrong } = tally;
            let what = match extension {
                "2lid" => "numbers refer to no name",
                _ => "offsets point to no record",
            };
            let message = format!("{wrong} of {compared} {what}");
            reader.report(&codes::FOREIGN_FILE, extension, message);
        }
    }
}

/// The names that a record refers to.
fn references(record: &Cbh2Record) -> Vec<(Cbh2NameRole, i64)> {
    let mut all = match record {
        Cbh2Record::Game(game) => vec![
            (Cbh2NameRole::Player, game.players[0]),
            (Cbh2NameRole::Player, game.players[1]),
            (Cbh2NameRole::Tournament, game.tournament),
            (Cbh2NameRole::Annotator, game.annotator),
            (Cbh2NameRole::Source, game.source),
            (Cbh2NameRole::Team, game.teams[0]),
            (Cbh2NameRole::Team, game.teams[1]),
            (Cbh2NameRole::GameTitle, game.title),
        ],
        Cbh2Record::Text(text) => vec![
            (Cbh2NameRole::Tournament, text.tournament),
            (Cbh2NameRole::Annotator, text.author),
            (Cbh2NameRole::Source, text.source),
            (Cbh2NameRole::TextTitle, text.title),
        ],
        Cbh2Record::Analysis(analysis) => vec![
            (Cbh2NameRole::Annotator, analysis.author),
            (Cbh2NameRole::Source, analysis.source),
            (Cbh2NameRole::AnalysisTitle, analysis.title),
        ],
        Cbh2Record::Unknown(_) => Vec::new(),
    };
    // Only teams have a number for none.
    all.retain(|(role, id)| *role != Cbh2NameRole::Team || *id != -1);
    all
}

/// What is counted of the games of a name, in whatever order they come.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
struct Cbh2GameTally {
    count: u64,
    sum: u64,
}

impl Cbh2GameTally {
    fn add(&mut self, number: u64) {
        self.count += 1;
        // Different numbers hardly ever add up to the same.
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sum = self.sum.wrapping_add(mixed ^ mixed >> 29);
    }
}

/// The games of every name in one role, as the headers have them. It is as large as the file of names.
fn games_of_names(reader: &Cbh2Reader, role: Cbh2NameRole) -> Vec<Cbh2GameTally> {
    let count = reader.names().map_or(0, |names| names.count(role.table()));
    let mut tallies = vec![Cbh2GameTally::default(); usize::try_from(count).unwrap_or(0)];
    for number in 1..=reader.headers_count() {
        let Some(record) = reader.record(number) else {
            continue;
        };
        for (own, id) in references(&record) {
            let slot = usize::try_from(id).ok().filter(|_| own == role);
            if let Some(tally) = slot.and_then(|id| tallies.get_mut(id)) {
                tally.add(number);
            }
        }
    }
    tallies
}

/// Looks at what no game depends on.
pub(super) fn container(reader: &mut Cbh2Reader) {
    free_space(reader);
    deleted_names(reader);
    let games = reader.optional("2lgd");
    let orders = reader.optional("2lcd");
    for role in Cbh2NameRole::ALL {
        let tallies = games_of_names(reader, role);
        if let Some(file) = &games
            && let Err(problem) = name_games::compare(file, role, &tallies)
        {
            let message = format!("{}: {problem}", role.word());
            reader.report(&codes::NAME_GAMES, "2lgd", message);
        }
        if let Some(file) = &orders
            && let Err(problem) = name_orders::compare(file, role, &tallies)
        {
            let message = format!("{}: {problem}", role.word());
            reader.report(&codes::NAME_ORDER, "2lcd", message);
        }
    }
}

/// Looks for holes between records.
fn free_space(reader: &mut Cbh2Reader) {
    for extension in ["2cbg", "2cba"] {
        let is_moves = extension == "2cbg";
        let file = match is_moves {
            true => &reader.moves,
            false => &reader.annotations,
        };
        let Some(file) = file else { continue };
        let mut runs: Vec<(u64, u64)> = (1..=reader.headers_count())
            .filter_map(|number| {
                let record = reader.record(number)?;
                let offset = match is_moves {
                    true => record.body()?,
                    false => record.annotations()?,
                };
                let frame = Cbh2Frame::decode(file, offset).ok()?;
                Some((frame.offset, frame.length() as u64))
            })
            .collect();
        runs.sort_unstable();
        let mut at = DATA_HEADER as u64;
        let mut holes = 0_u64;
        for (start, length) in runs {
            holes += u64::from(start != at);
            at = at.max(start.saturating_add(length));
        }
        holes += u64::from(at != file.len() as u64);
        if holes > 0 {
            let message = counted(
                holes,
                "record does not begin at the end of the one before",
                "records do not begin at the end of the one before",
            );
            reader.report(&codes::FREE_SPACE, extension, message);
        }
    }
}

/// Follows the lists of deleted names.
fn deleted_names(reader: &mut Cbh2Reader) {
    let Some(names) = reader.names() else { return };
    let mut problems = Vec::new();
    for table in Cbh2EntityTable::ALL {
        let mut id = names.kind(table).first_deleted;
        let mut seen = 0_u64;
        while id != -1 {
            seen += 1;
            match names.record(table, id) {
                Cbh2EntityRecord::Deleted(next) if seen <= names.count(table) => id = next,
                Cbh2EntityRecord::Deleted(_) => {
                    problems.push(format!("{} {id} is listed twice", table.word()));
                    break;
                }
                _ => {
                    problems.push(format!("{} {id} is listed but not deleted", table.word()));
                    break;
                }
            }
        }
    }
    for problem in problems {
        reader.report(&codes::DELETED_NAMES, "2lid", problem);
    }
}

/// The flags that say that a game has items of a type.
const FLAGS: [(u32, &[u8], &str); 14] = [
    (1 << 2, &[kind::TEXT_AFTER, kind::TEXT_BEFORE], "texts"),
    (1 << 3, &[kind::SYMBOLS], "symbols"),
    (1 << 4, &[kind::SQUARES], "coloured squares"),
    (1 << 5, &[kind::ARROWS], "arrows"),
    (1 << 7, &[kind::TIME_SPENT], "times"),
    (1 << 8, &[kind::UNKNOWN_08], "annotations of type 08"),
    (1 << 9, &[kind::TRAINING], "training questions"),
    (1 << 19, &[kind::QUOTATION], "quotations"),
    (1 << 20, &[kind::PAWN_STRUCTURE], "pawn structures"),
    (1 << 21, &[kind::PIECE_PATH], "paths of pieces"),
    (1 << 22, &[kind::WHITE_CLOCK], "White's clock"),
    (1 << 23, &[kind::BLACK_CLOCK], "Black's clock"),
    (1 << 24, &[kind::CRITICAL], "critical positions"),
    (1 << 28, &[kind::LINK], "links"),
];

/// Compares the derived fields of a header with the game.
pub(super) fn game(reader: &Cbh2Reader, header: &Cbh2GameRecord, game: &mut Game) {
    if game.diagnostics.at_least(tabiya_model::Severity::Damage) > 0 || reader.moves.is_none() {
        return;
    }
    let mut wrong = Vec::new();
    let starts_black = match &game.start {
        StartingPosition::Standard => false,
        StartingPosition::Setup(board, _) => board.turn() == shakmaty::Color::Black,
    };
    let plies = game.tape.plies() as u64;
    let moves = match plies {
        0 => 0,
        plies => (plies + 1 + u64::from(starts_black)) / 2,
    };
    if u64::try_from(header.move_count).ok() != Some(moves) {
        let noted = counted(header.move_count, "move", "moves");
        wrong.push(format!("{noted} instead of {moves}"));
    }
    let mut compare = |flag: u32, has: bool, what: &str| {
        if (header.flags & flag != 0) != has {
            let not = if has { "no " } else { "" };
            wrong.push(format!("{not}{what}"));
        }
    };
    let has_start = game.start != StartingPosition::Standard;
    let is_chess960 = header.chess960().is_some();
    if !is_chess960 {
        compare(FLAG_SETUP, has_start, "custom starting position");
    }
    compare(FLAG_CHESS960, is_chess960, "Chess960");
    let has_variations = game.tape.ops().any(|op| matches!(op, TapeOp::Begin(_)));
    compare(FLAG_VARIATIONS, has_variations, "variations");
    if let Some(Ok(frame)) = reader.annotation_frame(header.annotations) {
        let mut kinds = [false; 256];
        for slot in Cbh2AnnotationCutter::new(frame.content) {
            kinds[usize::from(slot.kind)] = true;
        }
        for (flag, types, what) in FLAGS {
            let has = types.iter().any(|kind| kinds[usize::from(*kind)]);
            compare(flag, has, what);
        }
    }
    if !wrong.is_empty() {
        let number = game.origin.number;
        game.diagnostics.report(
            &codes::WRONG_FIELD,
            || Location::game(number),
            || format!("the header says {}", wrong.join(", ")),
        );
    }
}
