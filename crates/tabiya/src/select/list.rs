//! Games as entries of a list: a line of `ls` or of a search.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;

use serde_json::Value;
use shakmaty::Color;
use tabiya_answers::{Answer, BaseGameAnswer, GameRowAnswer};
use tabiya_formats::csv::GAME_COLUMNS;
use tabiya_model::csv_cells::cell;
use tabiya_model::facts::{FactFields, FactSource, GameFacts};
use tabiya_model::outcome::Outcome;
use tabiya_model::{Control, Game, GameNeeds, JobCompletion, Result, Severity};
use tabiya_openings as openings;

use crate::open::base::Base;
use crate::select::numbers;
use crate::select::selection::Selection;

/// One entry of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameListRow {
    /// The game's number.
    pub number: u64,
    /// White's name.
    pub white: String,
    /// White's rating, as the tag has it.
    pub white_elo: String,
    /// Black's name.
    pub black: String,
    /// Black's rating, as the tag has it.
    pub black_elo: String,
    /// The result.
    pub result: Outcome,
    /// The date, as the tag has it.
    pub date: String,
    /// The event.
    pub event: String,
    /// The site.
    pub site: String,
    /// The round.
    pub round: String,
    /// The ECO code, as the tag has it; without the tag, that of the opening by position, if the moves could be read.
    pub eco: String,
    /// Plies of the main line, if requested.
    pub plies: Option<u64>,
    /// Whether it is marked as deleted.
    pub deleted: bool,
}

/// What is read of a game whose moves are looked at.
const MOVES: GameNeeds = GameNeeds {
    verify: false,
    ..GameNeeds::MAIN_LINE
};

/// What has to be read of a game for its entry.
pub fn want(plies: bool) -> GameNeeds {
    if plies { MOVES } else { GameNeeds::TAGS }
}

impl GameListRow {
    /// The entry of a game whose facts have everything that a list shows.
    pub fn of_fact(number: u64, facts: &dyn FactSource, fact: &GameFacts) -> GameListRow {
        let elo = |elo: u16| match elo {
            0 => String::new(),
            elo => elo.to_string(),
        };
        let [white_elo, black_elo] = fact.elos.map(elo);
        GameListRow {
            number,
            white: facts.player(fact, Color::White).into_owned(),
            white_elo,
            black: facts.player(fact, Color::Black).into_owned(),
            black_elo,
            result: fact.outcome,
            date: fact.date.to_string(),
            event: facts.event(fact).into_owned(),
            site: facts.site(fact).into_owned(),
            round: facts.round(fact).into_owned(),
            eco: fact
                .eco_code()
                .map_or_else(String::new, |eco| eco.to_string()),
            plies: fact.plies.map(u64::from),
            deleted: fact.is_deleted(),
        }
    }

    /// The entry of a game that was read as [`want`] requires. If its moves were read, they name its opening if no tag does.
    pub fn of_game(game: &Game, plies: bool) -> GameListRow {
        let value = |name: &str| game.tags.value(name).to_owned();
        GameListRow {
            number: game.origin.number,
            white: value("White"),
            white_elo: value("WhiteElo"),
            black: value("Black"),
            black_elo: value("BlackElo"),
            result: game.result(),
            date: value("Date"),
            event: value("Event"),
            site: value("Site"),
            round: value("Round"),
            eco: openings::shown_code(game).to_owned(),
            plies: plies.then(|| game.tape.plies() as u64),
            deleted: game.is_deleted(),
        }
    }

    /// Names the opening of a game whose tag does not, by the moves of its main line. Who lists games names those that are shown.
    pub fn name_opening(&mut self, base: &Base) -> Result<()> {
        if !openings::is_told(&self.eco) && base.database().is_some() {
            openings::shown_code(&base.read(self.number, MOVES)?).clone_into(&mut self.eco);
        }
        Ok(())
    }

    /// The entry for programs.
    pub fn answer(&self) -> GameRowAnswer<'_> {
        GameRowAnswer {
            number: self.number,
            white: Cow::Borrowed(&self.white),
            white_elo: self.white_elo.parse().ok(),
            black: Cow::Borrowed(&self.black),
            black_elo: self.black_elo.parse().ok(),
            result: Cow::Borrowed(self.result.as_pgn()),
            date: Cow::Borrowed(&self.date),
            event: Cow::Borrowed(&self.event),
            site: Cow::Borrowed(&self.site),
            round: Cow::Borrowed(&self.round),
            eco: Cow::Borrowed(&self.eco),
            plies: self.plies,
            deleted: self.deleted,
        }
    }

    /// The entry for programs, with the name of its base.
    pub fn base_answer(&self, base: &str) -> BaseGameAnswer<'static> {
        BaseGameAnswer {
            game: GameRowAnswer {
                number: self.number,
                white: Cow::Owned(self.white.clone()),
                white_elo: self.white_elo.parse().ok(),
                black: Cow::Owned(self.black.clone()),
                black_elo: self.black_elo.parse().ok(),
                result: Cow::Borrowed(self.result.as_pgn()),
                date: Cow::Owned(self.date.clone()),
                event: Cow::Owned(self.event.clone()),
                site: Cow::Owned(self.site.clone()),
                round: Cow::Owned(self.round.clone()),
                eco: Cow::Owned(self.eco.clone()),
                plies: self.plies,
                deleted: self.deleted,
            },
            base: Cow::Owned(base.to_owned()),
        }
    }

    /// Its cells in a table of comma-separated values, with the columns of [`GAME_COLUMNS`].
    pub fn csv(&self) -> Vec<String> {
        csv_cells(&self.answer().json(), GAME_COLUMNS.iter().copied())
    }
}

/// Fields of an object as cells of comma-separated values.
pub fn csv_cells<'c>(json: &Value, columns: impl Iterator<Item = &'c str>) -> Vec<String> {
    columns
        .map(|column| json.get(column).map(csv_cell).unwrap_or_default())
        .collect()
}

/// A value as a cell of comma-separated values.
fn csv_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => cell(text),
        other => cell(&other.to_string()),
    }
}

/// The result of a listing.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct GameListSummary {
    /// Entries.
    pub games: u64,
    /// Games with damage in the parts that were read.
    pub damaged: u64,
    /// Whether all games were listed.
    pub ended: JobCompletion,
}

/// Lists the chosen games of a base; the bases of the selection are ignored. `each` returns whether to go on.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use std::ops::ControlFlow;
/// use tabiya::list::list;
/// use tabiya::model::Control;
///
/// for base in tabiya::open(path)? {
///     let listed = list(&base, &(1..3).into(), false, &Control::default(), |entry| {
///         println!("{} {} - {} {}", entry.number, entry.white, entry.black, entry.result.as_pgn());
///         Ok(ControlFlow::Continue(()))
///     })?;
///     assert_eq!(listed.games, 2);
/// }
/// # Ok(())
/// # }
/// ```
pub fn list(
    base: &Base,
    games: &Selection,
    plies: bool,
    control: &Control,
    mut each: impl FnMut(GameListRow) -> Result<ControlFlow<()>>,
) -> Result<GameListSummary> {
    let mut listed = GameListSummary::default();
    let wanted = &games.game_numbers(base, control)?;
    // Columns are unpacked for many games at once: a few games are read sooner, and all of them in a row.
    let says_all = |facts: &&dyn FactSource| facts.is_index();
    if let Some(database) = base.database()
        && let Some(facts) = base.facts().filter(says_all)
    {
        let mut game = Game::default();
        for number in wanted.each(facts.len()) {
            if control.is_stopped() {
                listed.ended = control.completion();
                break;
            }
            let Some(fact) = facts.fact(number, FactFields::LISTED.union(FactFields::PLIES)) else {
                continue;
            };
            let counted = !fact.unsaid.meets(FactFields::PLIES) && fact.plies.is_some();
            let mut entry = if fact.says(FactFields::LISTED) && (counted || !plies) {
                GameListRow::of_fact(number, facts, &fact)
            } else {
                database.read(number, want(plies), &mut game)?;
                listed.damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
                GameListRow::of_game(&game, plies)
            };
            listed.games += 1;
            entry.name_opening(base)?;
            if each(entry)?.is_break() {
                break;
            }
        }
        return Ok(listed);
    }
    let is_damaged = |game: &Game| game.diagnostics.at_least(Severity::Damage) > 0;
    // Damage counts in what is listed, and not in moves that are read for the name of an opening alone.
    let seen = Cell::new(None);
    let is_nameless = |game: &Game| {
        seen.set(Some(is_damaged(game)));
        !openings::is_told(game.tags.value("ECO"))
    };
    let more = (MOVES, &is_nameless as &dyn Fn(&Game) -> bool);
    let want = want(plies);
    listed.ended = numbers::games_with_more(base, wanted, want, Some(more), control, |game| {
        listed.games += 1;
        listed.damaged += u64::from(seen.take().unwrap_or_else(|| is_damaged(game)));
        each(GameListRow::of_game(game, plies))
    })?;
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::numbers::GameNumbers;
    use crate::study::stats::{StatsOptions, stats};
    use crate::write::convert::{ConvertOptions, convert};
    use crate::write::target::Target;

    /// A code in the tag, none, one that is none, and a game without moves.
    const GAMES: &str = "[White \"A\"]\n[ECO \"A00\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n\
                         [White \"C\"]\n[ECO \"?\"]\n\n1. d4 d5 2. c4 *\n\n[White \"D\"]\n\n*\n\n";
    const CODES: [&str; 4] = ["A00", "C60", "D06", ""];

    #[test]
    fn openings_without_a_code_are_named_by_position() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("games.pgn");
        std::fs::write(&source, GAMES).expect("written");
        let control = Control::default();
        let choices = [GameNumbers::ALL, (1..5).into(), vec![2..3, 4..5].into()];
        for extension in ["pgn", "si5", "ndjson", "parquet", "lake"] {
            let path = folder.path().join(format!("games.{extension}"));
            if extension != "pgn" {
                let bases = crate::open(&source).expect("opened");
                let target = Target::new(path.clone(), None, Default::default()).expect("a target");
                convert(&bases, &target, &ConvertOptions::default(), &control).expect("written");
            }
            let bases = crate::open(&path).expect("opened");
            for plies in [false, true] {
                for wanted in &choices {
                    let mut codes = Vec::new();
                    list(&bases[0], &wanted.clone().into(), plies, &control, |row| {
                        codes.push((row.number, row.eco));
                        Ok(ControlFlow::Continue(()))
                    })
                    .expect("listed");
                    let expected = wanted.each(4).map(|number| {
                        let at = usize::try_from(number - 1).expect("few");
                        (number, CODES[at].to_owned())
                    });
                    let codes: Vec<_> = codes
                        .into_iter()
                        // A tag that says that nothing is known is shown where the moves say nothing either.
                        .map(|(number, eco)| (number, eco.trim_matches('?').to_owned()))
                        .collect();
                    assert_eq!(codes, expected.collect::<Vec<_>>(), "{extension}, {plies}");
                }
            }
            let options = StatsOptions {
                only: vec!["openings".to_owned()],
                ..StatsOptions::default()
            };
            let counts = stats(&Selection::of(bases), &options, &control).expect("counted");
            let rows = &counts.tables[0].rows;
            let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
            let expected = [
                "", "A", "A00-A09", "A00", "C", "C60-C69", "C60", "D", "D00-D09", "D06",
            ];
            assert_eq!(labels, expected, "{extension}");
        }
    }
}
