//! What a base is and holds, without reading its games or after reading all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tabiya_answers::{
    Answer, InfoAnswer, InfoDatesAnswer, InfoFieldAnswer, InfoFileAnswer, SurveyAnswer,
};
use tabiya_model::facts::FactsOverview;
use tabiya_model::pipeline;
use tabiya_model::{
    Block, Control, Database, Diagnostics, Game, GameNeeds, JobCompletion, Result, Severity,
};

use crate::open::base::Base;
use crate::write::report::finding_count_answer;

/// What is known of a base.
#[derive(Clone, Debug, Default)]
pub struct InfoReport {
    /// The name of the base.
    pub name: String,
    /// Title of its format.
    pub format: &'static str,
    /// Version of the format, where it has versions.
    pub version: String,
    /// Its files with their sizes.
    pub files: Vec<(PathBuf, u64)>,
    /// What else the format has: description, type, labels and the like. A name may occur several times.
    pub fields: Vec<(String, String)>,
    /// The number of games, if it is known.
    pub games: Option<u64>,
    /// Dates and deleted games, from the index or the games, if requested.
    pub overview: Option<FactsOverview>,
    /// The survey of all games, if they were read.
    pub survey: Option<GameSurvey>,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// Whether everything requested was read.
    pub ended: JobCompletion,
}

/// A survey of all games.
#[derive(Clone, Debug, Default)]
pub struct GameSurvey {
    /// Games.
    pub games: u64,
    /// Plies of all main lines.
    pub plies: u64,
    /// Games with a custom starting position.
    pub setups: u64,
    /// Games with variations.
    pub with_variations: u64,
    /// Games with comments.
    pub with_comments: u64,
    /// Games with damage.
    pub damaged: u64,
    /// How the games ended.
    pub results: BTreeMap<&'static str, u64>,
    /// Games with texts that were not UTF-8, by charset.
    pub charsets: BTreeMap<&'static str, u64>,
    overview: FactsOverview,
    diagnostics: Diagnostics,
}

/// Describes a base; with `full`, after reading all its games.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::info::info;
/// use tabiya::model::Control;
///
/// for base in tabiya::open(path)? {
///     let description = info(&base, true, &Control::default())?;
///     assert_eq!(description.games, Some(5));
///     println!("{}: {}", description.name, description.format);
///     if let Some(survey) = description.survey {
///         assert_eq!(survey.with_variations, 2);
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub fn info(base: &Base, full: bool, control: &Control) -> Result<InfoReport> {
    let (survey, games) = match full {
        true => (Some(GameSurvey::of(base, control)?), None),
        false => (None, games_of(base)?),
    };
    // What is packed knows of itself only now.
    let info = base.info();
    let mut description = InfoReport {
        name: base.name().to_owned(),
        format: base.format().title,
        version: info.version,
        files: info.files,
        fields: info.fields,
        games,
        ..InfoReport::default()
    };
    if let Some(mut survey) = survey {
        description.games = Some(survey.games);
        description.overview = Some(std::mem::take(&mut survey.overview));
        description.diagnostics = std::mem::take(&mut survey.diagnostics);
        description.survey = Some(survey);
        description.ended = control.completion();
        return Ok(description);
    }
    let facts = base.database().and_then(Database::facts);
    description.overview = facts.and_then(|facts| facts.overview());
    description.diagnostics = base.diagnostics();
    Ok(description)
}

/// The number of games, where it can be known without a stream being used up.
fn games_of(base: &Base) -> Result<Option<u64>> {
    match (base.info().games, base.database()) {
        (Some(games), _) => Ok(Some(games)),
        (None, Some(database)) => database.len().map(Some),
        (None, None) => Ok(None),
    }
}

impl InfoReport {
    /// Whether there was damage.
    pub fn is_damaged(&self) -> bool {
        self.diagnostics.at_least(Severity::Damage) > 0
    }

    /// The description for programs.
    pub fn answer(&self) -> InfoAnswer {
        let files = self.files.iter().map(|(path, bytes)| InfoFileAnswer {
            path: path.display().to_string(),
            bytes: *bytes,
        });
        let date = |date: &Option<_>| date.as_ref().map(ToString::to_string);
        let dates = self.overview.as_ref().map(|overview| InfoDatesAnswer {
            first: date(&overview.first),
            last: date(&overview.last),
        });
        let found = self.diagnostics.counts().iter();
        let found = found.map(|(code, number)| finding_count_answer(code, *number));
        let mut answer = InfoAnswer {
            name: self.name.clone(),
            format: self.format,
            version: (!self.version.is_empty()).then(|| self.version.clone()),
            files: files.collect(),
            games: self.games,
            dates,
            deleted: self.overview.as_ref().map(|overview| overview.deleted),
            survey: self.survey.as_ref().map(GameSurvey::answer),
            diagnostics: found.collect(),
            fields: BTreeMap::new(),
        };
        // What the format says in its own words stands beside the rest, several values of one name in a list.
        let ours = answer.json();
        for (name, value) in &self.fields {
            let mut name = key(name);
            if ours.get(&name).is_some() {
                name.insert_str(0, "format_");
            }
            let said = match answer.fields.remove(&name) {
                None => InfoFieldAnswer::One(value.clone()),
                Some(InfoFieldAnswer::One(first)) => {
                    InfoFieldAnswer::Several(vec![first, value.clone()])
                }
                Some(InfoFieldAnswer::Several(mut all)) => {
                    all.push(value.clone());
                    InfoFieldAnswer::Several(all)
                }
            };
            answer.fields.insert(name, said);
        }
        answer
    }
}

/// A name as the key of a value.
fn key(name: &str) -> String {
    name.replace([' ', '-'], "_")
}

impl GameSurvey {
    fn of(base: &Base, control: &Control) -> Result<GameSurvey> {
        let mut source = base.source(control)?;
        let mut all = GameSurvey::default();
        pipeline::run(
            &mut *source,
            control,
            || {
                let mut game = Game::default();
                move |block: &mut dyn Block| {
                    let mut survey = GameSurvey::default();
                    while block.next(GameNeeds::ALL, &mut game)? {
                        survey.add(&game);
                    }
                    Ok(survey)
                }
            },
            |survey| {
                all.merge(survey);
                Ok(!control.is_stopped())
            },
        )?;
        all.diagnostics.append(&source.diagnostics());
        Ok(all)
    }

    fn answer(&self) -> SurveyAnswer {
        SurveyAnswer {
            half_moves: self.plies,
            set_ups: self.setups,
            with_variations: self.with_variations,
            with_comments: self.with_comments,
            damaged_games: self.damaged,
            results: self.results.clone(),
            charsets: self.charsets.clone(),
        }
    }

    /// Its numbers with their names, in the order in which they are shown.
    pub fn numbers(&self) -> [(&'static str, u64); 5] {
        [
            ("plies", self.plies),
            ("set-ups", self.setups),
            ("with variations", self.with_variations),
            ("with comments", self.with_comments),
            ("damaged games", self.damaged),
        ]
    }

    fn add(&mut self, game: &Game) {
        use tabiya_model::TapeOp;
        self.games += 1;
        self.plies += game.tape.plies() as u64;
        self.setups += u64::from(game.start != tabiya_model::game::StartingPosition::Standard);
        self.with_variations += u64::from(game.tape.ops().any(|op| matches!(op, TapeOp::Begin(_))));
        self.with_comments += u64::from(game.tape.ops().any(|op| matches!(op, TapeOp::Comment(_))));
        self.damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
        *self.results.entry(game.result().as_pgn()).or_default() += 1;
        let mut charsets: Vec<&str> = game
            .tags
            .texts()
            .charsets()
            .chain(game.tape.texts().charsets())
            .map(|charset| charset.name())
            .collect();
        charsets.sort_unstable();
        charsets.dedup();
        for charset in charsets {
            *self.charsets.entry(charset).or_default() += 1;
        }
        self.overview.add(game.tags.date("Date"), game.is_deleted());
        if !game.diagnostics.is_empty() {
            self.diagnostics.append(&game.diagnostics);
        }
    }

    fn merge(&mut self, other: GameSurvey) {
        self.games += other.games;
        self.plies += other.plies;
        self.setups += other.setups;
        self.with_variations += other.with_variations;
        self.with_comments += other.with_comments;
        self.damaged += other.damaged;
        for (result, number) in other.results {
            *self.results.entry(result).or_default() += number;
        }
        for (charset, number) in other.charsets {
            *self.charsets.entry(charset).or_default() += number;
        }
        self.overview.merge(other.overview);
        self.diagnostics.append(&other.diagnostics);
    }
}
