//! The games found in databases whose files do not match any more.

use std::path::{Path, PathBuf};

use tabiya_formats::format::OpenOptions;
use tabiya_formats::scid::{ScidReader, ScidVersion, salvage};
use tabiya_model::board::{Board, MoveList};
use tabiya_model::{Database, Game, GameNeeds};
use tabiya_testing::TestRandom;

use crate::scid::law;

/// Games that differ from their first moves on, some with comments and variations; another `seed` gives other games.
fn games(seed: u64, count: u64) -> Vec<Game> {
    (1..=count)
        .map(|number| {
            let mut random = TestRandom::new(seed << 32 | number);
            let mut below = |bound: usize| random.below(bound);
            let mut game = Game::default();
            game.origin.number = number;
            for (name, value) in [
                ("Event", format!("Event {}", number % 7)),
                ("Site", "S".to_owned()),
                ("Date", "2001.02.03".to_owned()),
                ("Round", number.to_string()),
                ("White", format!("White {number} of {seed}")),
                ("Black", format!("Black {number}")),
                ("Result", "1-0".to_owned()),
            ] {
                game.tags.push(name, &value);
            }
            let mut board = Board::standard();
            for ply in 0..20 + below(60) {
                let mut moves = MoveList::new();
                board.legal_moves(&mut moves);
                let Some(m) = moves.get(below(moves.len().max(1))) else {
                    break;
                };
                game.tape.push_move(*m);
                if below(12) == 0 {
                    game.tape
                        .push_comment(&format!("comment {ply} of {number}"));
                }
                board.play(*m);
            }
            game
        })
        .collect()
}

fn base(version: ScidVersion, folder: &Path, name: &str, games: &[Game]) -> PathBuf {
    let path = folder.join(name).with_extension(version.extensions()[0]);
    law::write(version, &path, games);
    path
}

/// White's names and the movetexts of the rescued games.
fn rescued(path: &Path) -> (Vec<String>, Vec<tabiya_model::Tape>, Box<dyn Database>) {
    let base = salvage::salvage(path, &OpenOptions::default()).expect("opened");
    let mut game = Game::default();
    let (mut names, mut tapes) = (Vec::new(), Vec::new());
    for number in 1..=base.len().expect("counted") {
        base.read(number, GameNeeds::ALL, &mut game).expect("read");
        names.push(game.tags.value("White").to_owned());
        tapes.push(game.tape.clone());
    }
    (names, tapes, base)
}

/// What a database reports as missing, by the names of the losses.
fn gone_of(base: &dyn Database) -> Vec<&'static str> {
    base.missing().iter().map(|loss| loss.kind.name).collect()
}

fn name(game: &Game) -> String {
    game.tags.value("White").to_owned()
}

#[test]
fn with_the_index_of_another_base_every_game_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let ours = games(1, 354);
        let path = base(version, folder.path(), "ours", &ours);
        let other = base(version, folder.path(), "other", &games(2, 354));
        std::fs::copy(&other, &path).expect("copied");
        let (_, tapes, base) = rescued(&path);
        let missing = ours
            .iter()
            .filter(|game| !tapes.contains(&game.tape))
            .count();
        assert_eq!((missing, tapes.len()), (0, ours.len()));
        assert!(base.diagnostics().count_of("scid-misfit-entries") > 0);
    }
}

#[test]
fn inserted_and_deleted_bytes_cost_the_games_that_they_hit() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let ours = games(3, 200);
        let path = base(version, folder.path(), "ours", &ours);
        let file = path.with_extension(version.extensions()[1]);
        let whole = std::fs::read(&file).expect("read");
        let (third, half) = (whole.len() / 3, whole.len() / 2);
        let mut inserted = whole.clone();
        inserted.splice(third..third, std::iter::repeat_n(0xaa, 100));
        let mut deleted = whole.clone();
        deleted.drain(third..third + 50);
        let mut both = whole.clone();
        both.drain(half..half + 7);
        both.splice(third..third, *b"somewhat");
        for (what, bytes) in [("inserted", inserted), ("deleted", deleted), ("both", both)] {
            std::fs::write(&file, &bytes).expect("written");
            let (names, tapes, base) = rescued(&path);
            let lost = ours
                .iter()
                .filter(|game| {
                    let at = tapes.iter().position(|tape| *tape == game.tape);
                    at.is_none_or(|at| names[at] != name(game))
                })
                .count();
            assert!(
                lost <= 4,
                "{version:?} {what}: {lost} of 200 games without moves or names"
            );
            assert!(
                tapes.len() <= 204,
                "{version:?} {what}: {} games",
                tapes.len()
            );
            assert!(base.diagnostics().count_of("scid-moved-records") > 0);
        }
        std::fs::write(&file, &whole).expect("written");
    }
}

#[test]
fn an_index_that_was_cut_between_two_entries_is_told_and_its_games_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let audit = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    let ours = games(4, 300);
    let path = base(ScidVersion::Si5, folder.path(), "ours", &ours);
    let whole = std::fs::read(&path).expect("read");
    for kept in [0, 1, 100, 299] {
        std::fs::write(&path, &whole[..kept * 56]).expect("written");
        let told = ScidReader::open(&path, &audit)
            .expect("opened")
            .diagnostics();
        assert!(told.count_of("scid-lost-entries") > 0, "{kept}");
        let (names, tapes, base) = rescued(&path);
        assert_eq!(tapes.len(), 300, "{kept}");
        assert_eq!(
            tapes,
            ours.iter()
                .map(|game| game.tape.clone())
                .collect::<Vec<_>>()
        );
        assert_eq!(
            names[..kept],
            ours[..kept].iter().map(name).collect::<Vec<_>>()
        );
        assert!(base.diagnostics().at_least(tabiya_model::Severity::Damage) > 0);
        let mut gone = vec!["headers-gone"];
        if kept == 0 {
            gone.insert(0, "index-gone");
        }
        assert_eq!(gone_of(&*base), gone, "{kept}");
    }
}

#[test]
fn a_sound_base_comes_back_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let ours = games(5, 300);
        let path = base(version, folder.path(), "ours", &ours);
        // Old versions of games that were replaced are not lost games.
        let options = OpenOptions::default();
        let mut edit =
            tabiya_formats::scid::edit::ScidEditor::open(&path, &options).expect("opened");
        let mut losses = tabiya_model::Losses::default();
        let new = games(6, 10);
        for (number, game) in (1..).step_by(20).zip(&new) {
            assert!(edit.replace(number, game, &mut losses).expect("replaced"));
        }
        edit.commit(None).expect("committed");
        let (names, _, base) = rescued(&path);
        assert_eq!(names.len(), 300);
        assert_eq!(names[0], name(&new[0]));
        assert!(base.diagnostics().is_empty(), "{:?}", base.diagnostics());
        assert!(base.missing().is_empty(), "{:?}", base.missing());
        // One damaged record is one damaged game.
        let file = path.with_extension(version.extensions()[1]);
        let mut bytes = std::fs::read(&file).expect("read");
        let read = ScidReader::open(&path, &options).expect("opened");
        let entry = read.entry(50).expect("there");
        let middle = usize::try_from(entry.offset).expect("small") + 12;
        bytes[middle..middle + 4].fill(0x0f);
        // Windows does not let a mapped file be written anew.
        drop((base, read));
        std::fs::write(&file, &bytes).expect("written");
        let (names, ..) = rescued(&path);
        assert_eq!(names.len(), 300, "{:?}", &names[295..]);
        assert_eq!(names[49], name(&ours[49]));
    }
}

#[test]
fn games_that_are_cut_keep_their_headers() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let ours = games(9, 12);
        let path = base(version, folder.path(), "ours", &ours);
        let file = path.with_extension(version.extensions()[1]);
        let whole = std::fs::read(&file).expect("read");
        for length in whole.len() / 2..whole.len() {
            std::fs::write(&file, &whole[..length]).expect("written");
            let (names, _, base) = rescued(&path);
            let wanted: Vec<String> = ours.iter().map(name).collect();
            assert_eq!(names, wanted, "{version:?} cut at {length}");
            assert!(!gone_of(&*base).contains(&"headers-gone"));
        }
        std::fs::write(&file, &whole).expect("written");
    }
}

#[test]
fn what_is_gone_with_a_file_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        for (at, words) in [
            (0, "names, dates"),
            (1, "moves, comments"),
            (2, "players, events"),
        ] {
            let path = base(version, folder.path(), "ours", &games(7, 20));
            let paths = version
                .extensions()
                .map(|extension| path.with_extension(extension));
            std::fs::remove_file(&paths[at]).expect("removed");
            let left = paths.iter().find(|path| path.exists()).expect("two are");
            let (names, _, base) = rescued(left);
            assert_eq!(names.len(), 20);
            let told = base.diagnostics();
            assert!(told.count_of("scid-missing-file") > 0);
            assert!(
                told.iter().any(|found| found.message.contains(words)),
                "{told:?}"
            );
            let gone: &[&str] = match at {
                0 => &["index-gone", "headers-gone"],
                1 => &["moves-gone", "annotations-gone"],
                _ => &["names-gone"],
            };
            assert_eq!(gone_of(&*base), gone);
            std::fs::remove_file(left).expect("removed");
        }
    }
}
