//! Measures how many positions per second the walkers of a database return, compared with shakmaty's replay of moves that
//! were prepared in memory:
//!
//! ```text
//! cargo run --release -p tabiya-formats --example walk_speed -- games.si5
//! ```

#![allow(clippy::print_stdout, reason = "this program's purpose is its output")]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use shakmaty::{Chess, Position};
use tabiya_formats::format::{FormatProbe, OpenOptions};
use tabiya_formats::registry;
use tabiya_model::positions::{PiecePlacement, TapePositions, WalkStart};
use tabiya_model::{Database, Game, GameNeeds, TapeOp};

/// The number of steps that are requested at a time.
const RUN: usize = 96;
/// The best of this number of rounds counts.
const ROUNDS: usize = 5;
/// The number of games that shakmaty replays.
const PREPARED: u64 = 20_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("the path of a database is required")?;
    let path = Path::new(&path);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let (format, _) = registry::identify(&FormatProbe {
        path: Some(path),
        extension: &extension,
        head: &[],
        is_folder: false,
    })
    .ok_or("no format that is known by its name")?;
    let open = format.open.ok_or("it cannot be read")?;
    let database = open(path, &OpenOptions::default())?;
    best("walking", || walk(&*database, |_, _| ()));
    best("walking, with a board of pieces", || {
        walk(&*database, |pieces, delta| pieces.play(delta))
    });
    let games = prepare(&*database)?;
    best("shakmaty, prepared moves", || replay(&games));
    Ok(())
}

/// Prints the best time of several rounds; `round` returns its number of positions.
fn best(what: &str, mut round: impl FnMut() -> u64) {
    let mut speed = 0.0_f64;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let positions = round();
        speed = speed.max(positions as f64 / start.elapsed().as_secs_f64());
    }
    println!("{what}: {:.1} million positions a second", speed / 1e6);
}

fn walk(
    database: &dyn Database,
    each: impl Fn(&mut PiecePlacement, tabiya_model::positions::MoveDelta),
) -> u64 {
    let tapes = TapePositions(database);
    let positions = database.positions().unwrap_or(&tapes);
    let mut walker = positions.walker();
    let mut steps = Vec::new();
    let mut count = 0;
    let mut pieces = PiecePlacement::STANDARD;
    for number in 1..=database.len().unwrap_or(0) {
        match walker.open(number) {
            Ok(WalkStart::Standard) => pieces.clone_from(&PiecePlacement::STANDARD),
            Ok(WalkStart::Setup(board)) => pieces = PiecePlacement::of(&board),
            _ => continue,
        }
        let mut more = true;
        while more {
            steps.clear();
            more = walker.steps(false, RUN, &mut steps).unwrap_or(false);
            for delta in &steps {
                each(&mut pieces, black_box(*delta));
            }
            count += steps.len() as u64;
        }
    }
    black_box(&pieces);
    count
}

/// The moves of the main lines of games from the normal start, in shakmaty's form.
fn prepare(
    database: &dyn Database,
) -> Result<Vec<Vec<shakmaty::Move>>, Box<dyn std::error::Error>> {
    let mut games = Vec::new();
    let mut game = Game::default();
    for number in 1..=database.len()?.min(PREPARED) {
        database.read(number, GameNeeds::MAIN_LINE, &mut game)?;
        let mut board = Chess::default();
        let mut moves = Vec::new();
        for op in game.tape.ops() {
            let TapeOp::Move(m) = op else { continue };
            let Some(theirs) = board.legal_moves().into_iter().find(|theirs| {
                theirs.from() == Some(m.from())
                    && theirs.to() == m.to()
                    && theirs.promotion() == m.promotion()
            }) else {
                break;
            };
            board.play_unchecked(theirs);
            moves.push(theirs);
        }
        games.push(moves);
    }
    Ok(games)
}

fn replay(games: &[Vec<shakmaty::Move>]) -> u64 {
    let mut count = 0;
    for moves in games {
        let mut board = Chess::default();
        for m in moves {
            board.play_unchecked(*m);
        }
        black_box(&board);
        count += moves.len() as u64;
    }
    count
}
