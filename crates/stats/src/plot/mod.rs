//! Tables as charts: one panel each, one below the other.

mod canvas;
mod pixels;
mod png;
mod svg;

use canvas::{Area, Canvas, Color, TextEnd};
use pixels::PixelCanvas;
use svg::SvgCanvas;

use crate::table::{StatsRow, StatsTable};

/// How wide a picture is.
const WIDTH: u32 = 900;
/// How high a row is, a panel's heading, and the space below a panel.
const ROW: u32 = 18;
const HEADING: u32 = 34;
const SPACE: u32 = 14;
/// Where bars begin and end; numbers stand behind them.
const LEFT: i32 = 250;
const RIGHT: i32 = 760;
/// Rows of a panel at most: a picture of any base stays small.
const MOST: usize = 200;
/// Signs of a label at most.
const LABEL: usize = 28;

const WON: Color = [236, 220, 180];
const DRAWN: Color = [150, 150, 150];
const LOST: Color = [80, 60, 50];
const OPEN: Color = [215, 215, 215];
const BORDER: Color = [127, 127, 127];

/// What went wrong while a chart was drawn.
pub type PlotError = String;

/// Draws tables as SVG.
pub fn svg(tables: &[StatsTable]) -> String {
    let (width, height) = size(tables);
    let mut canvas = SvgCanvas::new(width, height);
    draw(&mut canvas, tables);
    canvas.finish()
}

/// Draws tables as PNG.
pub fn png(tables: &[StatsTable]) -> Result<Vec<u8>, PlotError> {
    let (width, height) = size(tables);
    let mut canvas = PixelCanvas::new(width, height).ok_or("the chart is too large")?;
    draw(&mut canvas, tables);
    png::encode(&canvas.finish(), width, height).map_err(|error| error.to_string())
}

/// The rows of a table that are drawn: of a tree the two upper floors.
fn shown(table: &StatsTable) -> impl Iterator<Item = &StatsRow> {
    table.rows.iter().filter(|row| row.depth < 2).take(MOST)
}

fn height_of(table: &StatsTable) -> u32 {
    let rows = u32::try_from(shown(table).count()).unwrap_or(0);
    HEADING + ROW * rows + SPACE
}

fn size(tables: &[StatsTable]) -> (u32, u32) {
    (WIDTH, tables.iter().map(height_of).sum::<u32>() + SPACE)
}

fn pixels(length: u32) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

fn draw(canvas: &mut impl Canvas, tables: &[StatsTable]) {
    let (width, height) = size(tables);
    let whole = Area {
        left: 0,
        top: 0,
        right: pixels(width),
        bottom: pixels(height),
    };
    canvas.fill(whole, [255; 3]);
    let mut top = 0;
    for table in tables {
        draw_table(canvas, table, top);
        top += pixels(height_of(table));
    }
}

/// Draws the panel of a table, from a height on.
fn draw_table(canvas: &mut impl Canvas, table: &StatsTable, top: i32) {
    canvas.text(table.title, 17, TextEnd::Left, (14, top + 22));
    let most = shown(table).map(|row| row.score.games()).max();
    let most = most.unwrap_or(0).max(1);
    let mut top = top + pixels(HEADING);
    for row in shown(table) {
        let middle = top + pixels(ROW) / 2;
        let bar = |from: u64, to: u64| Area {
            left: end_of_bar(from, most),
            top: top + 3,
            right: end_of_bar(to, most),
            bottom: top + pixels(ROW) - 3,
        };
        let indent = if row.depth == 0 { 0 } else { 12 };
        let place = (LEFT - 22 + indent, middle);
        canvas.text(&label(row), 13, TextEnd::Right, place);
        let score = row.score;
        let mut from = 0;
        for (games, color) in [
            (score.wins, WON),
            (score.draws, DRAWN),
            (score.losses, LOST),
            (score.other, OPEN),
        ] {
            if games > 0 {
                canvas.fill(bar(from, from + games), color);
            }
            from += games;
        }
        canvas.frame(bar(0, score.games()), BORDER);
        let beside = match score.percent() {
            Some(percent) => format!("{} ({percent:.1} %)", score.games()),
            None => score.games().to_string(),
        };
        let place = (end_of_bar(score.games(), most) + 6, middle);
        canvas.text(&beside, 13, TextEnd::Left, place);
        top += pixels(ROW);
    }
}

/// Where a bar of so many games ends.
fn end_of_bar(games: u64, most: u64) -> i32 {
    let width = u128::from((RIGHT - LEFT).unsigned_abs());
    let along = u128::from(games.min(most)) * width / u128::from(most);
    LEFT + i32::try_from(along).unwrap_or(0)
}

/// A label, as far as there is room, without what is no sign in a picture.
fn label(row: &StatsRow) -> String {
    if row.label.is_empty() {
        return "?".into();
    }
    let clean = |sign: char| if sign.is_control() { '\u{fffd}' } else { sign };
    let mut label: String = row.label.chars().map(clean).take(LABEL).collect();
    if row.label.chars().count() > LABEL {
        label.push('…');
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ResultCounts, by_name};
    use tabiya_model::outcome::Outcome;

    fn table() -> StatsTable {
        let mut score = ResultCounts::default();
        score.count(Outcome::WhiteWins);
        score.count(Outcome::Draw);
        let years = by_name("years").expect("a statistic");
        StatsTable::new(years, vec![StatsRow::new("<&\u{1b}>", score)].into(), None)
    }

    #[test]
    fn an_svg_holds_bars_and_no_orders() {
        let svg = svg(&[table()]);
        assert!(svg.contains(">&lt;&amp;\u{fffd}&gt;</text>"), "{svg}");
        // The background, one win, one draw, and their frame; bars without games are none.
        assert_eq!(svg.matches("<rect").count(), 4, "{svg}");
        assert!(
            svg.contains("x=\"250\"") && svg.contains("x=\"505\""),
            "{svg}"
        );
    }

    #[test]
    fn a_png_has_the_colors_of_its_bars() {
        let (width, height) = size(&[table()]);
        let mut canvas = PixelCanvas::new(width, height).expect("small");
        draw(&mut canvas, &[table()]);
        let pixels = canvas.finish();
        let middle = HEADING + ROW / 2;
        let color = |x: u32| {
            let at = usize::try_from((middle * width + x) * 3).expect("small");
            pixels[at..at + 3].to_vec()
        };
        assert_eq!(
            (color(300), color(600), color(800)),
            (WON.into(), DRAWN.into(), vec![255; 3])
        );
    }
}
