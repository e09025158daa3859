//! Random edits of every format that is edited: what was not touched stays, what was done is undone, and the base is sound.

use std::path::{Path, PathBuf};
use std::process::Command;

use tabiya::edit::{EditOperation, EditOptions, LossPolicy, edit_with};
use tabiya::formats::format::WriteOptions;
use tabiya::formats::registry;
use tabiya::history::EditHistory;
use tabiya::model::editor::draft::game_line;
use tabiya::model::{Control, GameNeeds, Severity};
use tabiya::{Base, Opener, Target, check};
use tabiya_testing::TestRandom;

const LINES: [&str; 5] = [
    "1. e4 e5 {[%clk 0:01:00] good} 2. Nf3 $1 (2. f4 exf4 {gambit}) 2... Nc6",
    "1. d4 d5 2. c4 (2. Bf4 $5) 2... e6 3. Nc3",
    "{before} 1. Nf3",
    "1. e4 c5 (1... e5 2. Nf3 (2. Bc4)) 2. Nf3 d6 3. d4 cxd4",
    "",
];

fn text(number: u64, random: &mut TestRandom) -> String {
    let line = random.pick(&LINES);
    let year = 1900 + random.below(22);
    format!(
        "[Event \"E{}\"]\n[Site \"S\"]\n[Date \"{year}.01.02\"]\n[Round \"{}\"]\n[White \"P{number}\"]\n\
         [Black \"Q{}\"]\n[Result \"1-0\"]\n\n{line} 1-0\n\n",
        random.below(9),
        1 + random.below(9),
        random.below(50)
    )
}

fn open(path: &Path) -> Base {
    let mut bases = Opener::default().open(path).expect("opens");
    assert_eq!(bases.len(), 1);
    bases.remove(0)
}

fn lines(path: &Path) -> Vec<String> {
    let base = open(path);
    let games = base.games(GameNeeds::ALL).expect("reads");
    games.map(|game| game_line(&game.expect("read"))).collect()
}

fn change(path: &Path, change: &EditOperation) -> bool {
    let options = EditOptions {
        lossy: LossPolicy::Drop,
        keep: 1 << 20,
        ..EditOptions::default()
    };
    let control = Control::default();
    match edit_with(
        &Opener::default(),
        path,
        change,
        &options,
        &control,
        &mut |_| {},
    ) {
        Ok(_) => true,
        Err(error) => {
            let told = error.to_string();
            let is_known = [
                "cannot be set",
                "none of these games is marked",
                "cannot be undone",
                "nothing to undo",
                "nothing left to undo",
            ]
            .iter()
            .any(|known| told.contains(known));
            assert!(is_known, "{told}");
            false
        }
    }
}

fn sorted(lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    lines.sort();
    lines
}

/// How often random edits are made.
fn edits() -> u64 {
    if tabiya_testing::is_full() { 1000 } else { 60 }
}

fn random_edits(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let source = folder.join("source.pgn");
    let target = Target::new(&path, None, WriteOptions::default()).expect("a target");
    target.begin(&[]).expect("begins").finish().expect("made");
    let mut random = TestRandom::new(1);
    let mut made = 0;
    let mut fresh = |random: &mut TestRandom| {
        made += 1;
        std::fs::write(&source, text(made, random)).expect("written");
        open(&source)
    };
    // States of the base before each change that can still be undone.
    let mut states: Vec<Vec<String>> = Vec::new();
    let mut now = lines(&path);
    for turn in 0..edits() {
        let count = now.len();
        let at = random.below(count.max(1));
        let number = at as u64 + 1;
        let kind = if count < 5 { 0 } else { random.below(17) };
        let mut touched = None;
        let wish = match kind {
            0..4 => EditOperation::Append(vec![fresh(&mut random)]),
            4..7 => {
                touched = Some(at);
                let game = fresh(&mut random).read(1, GameNeeds::ALL).expect("read");
                EditOperation::Replace {
                    number,
                    game: Box::new(game),
                    was: None,
                }
            }
            7..9 => {
                touched = Some(at);
                EditOperation::Set {
                    games: (number..number + 1).into(),
                    tags: vec![("White".to_owned(), format!("R{}", random.below(99)))],
                }
            }
            9..11 => {
                touched = Some(at);
                let (set, clear) = if random.below(2) == 0 {
                    ("D", "")
                } else {
                    ("", "D")
                };
                EditOperation::Flags {
                    games: (number..number + 1).into(),
                    set: set.to_owned(),
                    clear: clear.to_owned(),
                }
            }
            16 => {
                touched = Some(at);
                EditOperation::Delete((number..number + 1).into())
            }
            11 => EditOperation::Sort("date,-white".parse().expect("an order")),
            12 if random.below(4) == 0 => EditOperation::Compact,
            _ => EditOperation::Undo,
        };
        if !change(&path, &wish) {
            assert_eq!(lines(&path), now, "{name}, turn {turn}: {wish:?}");
            continue;
        }
        let then = lines(&path);
        let is_changed = then != now;
        match &wish {
            EditOperation::Append(_) => {
                assert_eq!(then.len(), now.len() + 1);
                assert_eq!(then[..now.len()], now[..], "{name}, turn {turn}");
            }
            EditOperation::Sort(_) => {
                assert_eq!(sorted(&then), sorted(&now), "{name}, turn {turn}")
            }
            EditOperation::Delete(_) if then.len() < now.len() => {
                let mut left = now.clone();
                left.remove(at);
                assert_eq!(then, left, "{name}, turn {turn}");
            }
            EditOperation::Compact => {
                let mut left = now.iter();
                assert!(
                    then.iter().all(|game| left.any(|old| old == game)),
                    "{name}, turn {turn}"
                );
            }
            EditOperation::Undo => {
                // What changed nothing is not undone but passed over, or undone without a difference.
                if then == now {
                    continue;
                }
                while let Some(state) = states.pop() {
                    if state == then {
                        break;
                    }
                    assert!(state == now, "{name}, turn {turn}: not what it was");
                }
                now = then;
                continue;
            }
            _ => {
                assert_eq!(then.len(), now.len(), "{name}, turn {turn}");
                for (index, (old, new)) in now.iter().zip(&then).enumerate() {
                    assert!(
                        old == new || Some(index) == touched,
                        "{name}, turn {turn}: game {index}"
                    );
                }
            }
        }
        if matches!(wish, EditOperation::Compact) {
            states.clear();
        } else if is_changed {
            states.push(std::mem::replace(&mut now, then.clone()));
        }
        now = then;
    }
    let checked = check::check(&open(&path), 20, &Control::default()).expect("checks");
    assert_eq!(checked.diagnostics.at_least(Severity::Damage), 0, "{name}");
    assert!(
        !tabiya::edit::history(&Opener::default(), &path)
            .expect("opens")
            .is_damaged()
    );
    assert!(EditHistory::path_of(&path).exists());
    path
}

fn one(name: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    random_edits(folder.path(), name);
}

#[test]
fn every_format_that_is_edited_is_tried_here() {
    let tried = ["pgn", "ndjson", "cbf", "cbh", "ca", "jose", "si4", "si5"];
    for format in registry::FORMATS
        .iter()
        .filter(|format| format.edit.is_some())
    {
        assert!(
            tried.contains(&format.name) || format.create.is_none(),
            "{format:?}"
        );
    }
}

#[test]
fn random_edits_of_pgn() {
    one("base.pgn");
}

#[test]
fn random_edits_of_packed_pgn() {
    one("base.pgn.gz");
}

#[test]
fn random_edits_of_ndjson() {
    one("base.ndjson");
}

#[test]
fn random_edits_of_chessbase_for_dos() {
    one("base.cbf");
}

#[test]
fn random_edits_of_chessbase() {
    one("base.cbh");
}

#[test]
fn random_edits_of_chess_assistant() {
    let format = registry::by_name("ca").expect("known");
    one(&format!("base.{}", format.extensions[0]));
}

#[test]
fn random_edits_of_jose() {
    let format = registry::by_name("jose").expect("known");
    one(&format!("base.{}", format.extensions[0]));
}

const EXPORT: &str = "
set b [sc_base open [lindex $argv 0]]
sc_base switch $b
sc_filter reset $b dbfilter full
sc_base export filter PGN [lindex $argv 1] -append 0 -starttext {} -endtext {} -comments 1 -variations 1 \
 -spaces 0 -symbols 0 -indentC 0 -indentV 0 -column 0 -noMarkCodes 0 -convertNullMoves 0
exit
";

/// Scid itself exports the games that were edited.
fn scid(name: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = random_edits(folder.path(), name);
    let Some(program) = tabiya_testing::tkscid() else {
        return;
    };
    if name.ends_with("si5") {
        // Debian's Scid knows si4: a copy of the base as it is now stands for it.
        let copy = folder.path().join("copy.si4");
        let target = Target::new(&copy, None, WriteOptions::default()).expect("a target");
        let options = tabiya::convert::ConvertOptions::default();
        tabiya::convert::convert(&[open(&path)], &target, &options, &Control::default())
            .expect("copies");
        exported(&program, folder.path(), &copy);
        return;
    }
    exported(&program, folder.path(), &path);
}

fn exported(program: &Path, folder: &Path, path: &Path) {
    let (script, out) = (folder.join("script.tcl"), folder.join("out.pgn"));
    std::fs::write(&script, EXPORT).expect("written");
    let ran = Command::new(program)
        .args([&script, &path.with_extension(""), &out])
        .env("HOME", folder)
        .env_remove("DISPLAY")
        .output()
        .expect("Scid runs");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let games = |path: &Path| -> Vec<(String, String, usize)> {
        let base = open(path);
        let games = base.games(GameNeeds::ALL).expect("reads");
        games
            .map(|game| {
                let game = game.expect("read");
                let tag = |name: &str| game.tags.value(name).to_owned();
                (tag("White"), tag("Date"), game.tape.len())
            })
            .collect()
    };
    let moves = |path: &Path| -> Vec<Vec<tabiya::model::Move>> {
        let base = open(path);
        let games = base.games(GameNeeds::ALL).expect("reads");
        games
            .map(|game| game.expect("read").tape.main_line().collect())
            .collect()
    };
    let names = |list: Vec<(String, String, usize)>| -> Vec<(String, String)> {
        list.into_iter()
            .map(|(white, date, _)| (white, date))
            .collect()
    };
    assert_eq!(names(games(&out)), names(games(path)));
    assert_eq!(moves(&out), moves(path));
}

#[test]
fn random_edits_of_si4() {
    scid("base.si4");
}

#[test]
fn random_edits_of_si5() {
    scid("base.si5");
}
