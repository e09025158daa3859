//! EPD, compared with python-chess, and the lists of FEN that are written under another name.

#![allow(clippy::print_stderr)] // The tests print what they had to skip.

use crate::games;

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use games::Wild;
use tabiya_formats::epd::FORMAT;
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::board::CastlingStyle;
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::game::Variant;
use tabiya_model::{Game, GameNeeds, Losses};

fn write(path: &Path, games: &[Game]) -> Losses {
    let create = FORMAT.create.expect("written");
    let mut writer = SinkWriter::new(create(path, &WriteOptions::default()).expect("created"));
    let mut losses = Losses::default();
    for game in games {
        writer.write(game, &mut losses).expect("written");
    }
    writer.finish().expect("completed");
    losses
}

fn read(path: &Path) -> Vec<Game> {
    let open = FORMAT.open.expect("read");
    let database = open(path, &OpenOptions::default()).expect("opened");
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

const THEIRS: &str = "
import sys, chess
for line in sys.stdin:
    board = chess.Board(chess960=True)
    operations = board.set_epd(line)
    moves = ' '.join(move.uci() for move in operations.get('pv', []))
    print(board.shredder_fen(), moves, operations.get('id', ''), operations.get('White', ''), sep='|')
";

#[test]
fn python_chess_reads_what_is_written() {
    let Some(mut python) = tabiya_testing::python_with("chess") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.epd");
    let wild = Wild {
        starts: true,
        ..Wild::TAME
    };
    // It does not support boards without kings or moves that break the rules, and ignores Chess960 when it plays a `pv`.
    let mut games = games::games(9, 400, wild);
    games.retain(|game| {
        let mut board = game.start_board();
        shakmaty::Color::ALL
            .into_iter()
            .all(|color| board.king_of(color).is_some())
            && !board.is_exposed()
            && game.tape.main_line().all(|m| {
                let fits =
                    board.is_legal(m) && !(m.is_castle() && game.variant == Variant::Chess960);
                board.play(m);
                fits
            })
    });
    assert!(games.len() > 100, "{}", games.len());
    write(&path, &games);
    let text = std::fs::read(&path).expect("read");
    let mut child = python
        .args(["-c", THEIRS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut stdin = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || stdin.write_all(&text));
    let output = child.wait_with_output().expect("ended");
    writer.join().expect("joined").expect("written");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!(printed.lines().count(), games.len());
    let ours = read(&path);
    for ((game, copy), line) in games.iter().zip(&ours).zip(printed.lines()) {
        let theirs: Vec<&str> = line.split('|').collect();
        let board = tabiya_model::Board::from_fen(theirs[0])
            .expect("a position")
            .0;
        assert_eq!(board.to_fen(), copy.start_board().to_fen(), "{line}");
        assert_eq!(board.to_fen(), game.start_board().to_fen(), "{line}");
        let mut board = game.start_board();
        let mut moves = Vec::new();
        for m in game.tape.main_line() {
            if !moves.is_empty() {
                moves.push(b' ');
            }
            board.write_uci(m, CastlingStyle::KingMoves, &mut moves);
            board.play(m);
        }
        let moves = String::from_utf8_lossy(&moves).into_owned();
        assert_eq!(theirs[1], moves, "{line}");
        for (name, theirs) in [("Event", theirs[2]), ("White", theirs[3])] {
            let value = copy.tags.value(name);
            assert_eq!(theirs, value, "{line}");
        }
    }
}

#[test]
fn a_list_of_fen_is_positions_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.fen");
    let games = games::games(4, 50, Wild::ALL);
    let losses = write(&path, &games);
    let text = std::fs::read_to_string(&path).expect("read");
    assert_eq!(text.lines().count(), games.len());
    for (game, line) in games.iter().zip(text.lines()) {
        assert_eq!(line, game.start_board().to_fen());
    }
    let lost: Vec<_> = losses.iter().map(|loss| loss.kind.name).collect();
    for kind in [
        "epd-moves",
        "epd-fen-tags",
        "epd-fen-comments",
        "epd-variations",
    ] {
        assert!(lost.contains(&kind), "{kind} in {lost:?}");
    }
    for (game, copy) in games.iter().zip(read(&path)) {
        assert_eq!(game.start_board().to_fen(), copy.start_board().to_fen());
        assert!(copy.tape.is_empty());
    }
}

#[test]
fn operations_come_back_as_they_stood() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("suite.epd");
    let lines = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"own.001\"; dm 1;\n\
                 4k3/8/8/3pP3/8/8/8/4K3 w - d6 hmvc 7; fmvn 31; am Kd1 Kf1; list \"a\" \"b; c\"; c0 \"x\"; pv exd6 Kd7;\n";
    std::fs::write(&path, lines).expect("written");
    let games = read(&path);
    assert_eq!(games[0].tags.value("Event"), "own.001");
    assert_eq!(games[0].tags.value("bm"), "Rd8#");
    assert_eq!(games[1].tags.value("list"), "\"a\" \"b; c\"");
    assert_eq!(games[1].start_board().halfmoves(), 7);
    assert_eq!(games[1].tape.plies(), 2);
    let again = folder.path().join("again.epd");
    assert!(write(&again, &games).iter().next().is_none());
    let written = std::fs::read_to_string(&again).expect("read");
    let sorted = |text: &str| {
        let mut words: Vec<String> = text.lines().map(str::to_owned).collect();
        for line in &mut words {
            let mut parts: Vec<&str> = line.trim_end_matches(';').split("; ").collect();
            parts[1..].sort_unstable();
            *line = parts.join("; ");
        }
        words
    };
    assert_eq!(written.len(), lines.len());
    assert_eq!(sorted(&written).len(), 2);
    assert_eq!(sorted(&written)[0], sorted(lines)[0]);
}

#[test]
fn a_file_packed_in_pieces_gives_single_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("suite.epd.gz");
    let mut packed = Vec::new();
    let numbers: Vec<u64> = (1..=3000).collect();
    for part in numbers.chunks(1000) {
        let mut packer = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
        for number in part {
            writeln!(
                packer,
                "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"{number}\";"
            )
            .expect("packed");
        }
        packer.finish().expect("packed");
    }
    std::fs::write(&path, &packed).expect("written");
    let open = FORMAT.open.expect("read");
    let database = open(&path, &OpenOptions::default()).expect("opened");
    let mut game = Game::default();
    for number in [3000, 1, 2001, 1500] {
        database
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        assert_eq!(game.tags.value("Event"), number.to_string());
        assert_eq!((game.origin.number, game.origin.line), (number, number));
    }
    let said = database.info().value("packed").map(str::to_owned);
    assert!(said.is_some_and(|text| text.starts_with("in 3 pieces: ")));
}
