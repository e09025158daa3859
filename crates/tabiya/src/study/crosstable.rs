//! Crosstables of the events in bases.

use tabiya_answers::EventsAnswer;
use tabiya_model::tags::TagSet;
use tabiya_model::{Control, Error, Game, GameNeeds, JobCompletion, Result};
use tabiya_query::fold::fold;
use tabiya_stats::crosstable::{
    self as tables, Crosstable, CrosstableGames, CrosstableRules as Making, EventKind, GameTeams,
    TieBreak,
};

use crate::error_codes;
use crate::open::base::Base;
use crate::select::gather::gather;
use crate::select::selection::Selection;

/// Which events, and how their tables are made.
#[derive(Clone, Debug)]
pub struct CrosstableOptions {
    /// The event of this game of the only base.
    pub game: Option<u64>,
    /// Events whose names contain this text.
    pub event: Option<String>,
    /// Events with fewer games are left out.
    pub least: usize,
    /// The kind; recognised by default.
    pub kind: Option<EventKind>,
    /// The tie-breaks; by default, the usual ones of the kind.
    pub tie_breaks: Vec<TieBreak>,
    /// The development coefficient of ratings (K).
    pub coefficient: Option<u32>,
}

impl Default for CrosstableOptions {
    fn default() -> CrosstableOptions {
        CrosstableOptions {
            game: None,
            event: None,
            least: 1,
            kind: None,
            tie_breaks: Vec::new(),
            coefficient: None,
        }
    }
}

/// The tables of events.
#[derive(Clone, Debug, Default)]
pub struct CrosstableReport {
    /// The names of the bases.
    pub bases: Vec<String>,
    /// The tables, in the order of their first dates.
    pub tables: Vec<Crosstable>,
    /// Damaged games among those that had to be read.
    pub damaged: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were read.
    pub ended: JobCompletion,
}

impl CrosstableReport {
    /// The tables for programs.
    pub fn answer(&self) -> EventsAnswer {
        EventsAnswer {
            bases: self.bases.clone(),
            damaged: self.damaged,
            events: self.tables.iter().map(Crosstable::answer).collect(),
            whole: self.ended.is_whole(),
        }
    }

    /// The tables as comma-separated values, a line per player.
    pub fn csv(&self) -> String {
        let lines: String = self.tables.iter().map(Crosstable::csv).collect();
        format!("{}\r\n{lines}", tables::HEADING)
    }

    /// The tables as a self-contained page.
    pub fn html(&self) -> String {
        tables::html(&self.tables)
    }
}

/// Makes the tables of events.
///
/// # Errors
///
/// If games cannot be read, and if there is no such game.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::Selection;
/// use tabiya::crosstable::{CrosstableOptions, crosstable};
/// use tabiya::model::Control;
///
/// let options = CrosstableOptions { event: Some("Vereinsmeisterschaft".to_owned()), ..CrosstableOptions::default() };
/// let answer = crosstable(&Selection::of(tabiya::open(path)?), &options, &Control::default())?;
/// let players = answer.tables[0].players.iter().map(|player| &*player.name);
/// assert!(players.eq(["Grünwald, Jörg", "Marchetti, Paola"]));
/// # Ok(())
/// # }
/// ```
pub fn crosstable(
    games: &Selection,
    options: &CrosstableOptions,
    control: &Control,
) -> Result<CrosstableReport> {
    let bases = &games.bases[..];
    if let (Some(number), [base]) = (options.game, bases) {
        check_game(base, number)?;
    } else if options.game.is_some() {
        return Err(Error::new(
            &error_codes::ONE_DATABASE,
            "a game number needs a single database",
        ));
    }
    let gathering = gather(games, control)?;
    let gathered = gathering.games;
    let mut answer = CrosstableReport {
        bases: games.base_names(),
        damaged: gathering.damaged,
        notes: gathering.notes,
        ended: gathering.ended,
        tables: Vec::new(),
    };
    if !answer.ended.is_whole() {
        return Ok(answer);
    }
    let wanted = options.event.as_deref().map(fold);
    for places in tables::events(&gathered) {
        if control.is_stopped() {
            answer.ended = control.completion();
            break;
        }
        let games = places.iter().filter_map(|place| gathered.games.get(*place));
        let is_named = wanted.as_ref().is_none_or(|wanted| {
            let event = games.clone().next().map(|game| gathered.name(game.event));
            event.is_some_and(|event| fold(event).contains(&**wanted))
        });
        let has_game = options
            .game
            .is_none_or(|number| games.clone().any(|game| game.number == number));
        if !is_named || !has_game || places.len() < options.least {
            continue;
        }
        let table = table(bases, &gathered, &places, options)?;
        answer.tables.push(table);
    }
    Ok(answer)
}

fn check_game(base: &Base, number: u64) -> Result<()> {
    let Some(database) = base.database() else {
        return Ok(());
    };
    let games = database.len()?;
    if number == 0 || number > games {
        let name = base.name();
        return Err(Error::new(
            &error_codes::NO_SUCH_GAME,
            format!("{name}: there is no game {number}: the database has {games} games"),
        )
        .with("number", number));
    }
    Ok(())
}

/// The table of one event. Where its kind leaves room for teams, its games are asked whether they name any.
fn table(
    bases: &[Base],
    gathered: &CrosstableGames,
    places: &[usize],
    options: &CrosstableOptions,
) -> Result<Crosstable> {
    let making = Making {
        kind: options.kind,
        tie_breaks: options.tie_breaks.clone(),
        coefficient: options.coefficient,
    };
    let plain = Crosstable::new(gathered, places, &GameTeams::new(), &making);
    let may_have = match options.kind {
        Some(kind) => kind == EventKind::Teams,
        None => matches!(
            plain.kind,
            EventKind::Teams | EventKind::Swiss | EventKind::Knockout
        ),
    };
    if !may_have {
        return Ok(plain);
    }
    let teams = teams(bases, gathered, places)?;
    Ok(match teams.is_empty() {
        true => plain,
        false => Crosstable::new(gathered, places, &teams, &making),
    })
}

/// The teams that games name; none where the first games name none.
fn teams(bases: &[Base], gathered: &CrosstableGames, places: &[usize]) -> Result<GameTeams> {
    const ASKED: usize = 3;
    let want = GameNeeds {
        tags: TagSet::of(&["WhiteTeam", "BlackTeam"]),
        ..GameNeeds::TAGS
    };
    let mut teams = GameTeams::new();
    let mut game = Game::default();
    for (asked, place) in places.iter().enumerate() {
        let Some(entry) = gathered.games.get(*place) else {
            continue;
        };
        let Some(database) = bases.get(entry.base).and_then(Base::database) else {
            continue;
        };
        database.read(entry.number, want, &mut game)?;
        let names = ["WhiteTeam", "BlackTeam"].map(|tag| game.tags.value(tag).trim());
        if names.iter().all(|name| !matches!(*name, "" | "?")) {
            teams.insert(*place, names.map(Box::from));
        }
        if teams.is_empty() && asked + 1 >= ASKED {
            break;
        }
    }
    Ok(teams)
}
