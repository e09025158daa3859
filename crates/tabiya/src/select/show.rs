//! Single games as text: PGN, JSON, or one row per ply.

use std::ops::ControlFlow;

use tabiya_formats::pgn::PgnStyle;
use tabiya_formats::{csv, ndjson, pgn};
use tabiya_model::csv_cells::guarded;
use tabiya_model::{Control, Game, GameNeeds, JobCompletion, Losses, Result, Severity};

use crate::open::base::Base;
use crate::select::numbers;
use crate::select::selection::Selection;

/// How games are written.
pub enum GameFormat {
    /// PGN.
    Pgn(Box<pgn::PgnGameWriter>),
    /// One JSON object per game and line.
    Json(ndjson::NdjsonGameWriter),
    /// Comma-separated values, one row per ply.
    Csv(csv::CsvPlyTable),
    /// The same for spreadsheets: no text begins like a formula.
    GuardedCsv(csv::CsvPlyTable),
}

impl GameFormat {
    /// PGN in a style.
    pub fn pgn(style: PgnStyle) -> GameFormat {
        GameFormat::Pgn(Box::new(pgn::PgnGameWriter::new(style)))
    }

    /// JSON.
    pub fn json() -> GameFormat {
        GameFormat::Json(ndjson::NdjsonGameWriter::default())
    }

    /// Comma-separated values.
    pub fn csv() -> GameFormat {
        GameFormat::Csv(csv::CsvPlyTable::default())
    }

    /// Comma-separated values for spreadsheets: no text begins like a formula.
    pub fn guarded_csv() -> GameFormat {
        GameFormat::GuardedCsv(csv::CsvPlyTable::default())
    }

    /// The text before the first game.
    pub fn heading(&self) -> Vec<u8> {
        match self {
            GameFormat::Csv(_) | GameFormat::GuardedCsv(_) => csv::CsvPlyTable::heading(),
            GameFormat::Pgn(_) | GameFormat::Json(_) => Vec::new(),
        }
    }

    /// Adds a game to a text. This is not a copy: leaving things out is not a loss here.
    pub fn write(&mut self, game: &Game, out: &mut Vec<u8>) {
        match self {
            GameFormat::Pgn(writer) => writer.write(game, out, &mut Losses::default()),
            GameFormat::Json(writer) => writer.write(game, out),
            GameFormat::Csv(rows) => rows.write_numbered(game, out, &mut Losses::default()),
            GameFormat::GuardedCsv(rows) => {
                let mut text = Vec::new();
                rows.write_numbered(game, &mut text, &mut Losses::default());
                out.extend(guarded(&text));
            }
        }
    }
}

/// The result of showing games.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct ShowReport {
    /// Games.
    pub games: u64,
    /// Games with damage: the readable parts were shown.
    pub damaged: u64,
    /// Whether everything was shown.
    pub ended: JobCompletion,
}

/// Shows the chosen games of a base; the bases of the selection are ignored. `each` gets a game with its text, and returns
/// whether to go on.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use std::ops::ControlFlow;
/// use tabiya::model::Control;
/// use tabiya::show::{GameFormat, show};
///
/// let mut form = GameFormat::pgn(Default::default());
/// for base in tabiya::open(path)? {
///     let shown = show(&base, &(2..3).into(), &mut form, &Control::default(), |_, text| {
///         print!("{}", String::from_utf8_lossy(text));
///         Ok(ControlFlow::Continue(()))
///     })?;
///     assert_eq!(shown.games, 1);
/// }
/// # Ok(())
/// # }
/// ```
pub fn show(
    base: &Base,
    games: &Selection,
    form: &mut GameFormat,
    control: &Control,
    mut each: impl FnMut(&Game, &[u8]) -> Result<ControlFlow<()>>,
) -> Result<ShowReport> {
    let mut shown = ShowReport::default();
    let mut text = Vec::new();
    let wanted = games.game_numbers(base, control)?;
    shown.ended = numbers::games(base, &wanted, GameNeeds::ALL, control, |game| {
        shown.games += 1;
        shown.damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
        text.clear();
        form.write(game, &mut text);
        each(game, &text)
    })?;
    Ok(shown)
}
