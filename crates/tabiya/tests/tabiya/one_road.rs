//! Every job that writes reports the same losses for the same content, in every format.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use tabiya::formats::format::{Format, WriteOptions};
use tabiya::formats::registry::FORMATS;
use tabiya::model::Control;
use tabiya::query::{Query, QueryContext};
use tabiya::report::SourceReport;
use tabiya::target::GameTransform;
use tabiya::{Base, Opener, Selection, Target, convert, eco, edit, explorer, search};
use tempfile::TempDir;

/// Games with everything that some format cannot hold. Each has its ECO code already, where it has an opening.
const GAMES: &str = r#"[Event "Everything & more than the thirty letters of some fields"]
[Site "Ålesund ♔"]
[Date "1999.??.??"]
[Round "3.1.2"]
[White "Ein sehr langer Name, der in manches Feld nicht passen will"]
[Black "Иванов, И"]
[Result "1-0"]
[WhiteElo "2412"]
[BlackElo "1803"]
[ECO "B00"]
[EventDate "1999.05.01"]
[Annotator "Nimzo"]
[TimeControl "40/7200:3600"]
[Odd_Tag "kept?"]

{before} 1. e4 $1 {[%clk 0:01:00] ♔ and ± } (1. d4 {other} (1. c4 $146) 1... d5) 1... a6 $2 $18 2. Nf3 b5 1-0

[Event "Null"]
[White "A"]
[Black "B"]
[Result "*"]
[ECO "A00"]
[ScidFlags "WD"]

1. b4 -- 2. Bb2 {end} *

[Event "Position"]
[White "A"]
[Black "B"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "8/8/4k3/8/8/3PK3/8/8 w - - 0 60"]

60. d4 Kd6 1/2-1/2

[Event "Fischer"]
[White "A"]
[Black "B"]
[Result "0-1"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "bqnrknrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKNRB w DGdg - 0 1"]

1. d4 d5 0-1

"#;

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A base that says much about itself.
    fn source(&self) -> Vec<Base> {
        let pgn = self.path("games.pgn");
        std::fs::write(&pgn, GAMES).expect("written");
        let path = self.path("source.si5");
        let options = WriteOptions {
            description: Some("All that ♔ there is".to_owned()),
            kind: Some(3),
            autoload: Some(2),
            labels: vec!["one".to_owned(), String::new(), "three".to_owned()],
            ..WriteOptions::default()
        };
        let target = Target::new(&path, None, options).expect("a target");
        let done = copied(&open(&pgn), &target);
        assert!(done.summary.is_some_and(|summary| summary.games == 4));
        open(&path)
    }

    fn target(&self, name: &str, format: &'static Format) -> Target {
        let extension = format.extensions.first().copied().unwrap_or("csv");
        let path = self.path(&format!("{name}-{}.{extension}", format.name));
        Target::new(path, Some(format), WriteOptions::default()).expect("a target")
    }
}

fn open(path: &Path) -> Vec<Base> {
    tabiya::open(path).expect("opened")
}

fn copied(bases: &[Base], target: &Target) -> convert::Conversion {
    let options = convert::ConvertOptions::default();
    convert::convert(bases, target, &options, &Control::default()).expect("copied")
}

/// All losses in one order: threads and jobs may meet them in another.
fn lost(reports: &[SourceReport]) -> Vec<String> {
    let mut lost: Vec<String> = reports
        .iter()
        .flat_map(|report| report.losses.kinds())
        .flat_map(|(kind, number, examples)| {
            let line = move |loss: &tabiya::model::Loss| {
                format!("{} ({number}): {} {}", kind.name, loss.game, loss.detail)
            };
            examples.iter().map(line).collect::<Vec<_>>()
        })
        .collect();
    lost.sort();
    lost
}

fn all_games(bases: &[Base]) -> Selection {
    let query = Query::parse("plies>=0", QueryContext::default()).expect("a query");
    Selection::of(bases).matching(query)
}

/// The formats that games are written to.
fn targets() -> impl Iterator<Item = &'static Format> {
    FORMATS
        .iter()
        .copied()
        .filter(|format| format.create.is_some())
}

#[test]
fn search_eco_and_repair_lose_what_convert_loses() {
    let place = Place::new();
    let bases = place.source();
    let opener = Opener {
        salvage: true,
        ..Opener::default()
    };
    let broken = opener.open(&place.path("source.si5")).expect("opened");
    let (mut formats, mut losses) = (0, 0);
    for format in targets() {
        let expected = lost(&copied(&bases, &place.target("convert", format)).sources);
        for threads in [1, 3] {
            let control = Control::default().with_threads(threads);
            for sort in [None, Some("number".parse().expect("a key"))] {
                let options = search::SearchOptions {
                    sort: sort.clone(),
                    ..search::SearchOptions::default()
                };
                let name = format!("search{threads}{}", sort.is_some());
                let target = place.target(&name, format);
                let found = search::copy(&all_games(&bases), &options, &target, &control);
                let found = found.expect("searched");
                assert_eq!(found.search.hits(), 4, "{}", format.name);
                assert_eq!(lost(&found.sources), expected, "{}: search", format.name);
            }
            let target = place.target(&format!("eco{threads}"), format);
            let filled = eco::fill(&bases, &target, eco::EcoFillOptions::default(), &control);
            let filled = filled.expect("filled").conversion;
            assert_eq!(lost(&filled.sources), expected, "{}: eco", format.name);
        }
        let repaired = copied(&broken, &place.target("repair", format));
        let mut repaired = lost(&repaired.sources);
        // What is salvaged is no base with a description any more, or it is; games lose the same.
        repaired.retain(|line| !line.starts_with("database-"));
        let mut games = expected.clone();
        games.retain(|line| !line.starts_with("database-"));
        assert_eq!(repaired, games, "{}: repair", format.name);
        formats += 1;
        losses += expected.len();
        let says = expected.iter().any(|line| line.starts_with("database-"));
        let holds = ["si5", "si4", "chess-assistant", "ca"];
        if !says && !holds.contains(&format.name) {
            panic!("{}: what the base says about itself is gone", format.name);
        }
    }
    assert!(formats >= 9 && losses > 40, "{formats} {losses}");
}

#[test]
fn several_bases_lose_the_same_sorted_or_not() {
    let place = Place::new();
    let mut bases = place.source();
    let second = place.path("second.pgn");
    std::fs::write(&second, "[Event \"One more\"]\n[White \"Z\"]\n\n1. e4 *\n").expect("written");
    bases.extend(open(&second));
    for format in targets() {
        let database = |mut lost: Vec<String>| {
            lost.retain(|line| line.starts_with("database-"));
            lost
        };
        let expected = database(lost(
            &copied(&bases, &place.target("convert", format)).sources,
        ));
        let options = search::SearchOptions {
            sort: Some("-white".parse().expect("a key")),
            ..search::SearchOptions::default()
        };
        let target = place.target("sorted", format);
        let control = Control::default();
        let found = search::copy(&all_games(&bases), &options, &target, &control);
        let found = found.expect("searched");
        assert_eq!(database(lost(&found.sources)), expected, "{}", format.name);
        assert!(found.summary.is_some(), "{}", format.name);
    }
}

#[test]
fn appending_loses_what_merging_loses() {
    let place = Place::new();
    let bases = place.source();
    let empty = place.path("empty.pgn");
    std::fs::write(&empty, "").expect("written");
    let mut edited = 0;
    for format in targets().filter(|format| format.edit.is_some()) {
        let mut both = open(&empty);
        both.extend(bases.iter().cloned());
        let merged = copied(&both, &place.target("merged", format));
        let base = place.target("base", format);
        copied(&open(&empty), &base);
        let change = edit::EditOperation::Append(bases.clone());
        let opener = Opener::default();
        let control = Control::default();
        let options = edit::EditOptions {
            lossy: edit::LossPolicy::Drop,
            ..edit::EditOptions::default()
        };
        let done = edit::edit_with(
            &opener,
            &base.path,
            &change,
            &options,
            &control,
            &mut |_| {},
        )
        .expect("appended");
        let report = SourceReport {
            losses: done.losses,
            ..SourceReport::default()
        };
        assert_eq!(lost(&[report]), lost(&merged.sources), "{}", format.name);
        let games = open(&base.path)[0].database().expect("a database").len();
        assert_eq!(games.expect("counted"), done.games, "{}", format.name);
        edited += 1;
    }
    assert!(edited >= 2);
}

#[test]
fn a_tree_loses_what_its_game_loses() {
    let place = Place::new();
    let pgn = place.path("played.pgn");
    let games = ["1. e4 e5 2. Nf3", "1. e4 c5", "1. d4 d5"];
    let text: String = games
        .iter()
        .map(|moves| format!("[Event \"?\"]\n\n{moves} *\n\n"))
        .collect();
    std::fs::write(&pgn, text).expect("written");
    let bases = open(&pgn);
    let control = Control::default();
    let choice = explorer::ExploreFilter::default();
    let explorer =
        explorer::Explorer::new(Selection::of(&bases[..]), &choice, &control).expect("opened");
    let line = explorer::ExploreLine::read(None, "").expect("a line");
    let found = explorer.ask(&line, &control).expect("explored");
    let bounds = explorer::OpeningTreeBounds { depth: 4, least: 1 };
    let tree = explorer::OpeningTree::grow(&explorer, line.board(), &found, bounds, &control);
    let tree = tree.expect("grown");
    let as_pgn = place.target("tree", FORMATS[0]);
    tree.write_game(&as_pgn, &bases, &control).expect("written");
    let copy = open(&as_pgn.path);
    for format in targets() {
        let expected = copied(&copy, &place.target("convert", format));
        let target = place.target("direct", format);
        let written = tree.write_game(&target, &bases, &control).expect("written");
        assert_eq!(
            lost(&written.sources),
            lost(&expected.sources),
            "{}",
            format.name
        );
    }
}

#[test]
fn a_stopped_job_says_so_and_leaves_nothing() {
    let place = Place::new();
    let bases = place.source();
    let before = std::fs::read_dir(place.0.path()).expect("listed").count();
    let control = Control::default();
    control.stop();
    let target = place.target("never", FORMATS[0]);
    let options = convert::ConvertOptions::default();
    let done = convert::convert(&bases, &target, &options, &control).expect("stopped");
    assert!(!done.ended.is_whole() && done.summary.is_none());
    let found = search::copy(
        &all_games(&bases),
        &search::SearchOptions::default(),
        &target,
        &control,
    );
    let found = found.expect("stopped");
    assert!(!found.search.ended.is_whole() && found.summary.is_none());
    let change = edit::EditOperation::Append(bases.clone());
    let path = place.path("source.si5");
    let edited = edit::edit(&Opener::default(), &path, &change, &control).expect("stopped");
    assert!(!edited.ended.is_whole());
    assert_eq!(
        open(&path)[0].database().expect("a database").len().ok(),
        Some(4)
    );
    assert_eq!(
        std::fs::read_dir(place.0.path()).expect("listed").count(),
        before
    );
}

#[test]
fn a_copy_that_is_stopped_while_it_is_read_again_is_whole_and_not_called_verified() {
    let place = Place::new();
    let bases = place.source();
    let target = place.target("compared", FORMATS[0]);
    let control = Control::default();
    let games = 4;
    // Each game is asked about once while it is copied, and once more while the copy is compared.
    let asked = AtomicUsize::new(0);
    let make = || -> GameTransform<'_> {
        Box::new(|_, _, _| {
            if asked.fetch_add(1, Ordering::Relaxed) == games {
                control.stop();
            }
            true
        })
    };
    let options = convert::ConvertOptions {
        verify: true,
        ..convert::ConvertOptions::default()
    };
    let done = convert::copy(&bases, &target, &options, &make, &control).expect("stopped");
    assert!(asked.load(Ordering::Relaxed) > games);
    assert!(!done.ended.is_whole());
    assert!(done.sources.iter().all(|one| one.unexplained.is_none()));
    let summary = done.summary.expect("it is written");
    let note = summary.notes.last().expect("a note");
    assert!(note.contains("not compared"), "{note}");
    assert_eq!(summary.games, 4);
    let copy = open(&target.path);
    assert_eq!(copy[0].database().expect("a database").len().ok(), Some(4));
}

#[test]
fn a_generation_changes_with_the_files() {
    let place = Place::new();
    let path = place.path("games.pgn");
    std::fs::write(&path, "[Event \"One\"]\n\n1. e4 *\n").expect("written");
    let base = open(&path).remove(0);
    let same = open(&path).remove(0);
    assert!(base.is_current());
    assert_eq!(base.generation(), same.generation());
    std::fs::write(
        &path,
        "[Event \"One\"]\n\n1. e4 *\n\n[Event \"Two\"]\n\n1. d4 *\n",
    )
    .expect("written");
    assert!(!base.is_current());
    let now = base.current().expect("opened");
    assert_ne!(now.generation(), base.generation());
    assert_eq!(now.database().expect("a database").len().ok(), Some(2));
    let mut seen = 0;
    let ended = now.for_each(tabiya::model::GameNeeds::TAGS, &Control::default(), |_| {
        seen += 1;
        Ok(ControlFlow::Break(()))
    });
    assert!(ended.expect("read").is_whole());
    assert_eq!(seen, 1);
}

#[test]
fn a_lasting_base_outlives_what_others_do_to_its_files() {
    let place = Place::new();
    place.source();
    let path = place.path("source.si5");
    let opener = Opener {
        lasting: true,
        ..Opener::default()
    };
    let base = opener.open(&path).expect("opened").remove(0);
    let whole = base.read(1, tabiya::model::GameNeeds::ALL).expect("read");
    assert_eq!(whole.tags.value("BlackElo"), "1803");
    // Another program cuts the games: a map of them would end this process.
    let games = std::fs::OpenOptions::new()
        .write(true)
        .open(place.path("source.sg5"));
    games.and_then(|file| file.set_len(3)).expect("cut");
    assert!(!base.is_current());
    let clone = base.clone();
    let other = std::thread::spawn(move || match clone.read(1, tabiya::model::GameNeeds::ALL) {
        Ok(game) => game.diagnostics.at_least(tabiya::model::Severity::Damage) > 0,
        Err(_) => true,
    });
    assert!(other.join().expect("no panic"));
}
