//! One player in bases: the games of a name in all its forms, from the index if that suffices.

use tabiya_answers::PlayerAnswer;
use tabiya_model::collect::CollectorPass;
use tabiya_model::{Control, Error, JobCompletion, Result};
use tabiya_query::Aliases;
use tabiya_query::fold::fold;
use tabiya_query::names::NameTest;
use tabiya_query::spelling::skeleton;
use tabiya_stats::csv;
use tabiya_stats::player::{NamePredicate, PlayerCollector, PlayerGame, PlayerRecord};
use tabiya_stats::table::StatsTable;

use crate::error_codes;
use crate::select::base_view::{self, BaseView, GameCount};
use crate::select::selection::Selection;

/// Whose games, and how many rows.
#[derive(Clone, Debug)]
pub struct PlayerOptions {
    /// The player's name, in any form that a search for a player understands.
    pub name: String,
    /// Only games against this player.
    pub against: Option<String>,
    /// The maximum number of names or games in a list.
    pub top: usize,
    /// Count also by speed and month; the games are read for it.
    pub full: bool,
}

impl PlayerOptions {
    /// A player, against all opponents.
    pub fn new(name: impl Into<String>) -> PlayerOptions {
        PlayerOptions {
            name: name.into(),
            against: None,
            top: 20,
            full: false,
        }
    }
}

/// What is known of a player.
#[derive(Clone, Debug)]
pub struct PlayerReport {
    /// The requested name.
    pub player: String,
    /// The requested opponent.
    pub against: Option<String>,
    /// The names of the bases.
    pub bases: Vec<String>,
    /// The record.
    pub record: PlayerRecord,
    /// Damaged games among those that had to be read: the readable parts are included.
    pub damaged: u64,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were read.
    pub ended: JobCompletion,
}

impl PlayerReport {
    /// The answer for programs.
    pub fn answer(&self) -> PlayerAnswer {
        let record = &self.record;
        let list = |games: &[PlayerGame]| games.iter().map(PlayerGame::answer).collect();
        PlayerAnswer {
            player: self.player.clone(),
            against: self.against.clone(),
            bases: self.bases.clone(),
            damaged: self.damaged,
            games: record.score.games(),
            wins: record.score.wins,
            draws: record.score.draws,
            losses: record.score.losses,
            other: record.score.other,
            statistics: record.tables.iter().map(StatsTable::answer).collect(),
            ratings: record.ratings_answer(),
            best_wins: list(&record.best),
            worst_losses: list(&record.worst),
            series: record.streaks_answer(),
            whole: self.ended.is_whole(),
        }
    }

    /// The tables as comma-separated values.
    pub fn csv(&self) -> String {
        csv::csv(&self.record.tables)
    }
}

/// The forms of a name that is asked for, and of its aliases.
pub(crate) struct NameForms(Vec<NameForm>);

struct NameForm {
    test: NameTest,
    /// The same of what is left of the name where the ways to spell it are taken away.
    bones: NameTest,
    /// Whether these alone are enough: few letters are left of a short surname, and other names have them too.
    is_told_apart: bool,
}

impl NameForm {
    fn new(name: &str) -> NameForm {
        let bones = skeleton(name);
        let surname = bones.split(',').next().unwrap_or("");
        let longest = surname.split_whitespace().map(str::len).max();
        NameForm {
            test: NameTest::new(name),
            is_told_apart: longest.unwrap_or(0) >= TOLD_APART || !fold(name).is_ascii(),
            bones: NameTest::new(&bones),
        }
    }
}

/// The letters of a surname's bones that are enough.
const TOLD_APART: usize = 5;

impl NameForms {
    pub(crate) fn new(name: &str, aliases: Option<&Aliases>) -> Result<NameForms> {
        let test = NameTest::new(name);
        if test.is_empty() {
            return Err(Error::new(
                &error_codes::BAD_PLAYER_NAME,
                format!("`{name}` is not a player's name"),
            )
            .with("name", name));
        }
        let others = aliases.map_or(&[][..], |aliases| aliases.of(name));
        let names = std::iter::once(name).chain(others.iter().map(String::as_str));
        Ok(NameForms(names.map(NameForm::new).collect()))
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let folded = fold(name);
        if self.0.iter().any(|form| form.test.matches(&folded)) {
            return true;
        }
        // A name in other letters is one of another spelling, however short it is.
        let is_foreign = !folded.is_ascii();
        let forms = self.0.iter();
        let mut forms = forms
            .filter(|form| form.is_told_apart || is_foreign)
            .peekable();
        forms.peek().is_some() && {
            let bones = skeleton(name);
            forms.any(|form| form.bones.matches(&bones))
        }
    }
}

/// Finds the games of a player.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::Selection;
/// use tabiya::model::Control;
/// use tabiya::player::{PlayerOptions, player};
///
/// let answer = player(&Selection::of(tabiya::open(path)?), &PlayerOptions::new("marchetti"), &Control::default())?;
/// assert_eq!(answer.record.score.games(), 3);
/// print!("{}", answer.csv());
/// # Ok(())
/// # }
/// ```
pub fn player(
    games: &Selection,
    options: &PlayerOptions,
    control: &Control,
) -> Result<PlayerReport> {
    let found = player_games(games, options, control)?;
    Ok(PlayerReport {
        player: options.name.clone(),
        against: options.against.clone(),
        bases: games.base_names(),
        record: match options.full {
            true => PlayerRecord::with_speeds_and_months(found.games, options.top),
            false => PlayerRecord::new(found.games, options.top),
        },
        damaged: found.damaged,
        notes: found.notes,
        ended: found.ended,
    })
}

/// What was found of a player.
#[derive(Default)]
pub(crate) struct PlayerGames {
    pub(crate) games: Vec<PlayerGame>,
    pub(crate) damaged: u64,
    pub(crate) notes: Vec<String>,
    pub(crate) ended: JobCompletion,
}

/// The games of a player.
pub(crate) fn player_games(
    games: &Selection,
    options: &PlayerOptions,
    control: &Control,
) -> Result<PlayerGames> {
    let asking = |name: &str| NameForms::new(name, games.aliases.as_deref());
    let name = asking(&options.name)?;
    let against = options.against.as_deref().map(asking).transpose()?;
    let is_player = |text: &str| name.matches(text);
    let is_opponent = |text: &str| against.as_ref().is_none_or(|test| test.matches(text));
    let mut found = PlayerGames::default();
    for (place, base) in games.bases.iter().enumerate() {
        if control.is_stopped() {
            found.ended = control.completion();
            break;
        }
        let view = BaseView::open(games, base, control, &mut found.notes)?;
        let facts = view.as_ref().and_then(|view| view.database().facts());
        let is_opponent = against.as_ref().map(|_| &is_opponent as NamePredicate<'_>);
        let player = PlayerCollector::new(place, facts, &is_player, is_opponent);
        let player = match options.full {
            true => player.with_speeds(),
            false => player,
        };
        let (mut counts, mut of_base) = ((0, 0), Vec::new());
        let mut pass = CollectorPass::new();
        pass.sum(&GameCount, &mut counts);
        pass.sum(&player, &mut of_base);
        let ended = base_view::run(base, view.as_ref(), pass, control)?;
        if let Some(listed) = view.as_ref().and_then(BaseView::listed) {
            // They know their places in the list.
            for game in &mut of_base {
                let place = usize::try_from(game.number.saturating_sub(1)).ok();
                let number = place.and_then(|place| listed.get(place));
                game.number = number.copied().unwrap_or(game.number);
            }
        }
        found.games.append(&mut of_base);
        found.damaged += counts.1;
        found.notes.extend(view.and_then(|view| view.damage()));
        found.ended = found.ended.and(ended);
    }
    found.ended = found.ended.and(control.completion());
    Ok(found)
}
