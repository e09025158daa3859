//! The real program: Debian's Scid opens, exports and searches files that were written here.

use std::path::Path;
use std::process::Command;

use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::registry;
use tabiya_formats::scid::{ScidReader, ScidVersion};
use tabiya_model::game::StartingPosition;
use tabiya_model::{Database, Game, GameAspect, GameNeeds, Losses};

use crate::scid::law;
use crate::scid::support::{as_exported, parse_pgn, shared};

/// Runs a script in Scid and returns its output.
fn run(tkscid: &Path, folder: &Path, script: &str, arguments: &[&str]) -> String {
    let file = folder.join("script.tcl");
    // Scid's searches report their progress to a procedure of its windows.
    let script = format!("proc ::progressCallBack {{args}} {{}}\n{script}\nexit\n");
    std::fs::write(&file, script).expect("written");
    let output = Command::new(tkscid)
        .arg(&file)
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("DISPLAY")
        .output()
        .expect("Scid runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    text
}

const EXPORT: &str = "
set b [sc_base open [lindex $argv 0]]
sc_base switch $b
puts \"games [sc_base numGames $b]\"
sc_filter reset $b dbfilter full
sc_base export filter PGN [lindex $argv 1] -append 0 -starttext {} -endtext {} -comments 1 -variations 1 \
 -spaces 0 -symbols 0 -indentC 0 -indentV 0 -column 0 -noMarkCodes 0 -convertNullMoves 0
";

const IMPORT: &str = "
set b [sc_base create SCID4 [lindex $argv 0]]
sc_base import $b [lindex $argv 1]
sc_base close $b
";

const SEARCH: &str = "
set b [sc_base open [lindex $argv 0]]
sc_base switch $b
puts \"games [sc_base numGames $b]\"
foreach fen [split [lindex $argv 1] |] {
  foreach type {Exact Pawns Fyles Material} {
    sc_game new
    sc_game startBoard $fen
    sc_search board RESET $type false 0
    set found {}
    foreach {place line deleted} [sc_base gameslist $b 0 100000 dbfilter N+] { lappend found $place }
    puts \"$type $fen: $found\"
  }
}
";

fn corpus() -> Option<Vec<Game>> {
    let path = shared("corpora/annotated.pgn.zst")?;
    let each = if tabiya_testing::is_full() { 1 } else { 10 };
    Some(law::read_pgn(&path, usize::MAX, each))
}

#[test]
fn scid_takes_what_is_written_for_its_own() {
    let (Some(tkscid), Some(mut games)) = (tabiya_testing::tkscid(), corpus()) else {
        return;
    };
    // Si4 cannot hold Chess960.
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let (board, problems) = tabiya_model::Board::from_fen(fen).expect("a position");
    let mut chess960 = Game::default();
    chess960.tags.push("FEN", fen);
    chess960.start = StartingPosition::Setup(Box::new(board), problems);
    games.push(chess960);
    for (number, game) in (1..).zip(&mut games) {
        game.origin.number = number;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let ours = folder.path().join("ours.si4");
    let losses = law::write(ScidVersion::Si4, &ours, &games);
    let lost = |losses: &Losses| {
        losses
            .iter()
            .any(|loss| loss.kind.aspect == GameAspect::Game)
    };
    let kept: Vec<&Game> = games
        .iter()
        .zip(&losses)
        .filter(|(_, l)| !lost(l))
        .map(|(game, _)| game)
        .collect();
    let is_960 = |game: &&Game| game.start_board().is_chess960();
    assert_eq!(
        games.len() - kept.len(),
        games.iter().filter(is_960).count()
    );

    // Scid's export agrees with our reader.
    let stem = |path: &Path| path.with_extension("").display().to_string();
    let export = folder.path().join("export.pgn");
    let said = run(
        &tkscid,
        folder.path(),
        EXPORT,
        &[&stem(&ours), &export.display().to_string()],
    );
    assert_eq!(said.trim(), format!("games {}", kept.len()));
    let exported = parse_pgn(&std::fs::read(&export).expect("read"));
    assert_eq!(exported.len(), kept.len());
    let base = ScidReader::open(&ours, &OpenOptions::default()).expect("opened");
    let mut game = Game::default();
    for (number, mut theirs) in (1..).zip(exported) {
        base.read(number, GameNeeds::ALL, &mut game).expect("read");
        let mut ours = as_exported(&game);
        ours.tags.sort();
        theirs.tags.sort();
        assert_eq!(ours.tags, theirs.tags, "game {number}");
        assert_eq!(ours.tokens, theirs.tokens, "game {number}");
    }

    // Its searches find the same games as in the database that it made from the same games.
    let text = folder.path().join("games.pgn");
    let create = registry::by_name("pgn")
        .and_then(|format| format.create)
        .expect("PGN can be written");
    let mut sink = create(&text, &WriteOptions::default()).expect("created");
    let mut encoder = sink.encoder();
    let mut ignored = Losses::default();
    for game in &kept {
        encoder.encode(game, &mut ignored);
    }
    sink.append(encoder.take(), 1, &mut ignored)
        .expect("appended");
    sink.finish().expect("finished");
    let theirs = folder.path().join("theirs");
    let name = theirs.display().to_string();
    run(
        &tkscid,
        folder.path(),
        IMPORT,
        &[&name, &text.display().to_string()],
    );
    let positions: Vec<String> = [(0, 6), (1, 12), (2, 20), (3, 40), (4, 60), (5, 90)]
        .into_iter()
        .map(|(at, plies)| {
            let mut board = kept[at * kept.len() / 6].start_board();
            for m in kept[at * kept.len() / 6].tape.main_line().take(plies) {
                board.play(m);
            }
            board.to_fen()
        })
        .collect();
    let positions = positions.join("|");
    let in_ours = run(&tkscid, folder.path(), SEARCH, &[&stem(&ours), &positions]);
    let in_theirs = run(&tkscid, folder.path(), SEARCH, &[&name, &positions]);
    for (ours, theirs) in in_ours.lines().zip(in_theirs.lines()) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(in_ours.lines().count(), 25, "{in_ours}");
    assert_eq!(in_ours, in_theirs);
    eprintln!(
        "{} games, of which Scid's searches find the same",
        kept.len()
    );
}

const LOAD: &str = "
set b [sc_base open [lindex $argv 0]]
sc_base switch $b
for {set i 1} {$i <= [sc_base numGames $b]} {incr i} {
  sc_game load $i
  puts [string length [sc_game pgn]]
}
";

#[test]
fn scid_shows_games_with_the_longest_tags() {
    let Some(tkscid) = tabiya_testing::tkscid() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("base.si4");
    let mut games = Vec::new();
    for (number, name) in (1..).zip([
        "Tag",
        "WhiteCountry",
        &"N".repeat(120),
        &"N".repeat(240),
        "Date",
        "White",
    ]) {
        let mut game = Game::default();
        game.origin.number = number;
        game.tags.push(name, &"v".repeat(255));
        games.push(game);
    }
    let losses = law::write(ScidVersion::Si4, &path, &games);
    for (game, losses) in games.iter().zip(&losses) {
        let kinds: Vec<_> = losses.iter().map(|loss| loss.kind.name).collect();
        let name = game.tags.at(0).map_or("", |tag| tag.name);
        assert!(
            kinds
                .iter()
                .any(|kind| ["scid-tag-cut", "scid-name-cut"].contains(kind)),
            "{name}: {kinds:?}"
        );
    }
    let base = folder.path().join("base");
    let lines = run(&tkscid, folder.path(), LOAD, &[&base.to_string_lossy()]);
    assert_eq!(lines.lines().count(), games.len(), "{lines}");
    // The check knows what would crash Scid, and has no findings in our files.
    let options = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    let base = ScidReader::open(&path, &options).expect("opened");
    let mut game = Game::default();
    for number in 1..=base.count() {
        base.read(number, GameNeeds::ALL, &mut game).expect("read");
        assert_eq!(game.diagnostics.count_of("scid-long-tag"), 0);
    }
}
