//! What an opening book says about a position, as a table.

use std::io::Write;

use anyhow::Result;
use tabiya_answers::{BookMoveAnswer, PositionBookAnswer};
use tabiya_model::nag::Nag;

use super::output::{TerminalColors, grouped, printable};
use super::table::fit;

/// Writes the moves of a book, at most so many.
pub(crate) fn write(out: &mut impl Write, book: &PositionBookAnswer, most: usize) -> Result<()> {
    let paint = TerminalColors::of_stdout();
    let title = format!("Book {}", printable(&book.name));
    writeln!(out, "\n{}", paint.bold(&fit(&title)))?;
    if book.moves.is_empty() {
        writeln!(out, "no moves for this position")?;
        return Ok(());
    }
    let heading = format!(
        "{:<8} {:>9} {:>5}  {:>9} {:>9} {:>9} {:>9}  {:>4} {:>4}  {}",
        "move", "weight", "%", "games", "White", "draws", "Black", "Elo", "prio", "opening"
    );
    writeln!(out, "{}", paint.bold(&fit(&heading)))?;
    let weights = book.moves.iter().filter_map(|told| told.weight);
    let all: u64 = weights.map(u64::from).sum();
    for told in book.moves.iter().take(most) {
        writeln!(out, "{}", fit(&line(told, all)))?;
    }
    Ok(())
}

/// A move: empty cells are what the book does not say.
fn line(told: &BookMoveAnswer, all: u64) -> String {
    let figure = |value: Option<u32>| value.map(|it| grouped(it.into())).unwrap_or_default();
    let share = told.weight.filter(|_| all > 0).map(|weight| {
        let tenths = (u64::from(weight) * 1_000 + all / 2) / all;
        format!("{}.{}", tenths / 10, tenths % 10)
    });
    let symbol = told.nag.and_then(|nag| Nag(u32::from(nag)).glyph());
    let name = told.san.clone() + symbol.unwrap_or_default();
    let opening = told.opening.as_ref();
    let said = [
        told.advice.map(|advice| format!("[{advice}]")),
        told.deleted.map(|_| "[deleted]".to_owned()),
        opening.map(|opening| format!("{} {}", opening.eco, opening.name)),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    let line = format!(
        "{:<8} {:>9} {:>5}  {:>9} {:>9} {:>9} {:>9}  {:>4} {:>4}  {}",
        name,
        figure(told.weight),
        share.unwrap_or_default(),
        figure(told.games),
        figure(told.white),
        figure(told.draws),
        figure(told.black),
        told.average_rating
            .map(|it| it.to_string())
            .unwrap_or_default(),
        told.priority.map(|it| it.to_string()).unwrap_or_default(),
        said.join(" "),
    );
    line.trim_end().to_owned()
}
