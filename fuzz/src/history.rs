//! The history beside a base: any bytes are read or refused, and whatever is undone of it, the base stays one.

use std::fs;
use std::path::{Path, PathBuf};

use tabiya::edit::{EditOperation, EditOptions, edit_with};
use tabiya::history::EditHistory;
use tabiya::{Base, Opener};
use tabiya_io::change::{history_of, state_of};
use tabiya_io::fingerprint::hash_all;
use tabiya_model::{Control, GameNeeds};

use crate::{FuzzTarget, databases};

const FOLDER: &str = "history";
const SUFFIX: &str = ".tabiya-history";
/// The base that the history is said to belong to.
const GAMES: &str = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n[ScidFlags \"W\"]\n\n1. d4 {so} *\n\n[White \"C\"]\n\n1. c4 *\n";
/// The most games that a change of such an input can put into the base.
const MOST: u64 = 1 << 12;

/// Two targets: a history as it is, and what a change of a sound history says it did.
pub fn targets() -> Vec<FuzzTarget> {
    vec![
        FuzzTarget {
            words: &[
                "tabiya history 1\n",
                "change 1 0 ",
                "end 1 ",
                "undo 1",
                " - ",
            ],
            ..FuzzTarget::new(
                "history",
                FOLDER,
                SUFFIX,
                Box::new(|parts| look(&parts.concat())),
            )
        },
        FuzzTarget {
            words: &[
                "added 1\n",
                "game 1 ",
                "removed 2 ",
                "deleted 2 ",
                "inserted 1-2,4\n",
                "order 3,1-2\n",
                "flags 1-3 DW W\n",
                "text \"[White \\\"X\\\"]\\n\\n1. e4 *\\n\"\n",
                "bytes 0a0a\n",
                "described\n",
                "{\"draft\":1,\"tags\":[[\"White\",\"A\"]],\"start\":{\"fen\":null,\"rules\":\"standard\"},\"outcome\":\"*\",\"tape\":[\"Pe2-e4\"]}\n",
            ],
            ..FuzzTarget::new(
                "history-change",
                "history-change",
                ".change",
                Box::new(|parts| undo(&parts.concat())),
            )
        },
    ]
}

/// A base with a history of these bytes.
fn lay_out(history: impl FnOnce(&Path) -> Vec<u8>) -> PathBuf {
    let path = databases::lay_out(&[".pgn".to_owned()], &[GAMES.as_bytes()]);
    fs::write(history_of(&path), history(&path)).expect("the input can be written");
    path
}

fn wish(path: &Path, wish: &EditOperation, dry_run: bool) -> bool {
    let options = EditOptions {
        dry_run,
        ..EditOptions::default()
    };
    let control = Control::default().with_threads(1);
    let opener = Opener::default();
    edit_with(&opener, path, wish, &options, &control, &mut |_| {}).is_ok()
}

fn wishes() -> impl Iterator<Item = EditOperation> {
    let restores = [None, Some(1), Some(3)]
        .into_iter()
        .flat_map(|number| [1, 2].map(|version| EditOperation::Restore { number, version }));
    std::iter::once(EditOperation::Undo).chain(restores)
}

fn look(bytes: &[u8]) {
    let path = lay_out(|_| bytes.to_vec());
    let Ok(history) = EditHistory::open(std::slice::from_ref(&path)) else {
        return;
    };
    for head in history.changes() {
        let _ = history.effect(head, MOST);
        assert!(!head.utc_time().is_empty());
    }
    assert!(history.contiguous_entries().count() <= history.changes().len());
    for number in [1, 3] {
        let _ = history.versions(number, 3);
    }
    // Without a change that leads to the base, there is nothing that could be undone.
    let count = if history.contiguous_entries().next().is_some() {
        7
    } else {
        0
    };
    for change in wishes().take(count) {
        let _ = wish(&path, &change, true);
        let found = fs::read(&path).expect("the base is there");
        assert!(found == GAMES.as_bytes(), "a dry run changes nothing");
    }
}

/// A history of one change that claims to have led to the base.
fn forged(base: &Path, payload: &[u8]) -> Vec<u8> {
    let state = state_of(&[base]).unwrap_or(0);
    let mut payload = payload.to_vec();
    if payload.last().is_some_and(|byte| *byte != b'\n') {
        // Only whole lines are ever written.
        payload.push(b'\n');
    }
    let line = |sum: u64| {
        format!(
            "change 1 0 {:016x} {state:016x} {} {} {sum:016x} forged",
            1,
            GAMES.len() - 1,
            payload.len()
        )
    };
    let sum = hash_all([line(0).as_bytes(), &payload].concat().as_slice());
    let mut change = line(sum.map_or(0, |(sum, _)| sum)).into_bytes();
    change.push(b'\n');
    change.extend_from_slice(&payload);
    let end = format!("end 1 {}\n", change.len());
    [b"tabiya history 1\n".as_slice(), &change, end.as_bytes()].concat()
}

fn undo(payload: &[u8]) {
    // Undoing, and one of the others.
    let other = 1 + payload.len() % 6;
    let picked = |at: &usize| *at == 0 || *at == other;
    for (_, change) in wishes().enumerate().filter(|(at, _)| picked(at)) {
        let path = lay_out(|base| forged(base, payload));
        let is_done = wish(&path, &change, false);
        let bases = Opener::default()
            .open(&path)
            .expect("the base can be opened");
        let mut games = 0;
        for game in bases
            .iter()
            .flat_map(|base: &Base| base.games(GameNeeds::ALL).into_iter().flatten())
        {
            assert!(game.is_ok(), "every game can be read");
            games += 1;
        }
        if !is_done {
            let found = fs::read(&path).expect("the base is there");
            assert!(found == GAMES.as_bytes(), "a refused wish changes nothing");
            assert_eq!(games, 3);
        }
        let told = EditHistory::open(std::slice::from_ref(&path)).expect("the history can be read");
        assert!(!told.is_damaged() && !told.is_outdated());
    }
}
