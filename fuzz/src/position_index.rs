//! The index of positions: any bytes are answered or refused, and damage never changes an answer.

use std::path::Path;

use tabiya_explore::{
    index::{ExplorerIndex, IndexFacts, IndexLayer, LayerAnswer},
    tally::PositionTally,
};
use tabiya_model::{
    board::{Board, MoveList},
    facts::{FactFields, FactSource, GameFacts, NameTable},
    positions::{PiecePlacement, PositionLookup},
};
use tabiya_openings::position_key::PositionKey;

use crate::{FuzzTarget, seeds};

const FOLDER: &str = "position-index";
const SUFFIX: &str = ".tabiya-index";

/// Bytes of one change of a sample: its place and what is turned over there.
const CHANGE: usize = 4;
/// Changes of one sample at most.
const CHANGES: usize = 16;

/// Two targets: bytes as they are, and samples with damage that the input describes. Only the second may be asked for
/// right answers: a fuzzer that watches comparisons writes checks that fit, and such a file is not damaged but forged.
pub fn targets(corpus: &Path) -> Vec<FuzzTarget> {
    let samples: Vec<(Vec<u8>, IndexSnapshot)> = seeds::paths(corpus, FOLDER, "tabiya-index")
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .filter_map(|bytes| {
            let right = answers(&ExplorerIndex::open(Box::new(bytes.clone()))?)?;
            Some((bytes, right))
        })
        .collect();
    vec![
        FuzzTarget::new(
            "position-index",
            FOLDER,
            SUFFIX,
            Box::new(|parts| {
                if let Some(index) = ExplorerIndex::open(Box::new(parts.concat())) {
                    let _ = answers(&index);
                    let _ = index.positions();
                }
            }),
        ),
        FuzzTarget::new(
            "position-index-damage",
            "position-index-damage",
            ".changes",
            Box::new(move |parts| damaged(&samples, &parts.concat())),
        ),
    ]
}

/// What an index says about positions and, where it has rows, about games.
#[derive(Debug, PartialEq)]
struct IndexSnapshot {
    positions: Vec<PositionSnapshot>,
    rows: Option<Vec<SnapshotRow>>,
}

/// The facts about a game, with its names.
type SnapshotRow = (GameFacts, [String; 5]);

/// What an index says about a position.
#[derive(Debug, PartialEq)]
struct PositionSnapshot {
    games: Vec<Vec<u64>>,
    figures: Vec<Option<PositionTally>>,
}

/// Positions of the samples, and others: two half-moves from the start, and further ones of a few of them.
fn boards() -> Vec<Board> {
    let mut all = vec![Board::standard()];
    let mut first = 0;
    for width in [20, 20, 2] {
        let last = all.len();
        for at in first..last {
            let board = all[at].clone();
            let mut moves = MoveList::new();
            board.legal_moves(&mut moves);
            for m in moves.iter().take(width) {
                let mut after = board.clone();
                after.play(*m);
                all.push(after);
            }
        }
        first = last;
    }
    all.into_iter().step_by(7).collect()
}

/// The answers to all questions; `None` where the index finds that it is damaged. What it says hangs together.
fn answers(index: &ExplorerIndex) -> Option<IndexSnapshot> {
    let mut all = Vec::new();
    for board in boards() {
        let mut answer = PositionSnapshot {
            games: Vec::new(),
            figures: Vec::new(),
        };
        for layer in index.layers() {
            let (games, figures) = in_layer(index, layer, PositionKey::of_board(&board))?;
            answer.games.push(games);
            answer.figures.push(figures);
        }
        let listed = index.games(&PiecePlacement::of(&board), board.turn(), true)?;
        assert_eq!(listed.games, answer.games.concat());
        all.push(answer);
    }
    let _ = index.is_damaged();
    Some(IndexSnapshot {
        positions: all,
        rows: index.facts().map(rows_of),
    })
}

fn rows_of(rows: &IndexFacts) -> Vec<SnapshotRow> {
    // Forged rows may claim any number of games.
    let last = rows.len().min(1 << 12);
    let row = |number| {
        let fact = rows
            .fact(number, FactFields::ALL)
            .expect("a row for each game");
        let [white, black] = fact.players;
        let name = |table, number| rows.name(table, number).into_owned();
        let names = [
            name(NameTable::Players, white),
            name(NameTable::Players, black),
            name(NameTable::Events, fact.event),
            name(NameTable::Sites, fact.site),
            name(NameTable::Rounds, fact.round),
        ];
        (fact, names)
    };
    (1..=last).map(row).collect()
}

fn in_layer(
    index: &ExplorerIndex,
    layer: IndexLayer<'_>,
    key: PositionKey,
) -> Option<(Vec<u64>, Option<PositionTally>)> {
    let (games, figures) = match index.find(layer, key)? {
        LayerAnswer::Candidates(games) => (games, None),
        LayerAnswer::Listed(list) => {
            let main = index.list(layer, &list, false)?;
            assert_eq!(main.len(), list.main_line_games());
            (
                index.list(layer, &list, true)?,
                index.figures(layer, &list)?,
            )
        }
    };
    assert!(games.is_sorted(), "games come in their order");
    assert!(
        games.iter().all(|number| layer.games().contains(number)),
        "a layer knows no games but its own"
    );
    if let Some(tally) = &figures {
        for shown in tally.top().iter().chain(tally.recent()) {
            assert!(layer.games().contains(&shown.number));
            let _ = index.card(shown.number);
        }
    }
    Some((games, figures))
}

/// Rows that are damaged say nothing, about some games or about all.
fn same(index: &ExplorerIndex, answers: &IndexSnapshot, right: &IndexSnapshot) {
    assert_eq!(
        answers.positions, right.positions,
        "damage changed an answer"
    );
    match (&answers.rows, &right.rows) {
        (Some(rows), Some(right)) => {
            assert_eq!(rows.len(), right.len());
            for (row, right) in rows.iter().zip(right) {
                assert!(
                    row.0.unsaid == FactFields::ALL || row == right,
                    "damage changed a row"
                );
            }
        }
        (None, Some(_)) => assert!(index.is_damaged(), "it says so"),
        (rows, None) => assert!(rows.is_none(), "rows out of nothing"),
    }
}

/// Cuts a sample or changes bytes of it: it is refused, says that it is damaged, or answers as before.
fn damaged(samples: &[(Vec<u8>, IndexSnapshot)], description: &[u8]) {
    let Some((&choice, changes)) = description.split_first() else {
        return;
    };
    let Some((sample, right)) = samples.get(usize::from(choice >> 1) % samples.len().max(1)) else {
        return;
    };
    let mut bytes = sample.clone();
    for change in changes.chunks_exact(CHANGE).take(CHANGES) {
        let place =
            usize::from(change[0]) << 16 | usize::from(change[1]) << 8 | usize::from(change[2]);
        let place = place % bytes.len().max(1);
        if choice & 1 == 0 {
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= change[3];
            }
        } else {
            // The head of the file with its own tail: a cut file has no footer, a shortened one has.
            let end = place
                .saturating_add(1 + usize::from(change[3]))
                .min(bytes.len());
            bytes.drain(place..end);
        }
    }
    if let Some(index) = ExplorerIndex::open(Box::new(bytes)) {
        match answers(&index) {
            None => assert!(index.is_damaged(), "it says so"),
            Some(answers) => same(&index, &answers, right),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tabiya_explore::index::ExplorerIndex;

    use super::answers;
    use crate::seeds;

    #[test]
    fn the_samples_are_sound_indexes_with_everything_in_them() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
        let (mut samples, mut figures, mut layers, mut rows) = (0, 0, 0, 0);
        for path in seeds::paths(&corpus, super::FOLDER, "tabiya-index") {
            let bytes = std::fs::read(&path).expect("read");
            let index = ExplorerIndex::open(Box::new(bytes)).expect("an index of this version");
            let answers = answers(&index).expect("sound");
            samples += 1;
            rows += answers.rows.map_or(0, |rows| rows.len());
            figures += answers
                .positions
                .iter()
                .flat_map(|answer| answer.figures.iter().flatten())
                .count();
            layers = layers.max(index.layers().len());
        }
        assert!(samples >= 4 && figures > 0 && layers == 2 && rows > 300);
    }
}
