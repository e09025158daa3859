//! Checks by `check` beyond reading: derived fields, and files that belong to another database.

use std::collections::BTreeMap;

use tabiya_model::game::StartingPosition;
use tabiya_model::tape::TapeOp;
use tabiya_model::{Game, Location};

use super::annotations::{self, kind};
use super::base::CbhReader;
use super::codes;
use super::entities::CbhEntityTable;
use super::layout::{
    CbhAnnotationHead, CbhGameRecord, CbhMoveHead, CbhRecord, FLAG_SETUP, FLAG_VARIATIONS,
};
use super::sample::sample;
use crate::counted::counted;

/// How many of what was compared in one file disagree.
#[derive(Copy, Clone, Debug, Default)]
struct CbhAuditTally {
    compared: u64,
    wrong: u64,
}

impl CbhAuditTally {
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
pub(super) fn look_for_foreign_files(reader: &mut CbhReader) {
    let mut tallies: BTreeMap<&'static str, CbhAuditTally> = BTreeMap::new();
    let mut names: BTreeMap<&'static str, CbhAuditTally> = BTreeMap::new();
    for number in sample(reader.headers_count()).map(|number| number + 1) {
        let Some(record) = reader.record(number) else {
            continue;
        };
        let (moves, notes) = match record {
            CbhRecord::Game(game) => (game.moves, game.annotations),
            CbhRecord::Text(text) => (text.body, 0),
            CbhRecord::Unknown(_) => continue,
        };
        if reader.moves.is_some() {
            let head = reader.move_bytes(reader.moves_offset(number, moves));
            let is_right = head.is_some_and(|(head, bytes)| {
                head.size as usize >= CbhMoveHead::LENGTH && head.size as usize <= bytes.len()
            });
            tallies.entry("cbg").or_default().add(is_right);
        }
        if let Some(file) = &reader.annotations
            && notes != 0
        {
            let at = usize::try_from(reader.annotations_offset(number, notes)).ok();
            let head = at.and_then(|at| CbhAnnotationHead::decode(file.bytes.get(at..)?));
            let is_right = head.is_some_and(|head| {
                // Other programs than ChessBase leave the number at 0.
                head.mark == CbhAnnotationHead::MARK
                    && (head.game == 0 || u64::from(head.game) == number)
            });
            tallies.entry("cba").or_default().add(is_right);
        }
        if let Some(second) = reader.second_header(number) {
            let low = u64::from(u32::MAX);
            let mut is_right = second
                .annotations()
                .is_none_or(|wide| wide & low == u64::from(notes));
            // Some databases hold no offsets of moves there.
            is_right &= second
                .moves()
                .is_none_or(|wide| wide == 0 || wide & low == u64::from(moves));
            tallies.entry("cbj").or_default().add(is_right);
        }
        for (table, id) in references(reader, number, &record) {
            let entities = reader.entities(table);
            if reader.has(table) && (id != 0 || entities.count() > 0) {
                let tally = names.entry(table.extension()).or_default();
                tally.add(entities.get(id).is_some());
            }
        }
    }
    if let Some(seconds) = reader.second_headers()
        && u64::from(seconds.claimed) > reader.headers_count()
    {
        let message = format!(
            "it has {} for {}",
            counted(seconds.claimed, "second header", "second headers"),
            counted(reader.headers_count(), "game", "games")
        );
        reader.report(&codes::FOREIGN_FILE, "cbj", message);
    }
    let what = |extension| match extension {
        "cbg" => "offsets point to no record of moves",
        "cba" => "offsets point to no annotations of their game",
        "cbj" => "second headers have other offsets than the first",
        _ => "numbers refer to no name",
    };
    for (extension, tally) in tallies.into_iter().chain(names) {
        if tally.is_foreign() {
            let CbhAuditTally { compared, wrong } = tally;
            let message = format!("{wrong} of {compared} {}", what(extension));
            reader.report(&codes::FOREIGN_FILE, extension, message);
        }
    }
}

/// The names that a record refers to.
fn references(reader: &CbhReader, number: u64, record: &CbhRecord) -> Vec<(CbhEntityTable, u32)> {
    let mut all = match record {
        CbhRecord::Game(game) => vec![
            (CbhEntityTable::Players, game.players[0]),
            (CbhEntityTable::Players, game.players[1]),
            (CbhEntityTable::Tournaments, game.tournament),
            (CbhEntityTable::Annotators, game.annotator),
            (CbhEntityTable::Sources, game.source),
        ],
        CbhRecord::Text(text) => vec![
            (CbhEntityTable::Tournaments, text.tournament),
            (CbhEntityTable::Annotators, text.annotator),
            (CbhEntityTable::Sources, text.source),
        ],
        CbhRecord::Unknown(_) => Vec::new(),
    };
    if let Some(second) = reader.second_header(number) {
        all.extend(
            second
                .teams()
                .into_iter()
                .flatten()
                .map(|id| (CbhEntityTable::Teams, id)),
        );
    }
    all
}

/// Counts how often each name is used, and compares that with what its record says.
pub(super) fn container(reader: &mut CbhReader) {
    let mut uses: BTreeMap<&'static str, Vec<u32>> = BTreeMap::new();
    let tables = [
        CbhEntityTable::Players,
        CbhEntityTable::Tournaments,
        CbhEntityTable::Annotators,
        CbhEntityTable::Sources,
        CbhEntityTable::Teams,
    ];
    for table in tables {
        // One number for each record that is there.
        let count = reader.entities(table).count() as usize;
        uses.insert(table.extension(), vec![0; count]);
    }
    for number in 1..=reader.headers_count() {
        let Some(record) = reader.record(number) else {
            continue;
        };
        for (table, id) in references(reader, number, &record) {
            if let Some(count) = uses
                .get_mut(table.extension())
                .and_then(|counts| counts.get_mut(id as usize))
            {
                *count += 1;
            }
        }
    }
    for table in tables {
        let mut tally = CbhAuditTally::default();
        let mut first = None;
        let counts = uses.remove(table.extension()).unwrap_or_default();
        for (id, found) in (0..).zip(counts) {
            if let Some(noted) = reader.entities(table).uses(table, id) {
                tally.add(noted == found);
                if noted != found && first.is_none() {
                    first = Some((id, noted, found));
                }
            }
        }
        let Some((id, noted, found)) = first else {
            continue;
        };
        let CbhAuditTally { compared, wrong } = tally;
        let message = format!(
            "{wrong} of {compared} names; the first is {} {id}, whose count of uses is {noted}, but should be {found}",
            table.word()
        );
        let code = match tally.is_foreign() && compared > 3 {
            true => &codes::FOREIGN_FILE,
            false => &codes::WRONG_COUNT,
        };
        reader.report(code, table.extension(), message);
    }
}

/// The flags that say that a game has items of a type.
const FLAGS: [(u32, &[u8], &str); 8] = [
    (1 << 2, &[kind::TEXT_AFTER, kind::TEXT_BEFORE], "texts"),
    (1 << 3, &[kind::SYMBOLS], "symbols"),
    (1 << 4, &[kind::SQUARES], "coloured squares"),
    (1 << 5, &[kind::ARROWS], "arrows"),
    (1 << 7, &[kind::TIME_SPENT], "times"),
    (1 << 9, &[kind::TRAINING], "training questions"),
    (1 << 19, &[kind::QUOTATION], "quotations"),
    (1 << 24, &[kind::CRITICAL], "critical positions"),
];

/// Compares the derived fields of a header with the game.
pub(super) fn game(
    reader: &CbhReader,
    header: &CbhGameRecord,
    notes: Option<&[u8]>,
    game: &mut Game,
) {
    if game.diagnostics.at_least(tabiya_model::Severity::Damage) > 0 || reader.moves.is_none() {
        return;
    }
    let mut wrong = Vec::new();
    let starts_black = match &game.start {
        StartingPosition::Standard => false,
        StartingPosition::Setup(board, _) => board.turn() == shakmaty::Color::Black,
    };
    let plies = game.tape.plies() as u64;
    let moves = ((plies + 1 + u64::from(starts_black)) / 2).min(255);
    if u64::from(header.move_count) != moves {
        let noted = counted(header.move_count, "move", "moves");
        wrong.push(format!("{noted} instead of {moves}"));
    }
    let mut compare = |flag: u32, has: bool, what: &str| {
        if (header.flags & flag != 0) != has {
            let not = if has { "no " } else { "" };
            wrong.push(format!("{not}{what}"));
        }
    };
    compare(
        FLAG_SETUP,
        game.start != StartingPosition::Standard,
        "custom starting position",
    );
    let has_variations = game.tape.ops().any(|op| matches!(op, TapeOp::Begin(_)));
    compare(FLAG_VARIATIONS, has_variations, "variations");
    if reader.annotations.is_some() {
        let mut kinds = [false; 256];
        for item in annotations::items(notes.unwrap_or(&[])) {
            if let Some(kind) = kinds.get_mut(usize::from(item.kind)) {
                *kind = true;
            }
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
