//! The second judge: the effect of a conversion on games, without using the canonical form.
//!
//! The laws of the other tests, `diff` and `--verify` compare canonical forms, and cannot see differences that these fold.
//! This judge compares plain facts (`facts.rs`): tags as pairs in order, the result at the end, the tokens of the movetext
//! with their white space; and it knows what each kind of loss may explain (`verdict.rs`). If a source is plain PGN, it is
//! scanned by a scanner of its own, and compared with the PGN that is made from the games read from the target.
//!
//! All samples of `corpus/` are converted into every format that can also be read, and so are some mutated files.
//! `TABIYA_MUTATIONS` sets their number, `TABIYA_FIRST_MUTATION` the first one; with `TABIYA_FULL`, the large corpora and
//! the files of others next to the project are converted too.

#![allow(clippy::print_stderr)] // Judged and skipped data is printed.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use tabiya_formats::format::{Format, FormatProbe, OpenOptions, WriteOptions};
use tabiya_formats::pgn;
use tabiya_formats::registry::{self, FORMATS};
use tabiya_model::charset::Charset;
use tabiya_model::database::for_each_game;
use tabiya_model::{Database, Game, GameNeeds, Losses};
use tabiya_testing::TestRandom;

mod facts;
mod verdict;

use crate::mutations::{arbitrary, texts};
use facts::Facts;
use verdict::{Told, unexplained};

/// Formats that keep whole games and can be both written and read.
fn both_ways() -> Vec<&'static Format> {
    let all = FORMATS.iter().copied();
    all.filter(|format| format.create.is_some() && format.open.is_some())
        .collect()
}

/// Games, with the facts of their source if those are known apart from the games.
#[derive(Default)]
struct Judged {
    games: Vec<Game>,
    texts: Vec<Option<Facts>>,
}

impl Judged {
    fn of(games: Vec<Game>) -> Judged {
        let texts = games.iter().map(|_| None).collect();
        Judged { games, texts }
    }

    /// Appends games, with consecutive numbers.
    fn add(&mut self, other: Judged) {
        self.games.extend(other.games);
        self.texts.extend(other.texts);
        self.number();
    }

    fn number(&mut self) {
        for (game, number) in self.games.iter_mut().zip(1..) {
            game.origin.number = number;
        }
    }
}

/// The games of a PGN text, and its facts if it is plain; none if it is not PGN at all.
fn of_pgn(text: &[u8]) -> Judged {
    let stream = pgn::FORMAT.stream.expect("PGN is read from pipes");
    let read = || -> tabiya_model::Result<Vec<Game>> {
        let input = Box::new(Cursor::new(text.to_vec()));
        let mut source = stream(input, &OpenOptions::default())?;
        let mut games = Vec::new();
        for_each_game(&mut *source, GameNeeds::ALL, |game| {
            games.push(game.clone());
            Ok(())
        })?;
        Ok(games)
    };
    // Text that is refused because it is not PGN is not lost silently.
    let Ok(games) = read() else {
        return Judged::default();
    };
    let mut judged = Judged::of(games);
    let plain = std::str::from_utf8(text)
        .ok()
        .and_then(|text| facts::scan(text.strip_prefix('\u{feff}').unwrap_or(text)).ok());
    if let Some(plain) = plain {
        assert_eq!(
            plain.len(),
            judged.games.len(),
            "the games of {:?}",
            String::from_utf8_lossy(text)
        );
        judged.texts = plain.into_iter().map(Some).collect();
    }
    judged
}

/// Games written to a format: the copies, and the losses of each game.
struct Written {
    copies: Vec<Game>,
    told: BTreeMap<u64, Told>,
}

fn write(format: &Format, games: &[Game]) -> Result<Written, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = (folder.path().join("games"))
        .with_extension(format.extensions.first().copied().unwrap_or(""));
    // Formats with a single charset do not store which one it is: the reader's guess for odd letters does not matter here.
    let encoding = ["ca", "cbf"]
        .contains(&format.name)
        .then_some(Charset::Cp1252);
    let options = WriteOptions {
        encoding,
        ..WriteOptions::default()
    };
    let create = format.create.expect("the format is written");
    let mut sink = create(&path, &options).map_err(|error| error.to_string())?;
    let mut encoder = sink.encoder();
    let mut losses = Losses::default();
    for game in games {
        encoder.encode(game, &mut losses);
    }
    (sink.append(encoder.take(), 1, &mut losses)).map_err(|error| error.to_string())?;
    sink.finish().map_err(|error| error.to_string())?;
    let mut told: BTreeMap<u64, Told> = BTreeMap::new();
    for loss in losses.iter() {
        told.entry(loss.game).or_default().add(loss);
    }
    let options = OpenOptions {
        encoding,
        ..OpenOptions::default()
    };
    let copies = read_all(format, &path, &options).map_err(|error| error.to_string())?;
    Ok(Written { copies, told })
}

fn read_all(
    format: &Format,
    path: &Path,
    options: &OpenOptions,
) -> tabiya_model::Result<Vec<Game>> {
    let open = format.open.expect("the format is read");
    let database = open(path, options)?;
    let mut games = Vec::new();
    let mut source = Database::source(&*database, None)?;
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })?;
    Ok(games)
}

/// Everything that a format changed without reporting it.
fn faults(format: &Format, judged: &Judged) -> Vec<String> {
    let mut found = Vec::new();
    let none = Told::default();
    let Written { copies, told } = match write(format, &judged.games) {
        Ok(written) => written,
        Err(error) => return vec![format!("{}: {error}", format.name)],
    };
    let told_of = |game: &Game| told.get(&game.origin.number).unwrap_or(&none);
    let kept: Vec<(&Game, &Option<Facts>)> = (judged.games.iter().zip(&judged.texts))
        .filter(|(game, _)| !told_of(game).is_gone())
        .collect();
    // An opening book keeps no game: the games that it shows are its own lines.
    if kept.is_empty() {
        return found;
    }
    if kept.len() != copies.len() {
        let (games, copies) = (kept.len(), copies.len());
        found.push(format!("{}: {games} games became {copies}", format.name));
    }
    for ((game, text), copy) in kept.into_iter().zip(&copies) {
        let told = told_of(game);
        let mut note = |of: &str, told: &Told, differences: Vec<String>| {
            for difference in differences {
                found.push(format!(
                    "{} {of}: {difference}; told: {}",
                    format.name,
                    told.shown()
                ));
            }
        };
        let mut differences = unexplained(&Facts::of_game(game), &Facts::of_game(copy), told);
        let [before, after] = [game, copy].map(facts::beginning);
        if before != after && !told.may_differ_in_start() {
            differences.push(format!("start: {before} became {after}"));
        }
        note("game", told, differences);
        let Some(text) = text else { continue };
        let mut writer = pgn::PgnGameWriter::new(pgn::PgnStyle::default());
        let (mut export, mut losses) = (Vec::new(), Losses::default());
        writer.write(copy, &mut export, &mut losses);
        let mut told = told.clone();
        for loss in losses.iter() {
            told.add(loss);
        }
        let export = String::from_utf8_lossy(&export);
        // Lost data may be there in a form that the scanner does not read.
        let Ok(again) = facts::scan(&export) else {
            if told.is_empty() {
                found.push(format!(
                    "{} text: the copy is not plain: {export}",
                    format.name
                ));
            }
            continue;
        };
        match &again[..] {
            [again] => note("text", &told, unexplained(text, again, &told)),
            _ => found.push(format!(
                "{} text: one game became {}",
                format.name,
                again.len()
            )),
        }
    }
    found
}

/// The words that are common to faults of the same kind.
fn kind(fault: &str) -> String {
    let words = fault.split(' ').take(4);
    words.collect::<Vec<_>>().join(" ")
}

/// Faults by their kinds, with the first ones of each.
#[derive(Default)]
struct Report {
    kinds: BTreeMap<String, (u64, Vec<String>)>,
}

impl Report {
    fn add(&mut self, of: &str, faults: Vec<String>) {
        for fault in faults {
            let (times, shown) = self.kinds.entry(kind(&fault)).or_default();
            *times += 1;
            if shown.len() < 2 {
                shown.push(format!("{of}: {fault}"));
            }
        }
    }

    fn assert_empty(&self) {
        for (kind, (times, shown)) in &self.kinds {
            eprintln!("{times} times {kind}\n  {}", shown.join("\n  "));
        }
        assert!(self.kinds.is_empty(), "differences that no loss explains");
    }
}

/// Judges games in every format.
fn judge(of: &str, judged: &Judged, report: &mut Report) {
    for format in both_ways() {
        report.add(of, faults(format, judged));
    }
}

/// Every file of a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// The format of a file that holds games.
fn format_of(path: &Path) -> Option<&'static Format> {
    let bytes = std::fs::read(path).expect("a file");
    let extension = path.extension().map_or("", |e| e.to_str().unwrap_or(""));
    let probe = FormatProbe {
        path: Some(path),
        extension,
        head: &bytes[..bytes.len().min(8192)],
        is_folder: false,
    };
    let (format, _) = registry::identify(&probe)?;
    format.open?;
    // For a database of several files, only the first one counts.
    (format.extensions.first() == Some(&extension) || format.extensions.len() < 3).then_some(format)
}

/// Games of a file that is PGN, up to a maximum.
fn judged_of(path: &Path) -> Option<(&'static Format, Judged)> {
    let format = format_of(path)?;
    if format.name == "pgn" && !path.extension().is_some_and(|e| e == "zst" || e == "gz") {
        return Some((format, of_pgn(&std::fs::read(path).expect("a file"))));
    }
    let games = read_all(format, path, &OpenOptions::default()).ok()?;
    let mut judged = Judged::of(games);
    judged.number();
    Some((format, judged))
}

#[test]
fn no_sample_loses_anything_unsaid() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut report = Report::default();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut plain = 0;
    for path in files(&corpus) {
        let Some((format, judged)) = judged_of(&path) else {
            continue;
        };
        *seen.entry(format.name).or_default() += judged.games.len();
        plain += judged.texts.iter().flatten().count();
        let name = path.strip_prefix(&corpus).expect("within").display();
        judge(&name.to_string(), &judged, &mut report);
    }
    eprintln!("games by the format of their sample: {seen:?}; {plain} of plain PGN");
    assert!(
        seen.len() > 10 && plain > 10,
        "{seen:?}, {plain} of plain PGN"
    );
    report.assert_empty();
}

/// How many texts go into one database.
const TOGETHER: u64 = 100;

#[test]
fn no_mutated_file_loses_anything_unsaid() {
    let first = tabiya_testing::number_of("TABIYA_FIRST_MUTATION", 0);
    let count = tabiya_testing::number_of("TABIYA_MUTATIONS", 400);
    let mut report = Report::default();
    let (mut games, mut plain) = (0, 0);
    let mut at = first;
    while at < first + count {
        let until = (at + TOGETHER).min(first + count);
        let mut judged = Judged::default();
        for seed in at..until {
            judged.add(of_pgn(&texts::mutated(seed)));
            // A text as programs write it, and facts that contradict each other.
            judged.add(of_pgn(odd(seed).as_bytes()));
        }
        games += judged.games.len();
        plain += judged.texts.iter().flatten().count();
        judge(&format!("seeds {at}..{until}"), &judged, &mut report);
        at = until;
    }
    eprintln!("{count} mutated files from {first} on: {games} games, {plain} of them plain PGN");
    assert!(plain as u64 > count / 2, "{plain} of plain PGN");
    report.assert_empty();
}

#[test]
fn no_arbitrary_game_loses_anything_unsaid() {
    let first = tabiya_testing::number_of("TABIYA_FIRST_MUTATION", 0);
    let count = tabiya_testing::number_of("TABIYA_MUTATIONS", 400);
    let mut report = Report::default();
    let mut at = first;
    while at < first + count {
        let until = (at + TOGETHER).min(first + count);
        let mut judged = Judged::of((at..until).map(arbitrary::game).collect());
        judged.number();
        judge(&format!("seeds {at}..{until}"), &judged, &mut report);
        at = until;
    }
    report.assert_empty();
}

#[test]
fn a_result_that_stands_twice_is_kept_twice_or_told_with_both() {
    let ends = ["1-0", "0-1", "1/2-1/2", "*"];
    let tags = ["1-0", "0-1", "1/2-1/2", "*", "1/2", "0-0", "1-0 ff"];
    let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
    for format in both_ways() {
        for (tag, end) in tags.iter().flat_map(|tag| ends.map(|end| (*tag, end))) {
            let text = format!("[White \"A\"]\n[Result \"{tag}\"]\n\n1. e4 {end}\n");
            let judged = of_pgn(text.as_bytes());
            assert_eq!(judged.texts.iter().flatten().count(), 1, "{text}");
            assert_eq!(faults(format, &judged), Vec::<String>::new(), "{text}");
            let Written { copies, told } = write(format, &judged.games).expect("written");
            let told = told.get(&1).map(Told::shown).unwrap_or_default();
            let Some(copy) = copies.first().map(Facts::of_game) else {
                continue;
            };
            let is_kept = copy.values("Result") == [tag] && copy.end.is_none_or(|it| it == end);
            let both = format!("with {end} at the end");
            let is_told = told.contains(tag) && (told.contains(&both) || end == tag);
            if is_kept {
                *kept.entry(format.name).or_default() += 1;
            } else if (tag, end) == ("*", "*") {
                // Unknown values need no room.
                assert_eq!((copy.values("Result").len(), copy.end), (0, None));
            } else if !told.contains("book-game") && !told.contains("jose-result") {
                assert!(is_told, "{} {text}: {told:?}", format.name);
            }
        }
    }
    eprintln!("kept as they are, of {}: {kept:?}", tags.len() * ends.len());
    for name in ["pgn", "si5", "si4", "ndjson", "parquet", "lake"] {
        assert_eq!(kept.get(name), Some(&28), "{name}");
    }
    // Its column holds one of the four results, and its movetext the other.
    assert_eq!(kept.get("jose"), Some(&16));
}

/// A plain game whose tags contradict each other and the movetext, in one of many ways.
fn odd(seed: u64) -> String {
    let mut random = TestRandom::new(seed ^ 0x0ddd);
    let mut text = String::new();
    let mut tag = |name: &str, values: &[&str], random: &mut TestRandom| {
        let value = values[random.below(values.len())];
        if value != "-" {
            text.push_str(&format!("[{name} \"{value}\"]\n"));
        }
    };
    let names = [
        "-",
        "-",
        "?",
        "",
        "Tal",
        "Tal, Mihail",
        " Tal",
        "Tal  M",
        "T\u{e4}l",
    ];
    for name in ["Event", "Site", "White", "Round", "Black"] {
        tag(name, &names, &mut random);
    }
    tag(
        "Date",
        &[
            "-",
            "",
            "2001.02.03",
            "2001.02.??",
            "2001.2.3",
            "2001",
            "????.??.??",
            "x",
        ],
        &mut random,
    );
    let results = [
        "-", "", "1-0", "0-1", "1/2-1/2", "*", "1/2", "1:0", "0-0", "1-0 ff", " 1-0", "1-0 ",
    ];
    tag("Result", &results, &mut random);
    for name in ["WhiteElo", "BlackElo", "ECO", "Note", "Note"] {
        if random.chance(30) {
            tag(
                name,
                &["", "?", "2700", "2700 ", "0", "C42", "a", "b", "  "],
                &mut random,
            );
        }
    }
    if random.chance(10) {
        tag("Result", &results, &mut random);
    }
    if random.chance(10) {
        tag(
            "MovetextResult",
            &["1-0", "0-1", "*", "1/2-1/2", "x", ""],
            &mut random,
        );
    }
    let setups = ["-", "-", "-", "0", "1", "2", "x", "", "1 "];
    let variants = [
        "-",
        "-",
        "-",
        "Standard",
        "standard",
        "Chess960",
        "chess 960",
        "Chess960 ",
        "From Position",
        "Atomic",
        "",
    ];
    let fens = [
        "-",
        "",
        "-",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 hello there",
        "4k3/8/8/8/8/8/4P3/4K3 w - -",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 12 30",
        "4k3/8/8/8/8/8/4P3/4K3  w -  - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 W - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w",
        "r3k2r/4p3/8/8/8/8/4P3/R3K2R w HAha - 0 1",
        "r3k2r/4p3/8/8/8/8/4P3/R3K2R w KQkq - 3 9",
        "4rkr1/4p3/8/8/8/8/4P3/4RKR1 w GEge - 0 1",
        "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
        "no position",
    ];
    if random.chance(40) {
        for part in [0, 1, 2] {
            match (part + seed) % 3 {
                0 => tag("SetUp", &setups, &mut random),
                1 => tag("FEN", &fens, &mut random),
                _ => tag("Variant", &variants, &mut random),
            }
        }
        if random.chance(10) {
            tag("FEN", &fens, &mut random);
            tag("SetUp", &setups, &mut random);
            tag("Variant", &variants, &mut random);
        }
    }
    let moves = [
        "",
        "1. e4 ",
        "1. e4! e5 ",
        "1. e3 (1. e4 $14 {so} ) {x  y} ",
        "{before} 1. e4 $1 $300 {a} {b} ",
    ];
    text.push('\n');
    text.push_str(moves[random.below(moves.len())]);
    text.push_str(["1-0", "0-1", "1/2-1/2", "*"][random.below(4)]);
    text.push('\n');
    text
}

/// The number of games of a corpus that are judged together.
const BATCH: usize = 4000;

#[test]
fn no_game_of_others_loses_anything_unsaid() {
    let mut report = Report::default();
    if !tabiya_testing::is_full() {
        eprintln!("skipped: the games of others are judged with TABIYA_FULL");
        return;
    }
    let Some(folder) = tabiya_testing::shared("corpora") else {
        return;
    };
    let mut count = 0;
    for path in files(&folder) {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if name.ends_with(".zst") {
            count += judge_corpus(&name, &path, &mut report);
            continue;
        }
        let Some((_, judged)) = judged_of(&path) else {
            eprintln!("skipped: {name} holds no games");
            continue;
        };
        count += judged.games.len();
        judge(&name, &judged, &mut report);
    }
    eprintln!("{count} games of others");
    report.assert_empty();
}

/// Judges a compressed corpus, some thousands of games at a time; `TABIYA_GAMES` sets the maximum number.
fn judge_corpus(name: &str, path: &Path, report: &mut Report) -> usize {
    let most = tabiya_testing::number_of("TABIYA_GAMES", 20_000) as usize;
    let open = pgn::FORMAT.open.expect("PGN can be read");
    let database = open(path, &OpenOptions::default()).expect("opened");
    let mut source = database.source(None).expect("a source");
    let mut batch = Vec::new();
    let (mut count, mut game) = (0, Game::default());
    'all: while let Some(mut block) = source.next_block().expect("read") {
        while block.next(GameNeeds::ALL, &mut game).expect("read") {
            count += 1;
            batch.push(game.clone());
            if batch.len() == BATCH {
                let mut judged = Judged::of(std::mem::take(&mut batch));
                judged.number();
                judge(name, &judged, report);
            }
            if count == most {
                break 'all;
            }
        }
    }
    let mut judged = Judged::of(batch);
    judged.number();
    judge(name, &judged, report);
    eprintln!("{name}: {count} games");
    count
}
