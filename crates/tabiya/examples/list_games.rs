//! Lists a page of the games that a query finds in a database, and their total number.
//!
//! ```sh
//! cargo run --example list_games -- games.si5 'player:Tal year:1960'
//! ```

#![allow(clippy::print_stdout)] // A program prints, other than the library.

use std::env::args;
use std::ops::ControlFlow;

use tabiya::Selection;
use tabiya::list::GameListRow;
use tabiya::model::{Control, GameNeeds};
use tabiya::query::{Query, QueryContext};
use tabiya::search::{SearchOptions, search};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = args()
        .nth(1)
        .ok_or("give a database, and optionally a query")?;
    let mut games = Selection::of(tabiya::open(path)?);
    if let Some(text) = args().nth(2) {
        games = games.matching(Query::parse(&text, QueryContext::default())?);
    }
    let options = SearchOptions {
        keep: Some(GameNeeds::TAGS),
        first: Some(20),
        total: true,
        ..SearchOptions::default()
    };
    let found = search(&games, &options, &Control::default(), &mut |_, found| {
        if let Some(game) = &found.game {
            let row = GameListRow::of_game(game, false);
            let (result, date) = (row.result.as_pgn(), row.date);
            println!(
                "{:>8}  {} - {}  {result}  {date}",
                row.number, row.white, row.black
            );
        }
        Ok(ControlFlow::Continue(()))
    })?;
    println!("{} games", found.hits().max(found.total.unwrap_or(0)));
    Ok(())
}
