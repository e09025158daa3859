//! A preparation report as one page of HTML with its pictures in it.

use std::fmt::Write as _;

use shakmaty::{File, Rank, Square};
use tabiya_model::board::Board;
use tabiya_stats::html::{escaped, head};
use tabiya_stats::player::{PlayerRecord, RatingPeriod};
use tabiya_stats::{StatsTable, plot};

use super::{Dossier, name, share, told};

/// The picture of ratings.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 220.0;

/// The sign of a piece.
fn sign(piece: shakmaty::Piece) -> char {
    let white = match piece.role {
        shakmaty::Role::King => '♔',
        shakmaty::Role::Queen => '♕',
        shakmaty::Role::Rook => '♖',
        shakmaty::Role::Bishop => '♗',
        shakmaty::Role::Knight => '♘',
        shakmaty::Role::Pawn => '♙',
    };
    match piece.color {
        shakmaty::Color::White => white,
        // The black signs follow the white ones.
        shakmaty::Color::Black => char::from_u32(u32::from(white) + 6).unwrap_or(white),
    }
}

fn diagram(page: &mut String, board: &Board) {
    page.push_str("<table class=\"board\">\n");
    for rank in Rank::ALL.into_iter().rev() {
        page.push_str("<tr>");
        for file in File::ALL {
            let piece = board.piece_at(Square::from_coords(file, rank));
            let sign = piece
                .map(|piece| sign(piece).to_string())
                .unwrap_or_default();
            // Without this, some systems show pawns as coloured pictures.
            let _ = write!(
                page,
                "<td>{sign}{}</td>",
                if sign.is_empty() { "" } else { "\u{fe0e}" }
            );
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
}

/// How the rating went, as a line.
fn ratings(page: &mut String, ratings: &[RatingPeriod]) {
    let place = |rated: &RatingPeriod| {
        let year = f64::from(rated.date.year.unwrap_or(0));
        year + f64::from(rated.date.month.unwrap_or(1) - 1) / 12.0
    };
    let (Some(first), Some(last)) = (ratings.first(), ratings.last()) else {
        return;
    };
    let elos = || ratings.iter().map(|rated| rated.elo);
    let (least, most) = (elos().min().unwrap_or(0), elos().max().unwrap_or(0));
    let (from, to) = (place(first), place(last));
    if to <= from || most <= least {
        return;
    }
    let points: Vec<String> = ratings
        .iter()
        .map(|rated| {
            let x = 50.0 + (place(rated) - from) / (to - from) * (WIDTH - 70.0);
            let y = 20.0 + f64::from(most - rated.elo) / f64::from(most - least) * (HEIGHT - 50.0);
            format!("{x:.1},{y:.1}")
        })
        .collect();
    let _ = writeln!(
        page,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         role=\"img\" aria-label=\"Rating\"><g font-family=\"sans-serif\" font-size=\"12\">\
         <text x=\"45\" y=\"24\" text-anchor=\"end\">{most}</text>\
         <text x=\"45\" y=\"{}\" text-anchor=\"end\">{least}</text>\
         <text x=\"50\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text></g>\
         <polyline fill=\"none\" stroke=\"#36c\" stroke-width=\"2\" points=\"{}\"/></svg>",
        HEIGHT - 26.0,
        HEIGHT - 8.0,
        first.date,
        WIDTH - 20.0,
        HEIGHT - 8.0,
        last.date,
        points.join(" ")
    );
}

/// Tables as pictures.
fn pictures(page: &mut String, record: &PlayerRecord, names: &[&str]) {
    let tables: Vec<StatsTable> = record
        .tables
        .iter()
        .filter(|table| names.contains(&table.name) && !table.rows.is_empty())
        .cloned()
        .collect();
    if !tables.is_empty() {
        page.push_str(&plot::svg(&tables));
        page.push('\n');
    }
}

/// The page. Writing to a string does not fail.
pub(super) fn page(dossier: &Dossier) -> String {
    let mut page = head(&dossier.player);
    let _ = writeln!(page, "<h1>{}</h1>", escaped(&dossier.player));
    let Some(all) = &dossier.record else {
        page.push_str("<p>No games found.</p>\n</html>\n");
        return page;
    };
    let score = all.score;
    let _ = writeln!(
        page,
        "<p>{} games in {}: +{} ={} -{}, {}</p>",
        score.games(),
        escaped(&dossier.bases.join(", ")),
        score.wins,
        score.draws,
        score.losses,
        share(score.percent())
    );
    ratings(&mut page, &all.ratings);
    pictures(&mut page, all, &["names", "colors", "years", "ratings"]);
    if let Some((since, late)) = &dossier.lately {
        let _ = writeln!(
            page,
            "<h2>Since {since}</h2>\n<p>{} games</p>",
            late.score.games()
        );
        pictures(
            &mut page,
            late,
            &["colors", "openings-white", "openings-black"],
        );
    }
    for side in &dossier.sides {
        let _ = writeln!(
            page,
            "<h2>With {}</h2>\n<table class=\"tree\">\n<thead><tr><th scope=\"col\">move</th><th scope=\"col\">opening</th>\
             <th scope=\"col\">games</th><th scope=\"col\">score</th><th scope=\"col\">last</th></tr></thead>\n<tbody>",
            name(side.color)
        );
        for m in &side.moves {
            let _ = writeln!(
                page,
                "<tr><td style=\"padding-left:{}em\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                m.depth,
                escaped(&m.text),
                escaped(m.opening.unwrap_or("")),
                m.games,
                share(m.percent),
                m.last
            );
        }
        page.push_str("</tbody>\n</table>\n");
        if !side.departures.is_empty() {
            page.push_str("<h3>Where the player deviates</h3>\n");
        }
        for departure in &side.departures {
            let line = match departure.line.as_str() {
                "" => "At the start".to_owned(),
                line => format!("After {}", escaped(line)),
            };
            let _ = writeln!(page, "<p>{line}: {}</p>", escaped(&told(departure)));
            diagram(&mut page, &departure.board);
        }
        if !side.models.is_empty() {
            page.push_str("<h3>Model games</h3>\n");
        }
        for model in &side.models {
            diagram(&mut page, &model.board);
            let _ = writeln!(page, "<pre>{}</pre>", escaped(model.pgn.trim_end()));
        }
    }
    page.push_str("<h2>All games</h2>\n");
    pictures(
        &mut page,
        all,
        &["openings-white", "openings-black", "opponents", "events"],
    );
    page.push_str("</html>\n");
    page
}
