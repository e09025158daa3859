//! Columns that are derived from others, for computing and for searches. No game is read from them.

use shakmaty::{Color, Role};
use tabiya_columns::{CellValue, RowGroupBuilder};
use tabiya_model::date::Date;
use tabiya_model::outcome::Outcome;
use tabiya_model::time_control::{TimeControl, TimeControlStage};
use tabiya_model::{Board, Game};
use tabiya_openings::Opening;

use super::layout;
use super::main_line::MainLineSummary;

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Takes the cell of a column.
type CellFunction<'f> = &'f mut dyn FnMut(usize, CellValue<'_>);

/// The date of a game in numbers.
pub(super) fn push_date(game: &Game, put: CellFunction<'_>) {
    let Some(date) = game.tags.date("Date") else {
        return;
    };
    for (column, value) in [
        (layout::YEAR, date.year.map(i64::from)),
        (layout::MONTH, date.month.map(i64::from)),
        (layout::DAY, date.day.map(i64::from)),
        (layout::PLAYED, day_number(date)),
    ] {
        if let Some(value) = value {
            put(column, CellValue::Int(value));
        }
    }
}

/// The result of a game as White's score.
pub(super) fn push_score(game: &Game, put: CellFunction<'_>) {
    let score = match game.result() {
        Outcome::WhiteWins => 1.0,
        Outcome::Draw => 0.5,
        Outcome::BlackWins => 0.0,
        Outcome::Unknown => return,
    };
    put(layout::SCORE, CellValue::Real(score));
}

/// The time control of a game in seconds.
pub(super) fn push_times(game: &Game, put: CellFunction<'_>) {
    let stages = game.tags.get("TimeControl").and_then(TimeControl::parse);
    if let Some((base, increment)) = stages.and_then(|control| times(control.stages().first()?)) {
        put(layout::TIME_BASE, CellValue::Real(base));
        put(layout::TIME_INCREMENT, CellValue::Real(increment));
    }
}

/// Writes the numbers that follow from the tags and from the moves.
pub(super) fn push(
    game: &Game,
    end: &Board,
    summary: &MainLineSummary,
    opening: Option<Opening>,
    group: &mut RowGroupBuilder,
) {
    let mut put = |column: usize, cell: CellValue<'_>| group.push(column, cell);
    push_date(game, &mut put);
    push_score(game, &mut put);
    push_times(game, &mut put);
    group.push(
        layout::FINAL_MATERIAL,
        CellValue::Bytes(material(end).as_bytes()),
    );
    for (column, text) in [
        (layout::HOME_PAWNS, summary.home_pawns()),
        (layout::PROMOTIONS, summary.promotions()),
    ] {
        if let Some(text) = text {
            group.push(column, CellValue::Bytes(text.as_bytes()));
        }
    }
    if let Some(opening) = opening.filter(|opening| game.tags.get("Opening") != Some(opening.name))
    {
        group.push(
            layout::OPENING_NAME,
            CellValue::Bytes(opening.name.as_bytes()),
        );
    }
}

/// The days from 1970-01-01 to a complete date.
#[must_use]
pub fn day_number(date: Date) -> Option<i64> {
    let (year, month, day) = (date.year?, date.month?, date.day?);
    date.is_valid()
        .then(|| days(i64::from(year), i64::from(month), i64::from(day)))
}

/// Seconds for the first stage and for each of its moves.
fn times(stage: &TimeControlStage) -> Option<(f64, f64)> {
    match stage {
        TimeControlStage::Moves {
            time, increment, ..
        }
        | TimeControlStage::Increment { time, increment } => {
            Some((time.as_secs_f64(), increment.as_secs_f64()))
        }
        TimeControlStage::SuddenDeath { time } | TimeControlStage::Sandclock { time } => {
            Some((time.as_secs_f64(), 0.0))
        }
        TimeControlStage::Unknown | TimeControlStage::Unlimited => None,
    }
}

/// The pieces of both sides, such as `KRPPvKR`.
pub(super) fn material(board: &Board) -> String {
    let mut text = String::with_capacity(36);
    for color in [Color::White, Color::Black] {
        if color == Color::Black {
            text.push('v');
        }
        for role in [
            Role::King,
            Role::Queen,
            Role::Rook,
            Role::Bishop,
            Role::Knight,
            Role::Pawn,
        ] {
            let pieces = board.by_piece(shakmaty::Piece { color, role });
            text.extend(std::iter::repeat_n(role.upper_char(), pieces.count()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted() {
        for (date, number) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((1851, 6, 21), -43_293),
        ] {
            let (year, month, day) = date;
            assert_eq!(days(year, month, day), number, "{date:?}");
        }
    }

    #[test]
    fn pieces_are_counted() {
        let (board, _) = Board::from_fen("4k2r/8/8/8/8/8/PP6/R3K3 w - - 0 1").expect("a position");
        assert_eq!(material(&board), "KRPPvKR");
    }
}
