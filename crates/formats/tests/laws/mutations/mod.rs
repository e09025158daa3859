//! The law of mutations: whatever is in a PGN file, sound or broken, a conversion keeps it or reports its loss.
//!
//! PGN texts are damaged at random, read, and written in every format that is both written and read. Every difference
//! between a game and its copy must be covered by a reported loss, and games that were converted to PGN once are converted
//! to the same bytes again. A seed always gives the same text; `TABIYA_MUTATIONS` sets how many are tried, and
//! `TABIYA_FIRST_MUTATION` the first one.

#![allow(clippy::print_stderr)] // The tests print which formats took part, and which text failed.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use tabiya_formats::format::{Format, OpenOptions, WriteOptions};
use tabiya_formats::pgn;
use tabiya_formats::registry::FORMATS;
use tabiya_model::charset::Charset;
use tabiya_model::database::for_each_game;
use tabiya_model::diff::diff;
use tabiya_model::error::ErrorKind;
use tabiya_model::{Game, GameAspect, GameNeeds, Losses};

use crate::games;

pub(crate) mod arbitrary;
pub(crate) mod texts;

/// The losses of each game, by its number.
type Lost = BTreeMap<u64, Vec<(GameAspect, String)>>;

/// The games of a PGN text, numbered consecutively; `None` if it is not PGN at all.
fn read_pgn(text: &[u8]) -> Option<Vec<Game>> {
    let stream = pgn::FORMAT.stream.expect("PGN is read from pipes");
    let read = || -> tabiya_model::Result<Vec<Game>> {
        let mut source = stream(
            Box::new(Cursor::new(text.to_vec())),
            &OpenOptions::default(),
        )?;
        let mut games = Vec::new();
        for_each_game(&mut *source, GameNeeds::ALL, |game| {
            games.push(game.clone());
            Ok(())
        })?;
        Ok(games)
    };
    match read() {
        Ok(games) => Some(games),
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::NotThisFormat, "{error}");
            None
        }
    }
}

/// Writes games and reads them again.
fn round_trip(format: &Format, folder: &Path, games: &[Game]) -> (Vec<Game>, Lost) {
    let path = folder
        .join("games")
        .with_extension(format.extensions.first().copied().unwrap_or(""));
    let create = format.create.expect("the format is written");
    // Formats with a single charset do not store which one it is: the reader's guess for odd letters does not matter here.
    let encoding = ["ca", "cbf"]
        .contains(&format.name)
        .then_some(Charset::Cp1252);
    let options = WriteOptions {
        encoding,
        ..WriteOptions::default()
    };
    let mut sink = create(&path, &options).expect("the target can be created");
    let mut encoder = sink.encoder();
    let mut losses = Losses::default();
    for game in games {
        encoder.encode(game, &mut losses);
    }
    sink.append(encoder.take(), 1, &mut losses)
        .expect("the games are taken");
    sink.finish().expect("the target is completed");
    let mut lost = Lost::new();
    for loss in losses.iter() {
        let told = format!("{} ({})", loss.kind.name, loss.detail);
        lost.entry(loss.game)
            .or_default()
            .push((loss.kind.aspect, told));
    }
    let open = format.open.expect("the format is read");
    let options = OpenOptions {
        encoding,
        ..OpenOptions::default()
    };
    let database = open(&path, &options)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", format.name));
    let mut copies = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        copies.push(game.clone());
        Ok(())
    })
    .unwrap_or_else(|error| panic!("{} cannot be read: {error}", format.name));
    (copies, lost)
}

/// What a format changed without reporting it.
fn unreported(format: &Format, games: &[Game]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (copies, lost) = round_trip(format, folder.path(), games);
    let none = Vec::new();
    let lost_of = |game: &Game| lost.get(&game.origin.number).unwrap_or(&none);
    let is_gone = |game: &Game| lost_of(game).iter().any(|(a, _)| *a == GameAspect::Game);
    let kept: Vec<&Game> = games.iter().filter(|game| !is_gone(game)).collect();
    let mut found = Vec::new();
    if kept.is_empty() {
        // An opening book keeps no game: the games that it shows are its own lines.
        return found;
    }
    if kept.len() != copies.len() {
        found.push(format!(
            "{}: {} games became {}",
            format.name,
            kept.len(),
            copies.len()
        ));
    }
    for (game, copy) in kept.into_iter().zip(&copies) {
        let lost = lost_of(game);
        for difference in diff(game, copy) {
            if !lost.iter().any(|(a, _)| a.explains(difference.aspect)) {
                found.push(format!(
                    "{} game {}: {difference}; told: {lost:?}",
                    format.name, game.origin.number
                ));
            }
        }
    }
    found
}

/// The PGN of games, with their losses.
fn pgn_of(games: &[Game]) -> (Vec<u8>, Losses) {
    let mut writer = pgn::PgnGameWriter::new(pgn::PgnStyle::default());
    let (mut text, mut losses) = (Vec::new(), Losses::default());
    for game in games {
        writer.write(game, &mut text, &mut losses);
    }
    (text, losses)
}

/// What a second conversion to PGN changes, or reports.
fn not_fixed(games: &[Game]) -> Vec<String> {
    let (once, _) = pgn_of(games);
    let again = read_pgn(&once).unwrap_or_default();
    let (twice, losses) = pgn_of(&again);
    let mut found = Vec::new();
    if once != twice {
        let differs = |(a, b): &(&[u8], &[u8])| a != b;
        let lines = |text: &[u8]| {
            text.split(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect::<Vec<_>>()
        };
        let (a, b) = (lines(&once), lines(&twice));
        let at = a
            .iter()
            .map(|l| &l[..])
            .zip(b.iter().map(|l| &l[..]))
            .find(differs);
        found.push(match at {
            Some((a, b)) => format!(
                "the second conversion differs: {:?} | {:?}",
                String::from_utf8_lossy(a),
                String::from_utf8_lossy(b)
            ),
            None => "the second conversion is longer or shorter".to_owned(),
        });
    }
    for loss in losses.iter() {
        found.push(format!(
            "the second conversion loses: game {} {} ({})",
            loss.game, loss.kind.name, loss.detail
        ));
    }
    found
}

/// Formats that keep whole games and can be both written and read.
fn both_ways() -> impl Iterator<Item = &'static Format> {
    FORMATS
        .iter()
        .copied()
        .filter(|format| format.create.is_some() && format.open.is_some())
}

/// Every unreported change when a text is converted.
fn faults(text: &[u8]) -> Vec<String> {
    read_pgn(text).map_or_else(Vec::new, |games| {
        let mut found = faults_of(&games);
        found.extend(not_fixed(&games));
        found
    })
}

/// Every unreported change when games are converted.
fn faults_of(games: &[Game]) -> Vec<String> {
    both_ways()
        .flat_map(|format| {
            let check = std::panic::AssertUnwindSafe(|| unreported(format, games));
            std::panic::catch_unwind(check)
                .unwrap_or_else(|_| vec![format!("{}: a panic", format.name)])
        })
        .collect()
}

/// The words that are common to faults of the same kind.
fn kind(fault: &str) -> String {
    let words = fault.split(' ');
    let plain = words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    plain.take(3).collect::<Vec<_>>().join(" ")
}

/// Shortens a text that shows a fault, by whole lines and then by single characters.
fn shrink(text: &[u8], shows: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut text = text.to_vec();
    let mut piece = text.len() / 2;
    let mut tries = 400;
    while piece > 0 {
        let mut at = 0;
        while at < text.len() && tries > 0 {
            tries -= 1;
            let mut shorter = text.clone();
            shorter.drain(at..(at + piece).min(text.len()));
            if shows(&shorter) {
                text = shorter;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    text
}

#[test]
fn every_difference_of_a_mutated_file_is_told() {
    let formats: Vec<&str> = both_ways().map(|format| format.name).collect();
    let first = tabiya_testing::number_of("TABIYA_FIRST_MUTATION", 0);
    let usual = tabiya_testing::by_form(300, 1_200, 4_000);
    let count = tabiya_testing::number_of("TABIYA_MUTATIONS", usual);
    eprintln!(
        "mutations {first}..{}: {}",
        first + count,
        formats.join(" ")
    );
    let mut failed = 0;
    let mut read = 0;
    let mut shown: BTreeMap<String, u64> = BTreeMap::new();
    for seed in first..first + count {
        let text = texts::mutated(seed);
        let found = faults(&text);
        read += u64::from(read_pgn(&text).is_some());
        failed += u64::from(!found.is_empty());
        for fault in &found {
            let of = kind(fault);
            let times = shown.entry(of.clone()).or_default();
            *times += 1;
            if *times > 1 {
                continue;
            }
            let small = shrink(&text, |text| {
                faults(text).iter().any(|fault| kind(fault) == of)
            });
            let still: Vec<String> = faults(&small)
                .into_iter()
                .filter(|f| kind(f) == of)
                .collect();
            eprintln!(
                "seed {seed}: {:?}\n  {}",
                String::from_utf8_lossy(&small),
                still.join("\n  "),
            );
        }
    }
    if failed > 0 {
        eprintln!("{shown:#?}");
    }
    assert!(read * 2 > count, "only {read} of {count} texts were PGN");
    assert_eq!(failed, 0, "texts of {count} that lose something unsaid");
}

/// Texts that once had an unreported loss, shortened as far as possible.
const ONCE_UNSAID: [&str; 12] = [
    "[A\"\n(d4)(;",
    "(d4) (c4) (Nf3 ; open\n%x\n(b3)",
    "(;\n(;\n % e9 (d4) *",
    "[Variant\"Chess960 ]",
    "[Event\"\u{aa}\te",
    "[White \"a\tb\"]\n[Annotator \"c\t\td\"]\n\n*",
    "[FEN \"0\"]\n\n*",
    "[Result\"1/2\ne51-0",
    "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[FEN \"4k3/8/8/8/8/8/3P4/4K3 w - - 0 1\"]\n\n1. e4 *",
    "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[FEN \"none\"]\n[SetUp \"yes\"]\n\n1. e4 *",
    "[FEN \"4k3/8/8/8/8/8/4r3/4K3 b - - 0 1\"]\n\n1... -- 2. -- *",
    "[r\"\\\"\n\"\n%\0\ns",
];

#[test]
fn what_was_once_unsaid_is_told() {
    let texts = ONCE_UNSAID.iter().map(|text| text.as_bytes());
    // A text that is UTF-8 except for one byte.
    for text in texts.chain([&b"b3 {\xe2\x9e\xbb \xbf\xe2\x80\x9c} *"[..]]) {
        let shown = String::from_utf8_lossy(text);
        assert_eq!(faults(text), Vec::<String>::new(), "{shown:?}");
    }
}

#[test]
fn every_difference_of_an_arbitrary_game_is_told() {
    let first = tabiya_testing::number_of("TABIYA_FIRST_MUTATION", 0);
    let usual = tabiya_testing::by_form(300, 1_200, 4_000);
    let count = tabiya_testing::number_of("TABIYA_MUTATIONS", usual);
    let mut shown: BTreeMap<String, u64> = BTreeMap::new();
    let mut failed = 0;
    for seed in first..first + count {
        let game = arbitrary::game(seed);
        let found = faults_of(std::slice::from_ref(&game));
        failed += u64::from(!found.is_empty());
        for fault in found {
            let times = shown.entry(kind(&fault)).or_default();
            *times += 1;
            if *times > 2 {
                continue;
            }
            let (text, _) = pgn_of(std::slice::from_ref(&game));
            let text = String::from_utf8_lossy(&text).into_owned();
            eprintln!("seed {seed}: {fault}\n  {text:?}");
        }
    }
    if failed > 0 {
        eprintln!("{shown:#?}");
    }
    assert_eq!(failed, 0, "games of {count} that lose something unsaid");
}
