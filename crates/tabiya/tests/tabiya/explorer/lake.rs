//! Lakes: their explorer beside a walk through the games, what grows and is put together, and changes that are cut off.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tabiya::Selection;
use tabiya::explore::explorer::{ExploreOptions, ExploreTarget, scan};
use tabiya::explorer::{ExploreFilter, ExploreLine, Explorer};
use tabiya::formats::format::WriteOptions;
use tabiya::formats::lake::{self as format, LakeManifest, manifest};
use tabiya::lake::{self, LakeTableOptions};
use tabiya::model::canon_game::canon;
use tabiya::model::diff::diff;
use tabiya::model::{Control, Game, GameNeeds};
use tabiya::openings::position_key::PositionKey;
use tabiya::query::{Query, QueryContext};
use tabiya::{Base, Target as Place};
use tabiya_io::disk::guarded;
use tabiya_io::disk_faults::{self, DiskFullFault, KillFault};
use tabiya_tables::positions::LakePositionIndex;

use super::open;
use super::random_games::random_pgn;

/// A file of games of its own in a folder.
fn pgn(folder: &Path, name: &str, games: usize, seed: u64) -> Base {
    let path = folder.join(name);
    std::fs::write(&path, random_pgn(games, seed)).expect("written");
    open(&path)
}

fn target(folder: &Path, partition: bool) -> Place {
    let mut options = WriteOptions::default();
    if partition {
        format::by_months(&mut options.settings).expect("set");
    }
    Place::new(folder, Some(&format::FORMAT), options).expect("a target")
}

fn control() -> Control {
    Control::default().with_threads(2).with_memory(1 << 18)
}

fn tables() -> LakeTableOptions {
    LakeTableOptions {
        positions: true,
        singles: true,
        ..LakeTableOptions::default()
    }
}

fn games_of(base: &Base) -> Vec<Game> {
    base.games(GameNeeds::ALL)
        .expect("games")
        .map(|game| game.expect("a game"))
        .collect()
}

/// The positions of some games, with their keys.
fn targets(games: &[Game]) -> Vec<ExploreTarget> {
    let mut targets = Vec::new();
    for game in games {
        let mut board = game.start_board();
        targets.push(ExploreTarget::of_board(&board));
        for m in game.tape.main_line() {
            board.play(m);
            targets.push(ExploreTarget::of_board(&board));
        }
    }
    let mut seen = BTreeSet::new();
    targets.retain(|target| seen.insert(target.key));
    targets
}

/// Holds every answer of the tables against a walk through the same games.
fn check(lake: &Path) {
    let base = open(lake);
    let games = games_of(&base);
    let targets = targets(&games);
    let database = base.database().expect("a database");
    let walked = scan(
        database,
        None,
        &targets,
        &ExploreOptions::default(),
        &control(),
    )
    .expect("walked");
    let explorer = Explorer::new(
        Selection::of([base.clone()]),
        &ExploreFilter::default(),
        &control(),
    )
    .expect("an explorer");
    assert!(explorer.notes().is_empty());
    let asked = explorer.explore(&targets, &control()).expect("asked");
    assert_eq!(walked.damaged, asked.damaged);
    for ((target, walked), asked) in targets.iter().zip(&walked.tallies).zip(&asked.tallies) {
        assert_eq!(walked, asked, "{:?}", target.key);
        for (step, score) in walked.moves() {
            assert_eq!(asked.single(step).is_some(), score.games == 1);
        }
    }
    let positions = LakePositionIndex::open(lake)
        .expect("opened")
        .expect("a table");
    assert!(database.lookup().is_some());
    for (target, tally) in targets.iter().zip(&walked.tallies).step_by(7) {
        let found = positions.find(target.key).expect("asked");
        assert_eq!(found.len() as u64, tally.total().games);
        let unknown = positions
            .find(PositionKey(target.key.0 ^ 1))
            .expect("asked");
        assert_eq!(unknown, Vec::<u64>::new());
    }
    let verified = lake::verify(lake, &control()).expect("verified");
    assert_eq!(verified.faults, Vec::<String>::new());
    assert_eq!(verified.notes, Vec::<String>::new());
}

/// The games as texts, in an order of their own.
fn set_of(bases: &[&Base]) -> Vec<String> {
    let games = bases.iter().flat_map(|base| games_of(base));
    let mut games: Vec<String> = games.map(|game| format!("{:?}", canon(&game))).collect();
    games.sort_unstable();
    games
}

#[test]
fn a_lake_answers_as_a_walk_does_while_it_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two, three] = [(100, 1), (20, 2), (15, 3)]
        .map(|(games, seed)| pgn(folder.path(), &format!("{seed}.pgn"), games, seed));
    for partition in [false, true] {
        let path = folder.path().join(format!("lake-{partition}"));
        let place = target(&path, partition);
        let done = lake::build(std::slice::from_ref(&one), &place, &tables(), &control());
        assert!(done.expect("built").is_complete());
        check(&path);
        if !partition {
            for (game, copy) in games_of(&one).iter().zip(games_of(&open(&path))) {
                assert!(diff(game, &copy).is_empty());
            }
        }
        for more in [&two, &three] {
            let before = LakeManifest::of_folder(&path)
                .expect("read")
                .expect("there")
                .games();
            let done = lake::add(std::slice::from_ref(more), &path, &control()).expect("added");
            let summary = done.summary.expect("written");
            assert_eq!(summary.games, games_of(more).len() as u64);
            let manifest = LakeManifest::of_folder(&path)
                .expect("read")
                .expect("there");
            assert_eq!(manifest.games(), before + summary.games);
            check(&path);
        }
        let files = |path: &Path| {
            let manifest = LakeManifest::of_folder(path).expect("read").expect("there");
            manifest.table(manifest::GAMES).len()
        };
        let before = files(&path);
        assert_eq!(set_of(&[&open(&path)]), set_of(&[&one, &two, &three]));
        let done = lake::compact(&path, &control()).expect("put together");
        assert!(done.ended.is_whole());
        assert_eq!(done.files, (before as u64, files(&path) as u64));
        assert_eq!(done.renumbered > 0, partition, "{done:?}");
        assert!(files(&path) < before, "{before}");
        assert_eq!(set_of(&[&open(&path)]), set_of(&[&one, &two, &three]));
        check(&path);
    }
}

#[test]
fn positions_of_single_games_are_left_out_and_found_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 120, 4);
    let more = pgn(folder.path(), "two.pgn", 30, 5);
    for positions in [false, true] {
        let path = folder.path().join(format!("lake-{positions}"));
        let tables = LakeTableOptions {
            positions,
            ..LakeTableOptions::default()
        };
        assert!(!tables.singles);
        let target = target(&path, false);
        lake::build(std::slice::from_ref(&base), &target, &tables, &control()).expect("built");
        lake::add(std::slice::from_ref(&more), &path, &control()).expect("added");
        let base = open(&path);
        let targets = targets(&games_of(&base));
        let database = base.database().expect("a database");
        let walked = scan(
            database,
            None,
            &targets,
            &ExploreOptions::default(),
            &control(),
        )
        .expect("walked");
        let table = tabiya_tables::explorer::LakeExplorer::open(&path);
        let table = table.expect("opened").expect("a table");
        let explorer = Explorer::new(
            Selection::of([base.clone()]),
            &ExploreFilter::default(),
            &control(),
        )
        .expect("an explorer");
        let asked = explorer.explore(&targets, &control()).expect("asked");
        let mut counts = [0, 0];
        for ((target, walked), asked) in targets.iter().zip(&walked.tallies).zip(&asked.tallies) {
            let is_single = walked.total().games < 2;
            counts[usize::from(is_single)] += 1;
            assert_eq!(table.ask(target.key).expect("asked").is_empty(), is_single);
            assert_eq!(walked, asked);
        }
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        assert_eq!(explorer.notes(), Vec::<String>::new());
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).expect("made");
    for entry in std::fs::read_dir(from).expect("read") {
        let path = entry.expect("an entry").path();
        let copied = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &copied);
        } else {
            std::fs::copy(&path, copied).expect("copied");
        }
    }
}

/// What a change does to a lake, wherever it is cut off.
fn cut_off(folder: &Path, lake_path: &Path, allowed: &[Vec<String>], work: impl Fn(&Path)) {
    let whole = folder.join("whole");
    copy(lake_path, &whole);
    let steps = disk_faults::count(|| work(&whole));
    assert!(steps > 20, "{steps}");
    let each = if tabiya_testing::is_full() {
        1
    } else {
        1 + steps / 60
    };
    let mut reached = BTreeSet::new();
    for step in (0..steps).step_by(usize::try_from(each).expect("small")) {
        let path = folder.join(format!("cut-{step}"));
        copy(lake_path, &path);
        guarded(KillFault::after(step), || work(&path));
        let games = set_of(&[&open(&path)]);
        let place = allowed.iter().position(|allowed| *allowed == games);
        reached.insert(place.unwrap_or_else(|| panic!("step {step}: {} games", games.len())));
        let found = lake::verify(&path, &control()).expect("verified");
        assert_eq!(found.faults, Vec::<String>::new(), "step {step}");
        // Whoever comes next finds nothing in the way.
        assert!(
            lake::complete(&path, &control())
                .expect("completed")
                .is_whole()
        );
        check(&path);
        std::fs::remove_dir_all(&path).expect("removed");
    }
    assert_eq!(reached.len(), allowed.len(), "{reached:?}");
    std::fs::remove_dir_all(&whole).expect("removed");
}

#[test]
fn a_change_that_is_cut_off_is_none_or_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 12, 6);
    let more = pgn(folder.path(), "two.pgn", 6, 7);
    let path = folder.path().join("lake");
    lake::build(
        std::slice::from_ref(&base),
        &target(&path, true),
        &tables(),
        &control(),
    )
    .expect("built");
    let (old, new) = (set_of(&[&base]), set_of(&[&base, &more]));
    let room = tempfile::tempdir().expect("a folder");
    cut_off(room.path(), &path, &[old, new.clone()], |path| {
        // Cut off, it fails; what counts is what is left.
        let _ = lake::add(std::slice::from_ref(&more), path, &control());
    });
    lake::add(&[more], &path, &control()).expect("added");
    cut_off(room.path(), &path, &[new], |path| {
        let _ = lake::compact(path, &control());
    });
}

#[test]
fn damage_is_named_and_answers_come_from_the_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 60, 8);
    let path = folder.path().join("lake");
    lake::build(&[base], &target(&path, true), &tables(), &control()).expect("built");
    let manifest = LakeManifest::of_folder(&path)
        .expect("read")
        .expect("there");
    let file = |table: &str| -> PathBuf { manifest.table(table)[0].path_in(&path) };
    let expected = {
        let explorer = Explorer::new(
            Selection::of([open(&path)]),
            &ExploreFilter::default(),
            &control(),
        )
        .expect("an explorer");
        let line = ExploreLine::read(None, "").expect("a line");
        explorer.ask(&line, &control()).expect("asked").tally
    };
    let explorer_file = file("explorer");
    let whole = std::fs::read(&explorer_file).expect("read");
    let cut = whole[..whole.len() / 2].to_vec();
    let mut flipped = whole.clone();
    flipped[whole.len() / 3] ^= 4;
    for bytes in [cut, flipped, Vec::new()] {
        std::fs::write(&explorer_file, &bytes).expect("written");
        let found = lake::verify(&path, &control()).expect("verified");
        assert_eq!(found.faults.len(), 1, "{:?}", found.faults);
        assert!(
            found.faults[0].starts_with("explorer/"),
            "{:?}",
            found.faults
        );
        let explorer = Explorer::new(
            Selection::of([open(&path)]),
            &ExploreFilter::default(),
            &control(),
        )
        .expect("an explorer");
        let line = ExploreLine::read(None, "").expect("a line");
        let answer = explorer.ask(&line, &control()).expect("asked");
        assert_eq!(answer.tally, expected);
    }
    std::fs::write(&explorer_file, whole).expect("written");
    std::fs::remove_file(file("games")).expect("removed");
    let found = lake::verify(&path, &control()).expect("verified");
    assert_eq!(found.faults.len(), 1, "{:?}", found.faults);
    let error = open(&path)
        .games(GameNeeds::ALL)
        .expect("games")
        .find_map(Result::err);
    let folder = format!("games{}", std::path::MAIN_SEPARATOR);
    assert!(error.expect("an error").to_string().contains(&folder));
    std::fs::write(path.join(manifest::NAME), b"{\"format\": \"tabiya-lake\"").expect("written");
    let error = tabiya::open(&path).expect_err("damaged");
    assert!(error.to_string().contains("manifest"), "{error}");
}

#[test]
fn a_damaged_table_of_positions_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 60, 11);
    let path = folder.path().join("lake");
    lake::build(&[base], &target(&path, true), &tables(), &control()).expect("built");
    let count = || {
        let text = "position:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"";
        let query = Query::parse(text, QueryContext::default()).expect("a query");
        let options = tabiya::search::SearchOptions::default();
        let games = Selection::of([open(&path)]).matching(query);
        tabiya::search::count(&games, &options, &control()).expect("counted")
    };
    let whole = count();
    assert!(whole.hits() > 0 && whole.bases[0].notes.is_empty());
    let manifest = LakeManifest::of_folder(&path)
        .expect("read")
        .expect("there");
    let file = manifest.table("positions")[0].path_in(&path);
    let bytes = std::fs::read(&file).expect("read");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("cut");
    let found = count();
    assert_eq!(found.hits(), whole.hits());
    let notes = &found.bases[0].notes;
    assert!(
        notes.iter().any(|note| note.contains("positions")),
        "{notes:?}"
    );
}

#[test]
fn damaged_tables_are_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 30, 21);
    let path = folder.path().join("lake");
    lake::build(&[base], &target(&path, true), &tables(), &control()).expect("built");
    let before = LakeManifest::of_folder(&path)
        .expect("read")
        .expect("there");
    let faults = || {
        let verified = lake::verify(&path, &control()).expect("verified");
        verified.faults
    };
    for table in ["explorer", "positions", "players", "events"] {
        let manifest = LakeManifest::of_folder(&path)
            .expect("read")
            .expect("there");
        let file = manifest.table(table)[0].path_in(&path);
        let mut bytes = std::fs::read(&file).expect("read");
        if table == "events" {
            std::fs::remove_file(&file).expect("removed");
        } else {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x55;
            std::fs::write(&file, &bytes).expect("written");
        }
        let found = faults();
        assert!(
            matches!(&found[..], [one] if one.contains(table) && one.contains("adding to the lake again")),
            "{found:?}"
        );
        assert!(lake::complete(&path, &control()).expect("made").is_whole());
        assert_eq!(faults(), Vec::<String>::new());
    }
    check(&path);
    let after = LakeManifest::of_folder(&path)
        .expect("read")
        .expect("there");
    assert_eq!(before.table("games"), after.table("games"));
    for table in ["explorer", "positions", "players", "events"] {
        let rows = |manifest: &LakeManifest| -> u64 {
            manifest.table(table).iter().map(|entry| entry.rows).sum()
        };
        assert_eq!(rows(&before), rows(&after), "{table}");
    }
}

/// Every path below a folder.
fn paths(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path.clone());
            }
            found.insert(path);
        }
    }
    found
}

#[test]
fn on_a_full_disk_games_are_added_with_their_tables_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 12, 12);
    let more = pgn(folder.path(), "two.pgn", 6, 13);
    let path = folder.path().join("lake");
    let tables = LakeTableOptions {
        iceberg: true,
        ..tables()
    };
    let place = target(&path, true);
    lake::build(std::slice::from_ref(&base), &place, &tables, &control()).expect("built");
    let room = tempfile::tempdir().expect("a folder");
    let whole = room.path().join("whole");
    copy(&path, &whole);
    let steps = disk_faults::count(|| {
        lake::add(std::slice::from_ref(&more), &whole, &control()).expect("added");
    });
    let (old, new) = (set_of(&[&base]), set_of(&[&base, &more]));
    let each = if tabiya_testing::is_full() {
        1
    } else {
        1 + steps / 40
    };
    let mut failed = 0;
    for step in (0..steps).step_by(usize::try_from(each).expect("small")) {
        let path = room.path().join(format!("full-{step}"));
        copy(&folder.path().join("lake"), &path);
        let before = paths(&path);
        let done = guarded(DiskFullFault::at(step, 7), || {
            lake::add(std::slice::from_ref(&more), &path, &control())
        });
        let games = set_of(&[&open(&path)]);
        match done {
            Err(error) => {
                failed += 1;
                assert!(games == old, "step {step}: {error}");
                assert_eq!(paths(&path), before, "step {step}: {error}");
                let text = error.to_string();
                assert!(
                    text.contains(&*path.to_string_lossy()),
                    "step {step}: {text}"
                );
            }
            Ok(_) => assert!(games == new, "step {step}"),
        }
        std::fs::remove_dir_all(&path).expect("removed");
    }
    assert!(failed > 10, "only {failed} steps failed");
}

/// A lake as it was written before: years and months as `year=2015/month=6`, and these in the columns too.
#[test]
fn a_lake_of_an_earlier_build_is_read_added_to_and_rewritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lake");
    let earlier = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tabiya/explorer/earlier.lake");
    copy(&earlier, &path);
    check(&path);
    let base = open(&earlier);
    assert_eq!(games_of(&base).len(), 6);
    let more = pgn(folder.path(), "more.pgn", 20, 14);
    lake::add(std::slice::from_ref(&more), &path, &control()).expect("added");
    check(&path);
    let expected = set_of(&[&base, &more]);
    assert_eq!(set_of(&[&open(&path)]), expected);
    let old = |path: &Path| {
        let paths = paths(path);
        let is_old = |path: &&PathBuf| path.to_string_lossy().contains("year=");
        paths.iter().filter(is_old).count()
    };
    assert!(old(&path) > 0);
    let done = lake::compact(&path, &control()).expect("put together");
    assert!(done.ended.is_whole());
    assert_eq!(old(&path), 0);
    check(&path);
    assert_eq!(set_of(&[&open(&path)]), expected);
}

/// A table may have nothing to say: no position of a single game stands in two.
#[test]
fn a_table_without_rows_tells_of_all_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 1, 18);
    let path = folder.path().join("lake");
    let target = target(&path, true);
    lake::build(&[base], &target, &LakeTableOptions::default(), &control()).expect("built");
    let verified = lake::verify(&path, &control()).expect("verified");
    assert_eq!(verified.faults, Vec::<String>::new());
    let table = tabiya_tables::explorer::LakeExplorer::open(&path);
    assert!(table.expect("opened").is_some());
    let done = lake::compact(&path, &control()).expect("put together");
    assert!(done.ended.is_whole());
    assert_eq!(done.renumbered, 0);
}

#[test]
fn tables_that_lag_behind_are_a_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 12, 15);
    let path = folder.path().join("lake");
    lake::build(
        std::slice::from_ref(&base),
        &target(&path, false),
        &tables(),
        &control(),
    )
    .expect("built");
    // As a program leaves it that knows games and no tables.
    let mut change = format::LakeChange::begin(&path).expect("begun");
    for table in ["explorer", "players"] {
        change.manifest.tables.insert(table.to_owned(), Vec::new());
    }
    change.commit().expect("made");
    let faults = lake::verify(&path, &control()).expect("verified").faults;
    let told = ["explorer: does not", "players: does not"];
    assert!(
        faults.len() == 2
            && faults
                .iter()
                .zip(told)
                .all(|(fault, told)| fault.starts_with(told)),
        "{faults:?}"
    );
    assert!(
        lake::complete(&path, &control())
            .expect("completed")
            .is_whole()
    );
    check(&path);
}

/// Metadata of Iceberg after the lake was moved: from inside it holds, and whoever looks at it is told of the rest.
#[test]
fn a_lake_that_was_moved_is_read_by_its_metadata() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 50, 16);
    let path = folder.path().join("lake");
    let tables = LakeTableOptions {
        iceberg: true,
        ..LakeTableOptions::default()
    };
    lake::build(&[base], &target(&path, true), &tables, &control()).expect("built");
    assert_eq!(
        lake::verify(&path, &control()).expect("verified").faults,
        Vec::<String>::new()
    );
    let moved = folder.path().join("moved");
    std::fs::rename(&path, &moved).expect("moved");
    let faults = lake::verify(&moved, &control()).expect("verified").faults;
    assert!(
        faults.len() == 1 && faults[0].starts_with("metadata: "),
        "{faults:?}"
    );
    let read = |metadata: &str| {
        let mut command = tabiya_testing::python_with("pyiceberg, pyarrow")?;
        let script = format!(
            "from pyiceberg.table import StaticTable\n\
             print(StaticTable.from_metadata('{metadata}').scan().to_arrow().num_rows)"
        );
        let output = command.args(["-c", &script]).current_dir(&moved).output();
        let output = output.expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    if let Some(rows) = read("metadata/here.metadata.json") {
        assert_eq!(rows, "50");
    }
    assert!(
        lake::complete(&moved, &control())
            .expect("completed")
            .is_whole()
    );
    assert_eq!(
        lake::verify(&moved, &control()).expect("verified").faults,
        Vec::<String>::new()
    );
    let version = std::fs::read_to_string(moved.join("metadata/version-hint.text"));
    let version = version.expect("a version");
    if let Some(rows) = read(&format!("metadata/v{version}.metadata.json")) {
        assert_eq!(rows, "50");
    }
}

#[test]
fn pandas_reads_games_by_years_and_months() {
    let Some(mut command) = tabiya_testing::python_with("pandas, pyarrow") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 80, 17);
    let path = folder.path().join("lake");
    lake::build(
        std::slice::from_ref(&base),
        &target(&path, true),
        &LakeTableOptions::default(),
        &control(),
    )
    .expect("built");
    let games = games_of(&base);
    let years: i64 = (games.iter())
        .filter_map(|game| game.tags.date("Date")?.year)
        .map(i64::from)
        .sum();
    let script = "import pandas as pd\n\
                  games = pd.read_parquet('lake/games')\n\
                  print(len(games), int(games['year'].sum()))";
    let output = command
        .args(["-c", script])
        .current_dir(folder.path())
        .output();
    let output = output.expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.trim(), format!("{} {years}", games.len()));
}

/// What others read of the tables and of the metadata, beside ourselves.
#[test]
fn others_read_the_tables_and_the_metadata() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = pgn(folder.path(), "one.pgn", 200, 9);
    let more = pgn(folder.path(), "two.pgn", 20, 10);
    let path = folder.path().join("lake");
    let tables = LakeTableOptions {
        iceberg: true,
        ..tables()
    };
    lake::build(&[base], &target(&path, true), &tables, &control()).expect("built");
    lake::add(&[more], &path, &control()).expect("added");
    let games = games_of(&open(&path));
    let plies: usize = games.iter().map(|game| game.tape.main_line().count()).sum();
    let expected = format!("{} {plies}", games.len());
    for (modules, script) in [
        (
            "pyiceberg, pyarrow",
            "from pyiceberg.table import StaticTable\n\
             version = open('metadata/version-hint.text').read()\n\
             table = StaticTable.from_metadata(f'metadata/v{version}.metadata.json').scan().to_arrow()\n\
             print(table.num_rows, sum(table['plies'].to_pylist()))",
        ),
        (
            "duckdb",
            "import duckdb\n\
             print(*duckdb.sql(\"SELECT count(*), sum(plies) FROM 'games/**/*.parquet'\").fetchall()[0])\n\
             start, = duckdb.sql(\"SELECT sum(games) FROM 'explorer/*.parquet' GROUP BY hash ORDER BY 1 DESC LIMIT 1\").fetchall()[0]\n\
             rows, = duckdb.sql(\"SELECT count(*) FROM 'positions/*.parquet' GROUP BY hash ORDER BY 1 DESC LIMIT 1\").fetchall()[0]\n\
             games, = duckdb.sql(\"SELECT sum(games) FROM 'players/*.parquet'\").fetchall()[0]\n\
             events, = duckdb.sql(\"SELECT sum(games) FROM 'events/*.parquet'\").fetchall()[0]\n\
             assert start == rows == events == games / 2, (start, rows, events, games)",
        ),
    ] {
        let Some(mut command) = tabiya_testing::python_with(modules) else {
            continue;
        };
        let output = command
            .args(["-c", script])
            .current_dir(&path)
            .output()
            .expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{modules}: {error}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            expected,
            "{modules}"
        );
    }
}
