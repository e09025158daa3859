//! Indexes of bases whose games change one by one: they follow at once, and answer as if they had been made anew.

use tabiya::Selection;
use tabiya::edit::{EditOperation, EditOptions, LossPolicy, edit_with};
use tabiya::model::editor::StripOptions;
use tabiya::model::{Database, Game};
use tabiya_testing::TestRandom;

use super::*;

fn change(path: &Path, change: &EditOperation) -> bool {
    let options = EditOptions {
        lossy: LossPolicy::Drop,
        ..EditOptions::default()
    };
    let (opener, control) = (Opener::default(), Control::default());
    match edit_with(&opener, path, change, &options, &control, &mut |_| {}) {
        Ok(edited) => {
            assert!(edited.notes.is_empty(), "{:?}", edited.notes);
            true
        }
        Err(error) => {
            let told = error.to_string();
            assert!(
                told.contains("cannot be set") || told.contains("undo"),
                "{told}"
            );
            false
        }
    }
}

fn games(path: &Path) -> Vec<Game> {
    let games = open(path);
    let games = games.games(GameNeeds::ALL).expect("reads");
    games.map(|game| game.expect("read")).collect()
}

fn wish(random: &mut TestRandom, count: usize, pool: &[Game]) -> EditOperation {
    let number = 1 + random.below(count) as u64;
    let games: Selection = (number..number + 1).into();
    match random.below(8) {
        0..3 => {
            let game = random.pick(pool);
            EditOperation::Replace {
                number,
                game: Box::new(game.clone()),
                was: None,
            }
        }
        3 => EditOperation::Set {
            games,
            tags: vec![(
                "WhiteElo".to_owned(),
                (1900 + random.below(500)).to_string(),
            )],
        },
        4 => EditOperation::Set {
            games,
            tags: vec![(
                "Date".to_owned(),
                format!("20{:02}.??.??", random.below(25)),
            )],
        },
        5 => {
            let mut what = StripOptions::default();
            assert!(what.add("variations"));
            EditOperation::Strip { games, what }
        }
        6 => EditOperation::Flags {
            games,
            set: "D".to_owned(),
            clear: String::new(),
        },
        _ => EditOperation::Undo,
    }
}

/// Everything that an index answers, beside a scan and a slow count.
fn answers_are_right(path: &Path, every: usize) -> usize {
    let input = open(path);
    let database = input.database().expect("a database");
    let index = fresh(database);
    let counted = slow(database, |_| true);
    compare(
        database,
        Some(&index),
        every,
        &ExploreOptions::default(),
        &counted,
    );
    if index.facts().is_some() {
        rows_are_those_of_the_games(&index, database);
    }
    let targets: Vec<ExploreTarget> = counted
        .iter()
        .filter(|(_, slow)| slow.anywhere.len() > 60)
        .map(|(name, _)| ExploreTarget::of_board(&board(&format!("{name} - - 0 1"))))
        .collect();
    assert!(targets.len() > 5);
    for variations in [false, true] {
        let options = ExploreOptions {
            variations,
            ..ExploreOptions::default()
        };
        let asked = |database: &dyn Database| {
            let scanned = explorer::scan(database, None, &targets, &options, control());
            let looked_up = explorer::with_index(database, &index, &targets, &options, control());
            (scanned.expect("scanned"), looked_up.expect("looked up"))
        };
        let (scanned, looked_up) = asked(database);
        let looked_up = looked_up.expect("sound");
        // Tops, latest games and dates are those of a scan too.
        assert_eq!(looked_up.tallies, scanned.tallies);
        assert_eq!(looked_up.damaged, scanned.damaged);
    }
    assert_eq!(verify(database, &index), IndexCheck::Sound);
    assert!(!index.is_damaged());
    index.changed_games().len()
}

fn edits() -> usize {
    // Answers are compared after every seventeenth.
    tabiya_testing::by_form(17, 17, 400)
}

#[test]
fn an_index_follows_games_that_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("random.pgn");
    std::fs::write(&source, random_pgn(600, 21)).expect("written");
    let others = folder.path().join("others.pgn");
    std::fs::write(&others, random_pgn(60, 22)).expect("written");
    let pool = games(&others);
    let mut tried = 0;
    for format in FORMATS.iter().filter(|format| format.edit.is_some()) {
        let place = folder.path().join(format.name);
        std::fs::create_dir(&place).expect("a folder");
        let Some(extension) = format.extensions.first() else {
            continue;
        };
        let path = place.join(format!("games.{extension}"));
        convert(&source, &path, format);
        {
            let input = open(&path);
            sidecar::make(input.database().expect("a database"), &making()).expect("made");
        }
        let mut random = TestRandom::new(1);
        let mut most = 0;
        for turn in 0..edits() {
            change(&path, &wish(&mut random, 600, &pool));
            if turn % 17 == 16 {
                most = most.max(answers_are_right(&path, 101));
            }
        }
        assert!(most > 5, "{}: made anew each time", format.name);
        // More games are added to it, and more of them change.
        let more = Opener::default().open(&others).expect("opens");
        assert!(change(&path, &EditOperation::Append(more)));
        for number in [1, 605, 650] {
            let game = Box::new(pool[number % 50].clone());
            let number = number as u64;
            let was = None;
            assert!(change(&path, &EditOperation::Replace { number, game, was }));
        }
        assert!(answers_are_right(&path, 101) > 0, "{}", format.name);
        // Many at once are no small change: it is made anew.
        assert!(change(
            &path,
            &EditOperation::Sort("date".parse().expect("an order"))
        ));
        assert_eq!(answers_are_right(&path, 101), 0, "{}", format.name);
        tried += 1;
    }
    assert!(tried >= 6);
}

#[test]
fn an_index_with_changed_games_is_never_believed_when_it_is_damaged_or_old() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, random_pgn(300, 5)).expect("written");
    {
        let input = open(&path);
        sidecar::make(input.database().expect("a database"), &making()).expect("made");
    }
    let beside = folder.path().join("games.pgn.tabiya-index");
    let before = std::fs::read(&beside).expect("read");
    let game = games(&path).swap_remove(7);
    let was = None;
    let number = 3;
    let game = Box::new(game);
    assert!(change(&path, &EditOperation::Replace { number, game, was }));
    let bytes = std::fs::read(&beside).expect("read");
    assert!(bytes.starts_with(&before) && bytes.len() > before.len());
    // Until its last byte stands there, it is none; and no byte of what was added can be another one.
    for length in before.len() + 1..bytes.len() {
        assert!(ExplorerIndex::open(Box::new(bytes[..length].to_vec())).is_none());
    }
    for at in before.len()..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(ExplorerIndex::open(Box::new(flipped)).is_none(), "{at}");
    }
    let input = open(&path);
    let database = input.database().expect("a database");
    assert_eq!(fresh(database).changed_games(), [3]);
    // The index as it was is that of another base.
    std::fs::write(&beside, &before).expect("written");
    let found = sidecar::open(database, &OpenOptions::default()).expect("looked for");
    assert!(matches!(found, Sidecar::Stale(_)));
    // Windows does not let a mapped file be written anew.
    drop(found);
    // Another program changes a second game: what is overruled is not all.
    std::fs::write(&beside, &bytes).expect("written");
    let text = std::fs::read_to_string(&path).expect("read");
    let other = text.replacen("[White \"Player 0\"]", "[White \"Player 9\"]", 1);
    std::fs::write(&path, other).expect("written");
    let input = open(&path);
    let database = input.database().expect("a database");
    let found = sidecar::open(database, &OpenOptions::default()).expect("looked for");
    let Sidecar::Stale(index) = found else {
        panic!("believed");
    };
    assert_eq!(verify(database, &index), IndexCheck::Wrong);
}
