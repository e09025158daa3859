//! A preparation report as Markdown.

use std::fmt::Write as _;

use shakmaty::{Color, File, Rank, Square};
use tabiya_model::board::Board;
use tabiya_stats::player::PlayerRecord;

use super::{Dossier, name, share, told};

/// A text in which no sign means anything to Markdown, on one line.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' => {
                out.push('\\');
                out.push(sign);
            }
            sign if sign.is_control() => out.push(' '),
            sign => out.push(sign),
        }
    }
    out
}

/// A board of letters.
fn board(board: &Board) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        let row: Vec<String> = File::ALL
            .into_iter()
            .map(|file| {
                let piece = board.piece_at(Square::from_coords(file, rank));
                piece.map_or_else(|| ".".to_owned(), |piece| piece.char().to_string())
            })
            .collect();
        let _ = writeln!(text, "    {} {}", rank.char(), row.join(" "));
    }
    text.push_str("      a b c d e f g h\n");
    text
}

fn record(page: &mut String, record: &PlayerRecord, tables: &[&str]) {
    for table in &record.tables {
        if !tables.contains(&table.name) || table.rows.is_empty() {
            continue;
        }
        let _ = writeln!(
            page,
            "\n### {}\n\n| | games | score | won | drawn | lost |\n|---|--:|--:|--:|--:|--:|",
            table.title
        );
        for row in &table.rows {
            let score = row.score;
            let indent = "&nbsp;".repeat(2 * usize::from(row.depth));
            let label = match plain(&row.label) {
                label if label.is_empty() => "-".to_owned(),
                label => label,
            };
            let _ = writeln!(
                page,
                "| {indent}{label} | {} | {} | {} | {} | {} |",
                score.games(),
                share(score.percent()),
                score.wins,
                score.draws,
                score.losses
            );
        }
    }
}

/// The page. Writing to a string does not fail.
pub(super) fn page(dossier: &Dossier) -> String {
    let mut page = format!("# {}\n", plain(&dossier.player));
    let Some(all) = &dossier.record else {
        page.push_str("\nNo games found.\n");
        return page;
    };
    let bases: Vec<String> = dossier.bases.iter().map(|base| plain(base)).collect();
    let score = all.score;
    let _ = writeln!(
        page,
        "\n{} games in {}: +{} ={} -{}, {}\n",
        score.games(),
        bases.join(", "),
        score.wins,
        score.draws,
        score.losses,
        share(score.percent())
    );
    if let (Some(first), Some(last)) = (all.ratings.first(), all.ratings.last()) {
        let highest = all
            .ratings
            .iter()
            .max_by_key(|rated| rated.elo)
            .unwrap_or(last);
        let _ = writeln!(
            page,
            "Rating: {} ({}), highest {} ({}), last {} ({})",
            first.elo, first.date, highest.elo, highest.date, last.elo, last.date
        );
    }
    record(&mut page, all, &["names", "colors", "years", "ratings"]);
    if let Some((since, late)) = &dossier.lately {
        let _ = writeln!(page, "\n## Since {since}\n\n{} games", late.score.games());
        record(
            &mut page,
            late,
            &["colors", "openings-white", "openings-black"],
        );
    }
    for side in &dossier.sides {
        let _ = writeln!(page, "\n## With {}\n", name(side.color));
        for m in &side.moves {
            let opening = m.opening.map(|name| format!(", {}", plain(name)));
            let _ = writeln!(
                page,
                "{}* {}: {} games, {}, last {}{}",
                "  ".repeat(m.depth),
                plain(&m.text),
                m.games,
                share(m.percent),
                m.last,
                opening.unwrap_or_default()
            );
        }
        if !side.departures.is_empty() {
            page.push_str("\n### Where the player deviates\n\n");
        }
        for departure in &side.departures {
            let line = match departure.line.as_str() {
                "" => "At the start".to_owned(),
                line => format!("After {}", plain(line)),
            };
            let _ = writeln!(page, "* {line}: {}", plain(&told(departure)));
        }
        if !side.models.is_empty() {
            page.push_str("\n### Model games\n");
        }
        for model in &side.models {
            let _ = writeln!(page, "\n{}", board(&model.board));
            for line in model.pgn.trim_end().lines() {
                let _ = writeln!(page, "    {line}");
            }
        }
    }
    let openings = match dossier.sides.iter().any(|side| side.color == Color::White) {
        true => &["openings-white", "openings-black", "opponents", "events"][..],
        false => &["openings-black", "opponents", "events"][..],
    };
    page.push_str("\n## All games\n");
    record(&mut page, all, openings);
    page
}
