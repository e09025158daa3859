//! Measures how fast one thread reads the games of a database, with all tags, moves and annotations:
//!
//! ```text
//! cargo run --release -p tabiya-formats --example read_speed -- games.cbf [GAMES [ROUNDS]]
//! ```
//!
//! One round of a few thousand games is right for counting instructions.

#![allow(clippy::print_stdout, reason = "this program's purpose is its output")]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use tabiya_formats::format::{FormatProbe, OpenOptions};
use tabiya_formats::registry;
use tabiya_model::GameNeeds;
use tabiya_model::database::for_each_game;

/// The best of this number of rounds counts.
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("the path of a database is required")?;
    let path = Path::new(&path);
    let mut number = |default| {
        args.next()
            .map_or(Ok(default), |word| word.parse::<usize>())
    };
    let (games, rounds) = (number(usize::MAX)?, number(ROUNDS)?);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let (format, _) = registry::identify(&FormatProbe {
        path: Some(path),
        extension: &extension,
        head: &[],
        is_folder: false,
    })
    .ok_or("no format that is known by its name")?;
    let open = format.open.ok_or("it cannot be read")?;
    let (mut best, mut read, mut cells) = (Duration::MAX, 0_u64, 0_u64);
    for _ in 0..rounds {
        let start = Instant::now();
        let database = open(path, &OpenOptions::default())?;
        let last = database.len()?.min(games as u64);
        let mut source = database.source(Some(1..last + 1))?;
        (read, cells) = (0, 0);
        for_each_game(&mut *source, GameNeeds::ALL, |game| {
            read += 1;
            cells += game.tape.len() as u64;
            black_box(game);
            Ok(())
        })?;
        best = best.min(start.elapsed());
    }
    println!(
        "{read} games, {cells} moves and annotations: {:.0} games a second, {:.1} ns each move or annotation",
        read as f64 / best.as_secs_f64(),
        best.as_nanos() as f64 / cells.max(1) as f64
    );
    Ok(())
}
