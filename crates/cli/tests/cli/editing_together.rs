//! Several programs change one base at the same time: what they were told is what the base holds.

// How many changes met one another is said aloud.
#![allow(clippy::print_stderr)]

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use tabiya_testing::TestRandom;

/// Programs that write at once.
const WRITERS: usize = 8;
/// Games at the head of the base that belong to one writer.
const OWN: usize = 4;
/// Games behind them at the beginning.
const SPARE: usize = 40;

/// Wishes of each writer.
fn wishes() -> usize {
    match tabiya_testing::is_full() {
        true => 1_000,
        false => 12,
    }
}

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .current_dir(folder)
        .env("LC_ALL", "C")
        .args(args)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn game(white: &str, year: usize) -> String {
    format!(
        "[Event \"E\"]\n[Site \"S\"]\n[Date \"{year}.01.01\"]\n[Round \"1\"]\n[White \"{white}\"]\n[Black \"B\"]\n\
         [Result \"1-0\"]\n\n1. e4 {{by {white}}} 1... e5 1-0\n\n"
    )
}

/// The games of the writers stand before all others when they are sorted by their dates.
fn year_of(number: usize) -> usize {
    1900 + number
}

const LATE: usize = 1980;

/// A game as far as this looks at it.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Seen {
    white: String,
    black: String,
    flags: String,
}

impl Seen {
    fn new(white: &str) -> Seen {
        Seen {
            white: white.to_owned(),
            black: "B".to_owned(),
            flags: String::new(),
        }
    }

    fn of(game: &serde_json::Value) -> Seen {
        let value = |name: &str| {
            let tags = game["tags"].as_array().into_iter().flatten();
            let mut named = tags.filter(|tag| tag[0] == name);
            let value = named.next().and_then(|tag| tag[1].as_str());
            value.unwrap_or_default().to_owned()
        };
        Seen {
            white: value("White"),
            black: value("Black"),
            flags: value("ScidFlags"),
        }
    }
}

/// Every game, read by the program itself.
fn content(folder: &Path, base: &str) -> Vec<Seen> {
    let output = run(folder, &["cat", base, "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
        .lines()
        .map(|line| Seen::of(&serde_json::from_str(line).expect("JSON")))
        .collect()
}

/// What one writer was told: what its own games have become, which games it added, and how many it took out.
#[derive(Default)]
struct Told {
    own: Vec<Seen>,
    added: Vec<String>,
    removed: usize,
    made: usize,
    refused: usize,
}

fn refused(output: &Output) -> bool {
    // With 3 it was done, and something was lost.
    if matches!(output.status.code(), Some(0 | 3)) {
        return false;
    }
    let message = text(&output.stderr);
    // The only thing that may stand in the way of a change is another one, and it is named.
    assert!(
        message.contains("is being changed by"),
        "a false message: {message}"
    );
    true
}

/// What a writer can wish.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Wish {
    Append,
    Replace,
    Set,
    Flag,
    Unflag,
    Delete,
    Undelete,
    Sort,
}

/// What the format of a base can do.
struct Can {
    flag: bool,
    mark: bool,
}

impl Can {
    fn of(base: &str) -> Can {
        let flag = base.contains(".si");
        Can {
            flag,
            mark: flag || base.ends_with(".cbf") || base.ends_with(".sql"),
        }
    }

    fn wishes(&self) -> Vec<Wish> {
        let mut all = vec![Wish::Append, Wish::Append, Wish::Replace, Wish::Replace];
        all.extend([Wish::Set, Wish::Set, Wish::Delete, Wish::Sort]);
        if self.flag {
            all.extend([Wish::Flag, Wish::Unflag]);
        }
        if self.mark {
            all.push(Wish::Undelete);
        }
        all
    }
}

fn write(folder: &Path, base: &str, writer: usize) -> Told {
    let can = Can::of(base);
    let wishes_of_format = can.wishes();
    let first = writer * OWN + 1;
    let mut told = Told {
        own: (first..first + OWN)
            .map(|number| Seen::new(&format!("start{number}")))
            .collect(),
        ..Told::default()
    };
    let mut random = TestRandom::new(writer as u64 + 1);
    let mut below = |end: usize| random.below(end);
    for turn in 0..wishes() {
        let name = format!("w{writer}g{turn}");
        let file = format!("w{writer}.pgn");
        let slot = below(OWN);
        let number = (first + slot).to_string();
        let wish = wishes_of_format[below(wishes_of_format.len())];
        let year = match wish {
            Wish::Replace => year_of(first + slot),
            _ => LATE + below(30),
        };
        std::fs::write(folder.join(&file), game(&name, year)).expect("written");
        let black = format!("Black={name}");
        // Of a format without marks, games are taken out behind those that have owners.
        let gone = match can.mark {
            true => number.clone(),
            false => (WRITERS * OWN + 1).to_string(),
        };
        let args: Vec<&str> = match wish {
            Wish::Append => vec!["append", &file],
            Wish::Replace => vec!["replace", &number, &file],
            Wish::Set => vec!["set", "--games", &number, &black],
            Wish::Flag => vec!["flag", &number, "--set", "W"],
            Wish::Unflag => vec!["flag", &number, "--clear", "W"],
            Wish::Delete => vec!["delete", &gone],
            Wish::Undelete => vec!["undelete", &number],
            Wish::Sort => vec!["sort", "date"],
        };
        let args = [&["edit", base, "--lossy=drop", "--keep=1000000"][..], &args].concat();
        if refused(&run(folder, &args)) {
            told.refused += 1;
            continue;
        }
        told.made += 1;
        let own = &mut told.own[slot];
        let mut mark = |letter: char, is_set: bool| {
            own.flags.retain(|flag| flag != letter);
            if is_set {
                own.flags.push(letter);
            }
        };
        match wish {
            Wish::Append => told.added.push(name),
            Wish::Replace => *own = Seen::new(&name),
            Wish::Set => own.black = name,
            Wish::Flag | Wish::Unflag => mark('W', wish == Wish::Flag),
            Wish::Delete if !can.mark => told.removed += 1,
            Wish::Delete | Wish::Undelete => mark('D', wish == Wish::Delete),
            Wish::Sort => {}
        }
    }
    told
}

/// The games that were taken out, as the history keeps them.
fn taken_out(folder: &Path, base: &str) -> Vec<String> {
    let history = folder.join(format!("{base}.tabiya-history"));
    let history = std::fs::read_to_string(history).expect("a history");
    let lines = history.lines();
    lines
        .filter_map(|line| line.strip_prefix("deleted ")?.split_once(' '))
        .map(|(_, game)| Seen::of(&serde_json::from_str(game).expect("JSON")).white)
        .collect()
}

fn one_round(extension: &str) {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let base = format!("base.{extension}");
    let owned = WRITERS * OWN;
    let own = (1..=owned).map(|number| game(&format!("start{number}"), year_of(number)));
    let spare: Vec<String> = (1..=SPARE).map(|number| format!("spare{number}")).collect();
    let start: String = own
        .chain(spare.iter().map(|name| game(name, LATE)))
        .collect();
    std::fs::write(folder.join("start.pgn"), start).expect("written");
    let made = run(folder, &["convert", "start.pgn", &base]);
    assert!(
        matches!(made.status.code(), Some(0 | 3)),
        "{}",
        text(&made.stderr)
    );

    let done = AtomicBool::new(false);
    let (told, looks) = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn({
                    let base = &base;
                    move || write(folder, base, writer)
                })
            })
            .collect();
        // Somebody reads all the while, and never sees anything but a whole base.
        let reader = scope.spawn(|| {
            let mut looks = 0;
            while !done.load(Ordering::Relaxed) {
                let found = content(folder, &base);
                assert!(found.len() >= owned, "games went away");
                looks += 1;
            }
            looks
        });
        let told: Vec<Told> = writers
            .into_iter()
            .map(|writer| writer.join().expect("no panic"))
            .collect();
        done.store(true, Ordering::Relaxed);
        (told, reader.join().expect("no panic"))
    });

    let mut games = content(folder, &base);
    for game in &mut games {
        game.flags = "DW"
            .chars()
            .filter(|flag| game.flags.contains(*flag))
            .collect();
    }
    let (old, new) = games.split_at(owned);
    let expected = told
        .iter()
        .flat_map(|told| &told.own)
        .cloned()
        .map(|mut own| {
            own.flags = "DW"
                .chars()
                .filter(|flag| own.flags.contains(*flag))
                .collect();
            own
        });
    let expected: Vec<Seen> = expected.collect();
    assert_eq!(old, expected, "{extension}: the games of the writers");
    // Whatever order they have by now: every game that was added is there, or was taken out by somebody who knows.
    let removed: usize = told.iter().map(|told| told.removed).sum();
    let mut gone = if removed > 0 {
        taken_out(folder, &base)
    } else {
        Vec::new()
    };
    assert_eq!(
        gone.len(),
        removed,
        "{extension}: games that were taken out"
    );
    let mut found: Vec<String> = new.iter().map(|game| game.white.clone()).collect();
    found.append(&mut gone);
    found.sort_unstable();
    let mut expected: Vec<String> = told.iter().flat_map(|told| told.added.clone()).collect();
    let added = expected.len();
    expected.extend(spare);
    expected.sort_unstable();
    assert_eq!(found, expected, "{extension}: games that were added");
    let check = run(folder, &["check", &base]);
    assert!(check.status.success(), "{}", text(&check.stdout));
    let left: Vec<String> = std::fs::read_dir(folder)
        .expect("listed")
        .map(|entry| text(entry.expect("an entry").file_name().as_encoded_bytes()))
        .filter(|name| name.contains(".tabiya-") && !name.ends_with(".tabiya-history"))
        .collect();
    assert_eq!(left.len(), 0, "{left:?}");
    let made: usize = told.iter().map(|told| told.made).sum();
    let refused: usize = told.iter().map(|told| told.refused).sum();
    assert_eq!(made + refused, WRITERS * wishes());
    eprintln!(
        "{extension}: {made} wishes granted, {added} games added and {removed} taken out, {refused} refused, {looks} looks"
    );
}

#[test]
fn what_eight_programs_were_told_is_what_an_si4_base_holds() {
    one_round("si4");
}

#[test]
fn what_eight_programs_were_told_is_what_an_si5_base_holds() {
    one_round("si5");
}

#[test]
fn what_eight_programs_were_told_is_what_a_pgn_holds() {
    one_round("pgn");
}

#[test]
fn what_eight_programs_were_told_is_what_an_ndjson_file_holds() {
    one_round("ndjson");
}

#[test]
fn what_eight_programs_were_told_is_what_a_chessbase_database_for_dos_holds() {
    one_round("cbf");
}

#[test]
fn what_eight_programs_were_told_is_what_a_dump_of_jose_holds() {
    one_round("sql");
}

#[test]
fn what_eight_programs_were_told_is_what_a_chess_assistant_database_holds() {
    one_round("cdp");
}
