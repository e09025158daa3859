//! Reads PGN and says what was found: for trying things out.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use std::time::Instant;
use tabiya_formats::format::OpenOptions;
use tabiya_model::database::{Want, for_each_game};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let want = match args[0].as_str() {
        "tags" => Want::TAGS,
        "main" => Want::MAIN_LINE,
        _ => Want::ALL,
    };
    for path in &args[1..] {
        for _ in 0..(if args[0] == "bench" { 5 } else { 1 }) {
            let options = OpenOptions::default();
            let db = (tabiya_formats::pgn::FORMAT.open.unwrap())(path.as_ref(), &options).unwrap();
            let start = Instant::now();
            let mut plies = 0;
            let mut moves = 0;
            let mut all = tabiya_model::Diagnostics::default();
            let result = for_each_game(&mut *db.source(None).unwrap(), want, |game| {
                if args[0] != "bench" {
                    plies += game.tape.plies();
                    moves += game
                        .tape
                        .ops()
                        .filter(|op| matches!(op, tabiya_model::Op::Move(_)))
                        .count();
                    all.append(&game.diagnostics);
                    if args[0] == "show" {
                        println!("{game:#?}");
                    }
                }
                Ok(())
            });
            let time = start.elapsed();
            println!(
                "{path}: {:?} games, {plies} plies, {moves} moves, {:.3} s",
                result,
                time.as_secs_f64()
            );
            if args[0] != "bench" {
                for (code, n) in all.counts() {
                    println!("    {n} {}", code.name);
                }
                if args[0] == "diag" {
                    for d in all.iter() {
                        println!("      {d}");
                    }
                }
            }
        }
    }
}
