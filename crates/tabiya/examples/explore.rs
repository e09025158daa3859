//! Shows the moves played in a position of some databases, and how they scored.
//!
//! ```sh
//! cargo run --example explore -- '1.e4 c5' games.si5 more.pgn
//! ```

#![allow(clippy::print_stdout)] // A program prints, other than the library.

use std::env::args;

use tabiya::explorer::{ExploreFilter, ExploreLine, Explorer, percentages, san_of};
use tabiya::model::Control;
use tabiya::{Opener, Selection};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moves = args().nth(1).ok_or("give moves and databases")?;
    let paths: Vec<String> = args().skip(2).collect();
    let opened = Opener::default().open_all(&paths).or_fail()?;
    let control = Control::default();
    let games = Selection::of(opened.bases);
    let explorer = Explorer::new(games, &ExploreFilter::default(), &control)?;
    let line = ExploreLine::read(None, &moves)?;
    let found = explorer.ask(&line, &control)?;
    for (step, score) in found.tally.moves() {
        let san = san_of(line.board(), step);
        println!("{san:<8} {:>9}  {}", score.games, percentages(&score));
    }
    Ok(())
}
