//! Tables as pictures: a panel each, one below the other.

mod letters;
mod png;

use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::table::{Row, Table};

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

const WON: RGBColor = RGBColor(236, 220, 180);
const DRAWN: RGBColor = RGBColor(150, 150, 150);
const LOST: RGBColor = RGBColor(80, 60, 50);
const OPEN: RGBColor = RGBColor(215, 215, 215);

/// What went wrong while a picture was drawn.
pub type Problem = String;

/// Draws tables as SVG.
pub fn svg(tables: &[Table]) -> Result<String, Problem> {
    let mut text = String::new();
    let backend = SVGBackend::with_string(&mut text, size(tables));
    draw(backend, tables).map_err(|error| error.to_string())?;
    Ok(text)
}

/// Draws tables as PNG.
pub fn png(tables: &[Table]) -> Result<Vec<u8>, Problem> {
    let (width, height) = size(tables);
    let pixels = usize::try_from(u64::from(width) * u64::from(height) * 3)
        .map_err(|_| "the picture is too large".to_owned())?;
    let mut buffer = vec![0; pixels];
    let backend = letters::Lettered::new(&mut buffer, (width, height));
    draw(backend, tables).map_err(|error| error.to_string())?;
    png::encode(&buffer, width, height).map_err(|error| error.to_string())
}

/// The rows of a table that are drawn: of a tree the two upper floors.
fn shown(table: &Table) -> impl Iterator<Item = &Row> {
    table.rows.iter().filter(|row| row.depth < 2).take(MOST)
}

fn height(table: &Table) -> u32 {
    let rows = u32::try_from(shown(table).count()).unwrap_or(0);
    HEADING + ROW * rows + SPACE
}

fn size(tables: &[Table]) -> (u32, u32) {
    (WIDTH, tables.iter().map(height).sum::<u32>() + SPACE)
}

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn draw<B: DrawingBackend>(backend: B, tables: &[Table]) -> Drawn<B> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    let mut rest = area.clone();
    for table in tables {
        let (panel, below) = rest.split_vertically(height(table));
        panel_of(&panel, table)?;
        rest = below;
    }
    area.present()
}

fn panel_of<B: DrawingBackend>(area: &DrawingArea<B, Shift>, table: &Table) -> Drawn<B> {
    let text = |size: i32, place| {
        let style = TextStyle::from(("sans-serif", size)).color(&BLACK);
        style.pos(Pos::new(place, VPos::Center))
    };
    let (small, number) = (text(13, HPos::Right), text(13, HPos::Left));
    area.draw(&Text::new(table.title, (14, 22), text(17, HPos::Left)))?;
    let most = shown(table).map(|row| row.score.games()).max();
    let most = most.unwrap_or(0).max(1);
    let row_height = i32::try_from(ROW).unwrap_or(0);
    let mut top = i32::try_from(HEADING).unwrap_or(0);
    for row in shown(table) {
        let middle = top + row_height / 2;
        let indent = if row.depth == 0 { 0 } else { 12 };
        area.draw(&Text::new(
            label(row),
            (LEFT - 10 + indent - 12, middle),
            small.clone(),
        ))?;
        let score = row.score;
        let mut from = 0;
        for (games, color) in [
            (score.wins, WON),
            (score.draws, DRAWN),
            (score.losses, LOST),
            (score.other, OPEN),
        ] {
            let (left, right) = (at(from, most), at(from + games, most));
            from += games;
            if right > left {
                let corners = [(left, top + 3), (right, top + row_height - 3)];
                area.draw(&Rectangle::new(corners, color.filled()))?;
            }
        }
        let corners = [
            (LEFT, top + 3),
            (at(score.games(), most), top + row_height - 3),
        ];
        area.draw(&Rectangle::new(corners, BLACK.mix(0.5).stroke_width(1)))?;
        let beside = match score.percent() {
            Some(percent) => format!("{} ({percent:.1} %)", score.games()),
            None => score.games().to_string(),
        };
        let place = (at(score.games(), most) + 6, middle);
        area.draw(&Text::new(beside, place, number.clone()))?;
        top += row_height;
    }
    Ok(())
}

/// Where a bar of so many games ends.
fn at(games: u64, most: u64) -> i32 {
    let width = u128::from((RIGHT - LEFT).unsigned_abs());
    let along = u128::from(games.min(most)) * width / u128::from(most);
    LEFT + i32::try_from(along).unwrap_or(0)
}

/// A label, as far as there is room, without what is no sign in a picture.
fn label(row: &Row) -> String {
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
