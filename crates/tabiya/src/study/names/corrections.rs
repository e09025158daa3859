//! Correcting names: in a copy, or in the base itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tabiya_answers::{CorrectedNameAnswer, NameCorrectionAnswer};
use tabiya_model::facts::{NameTable, date};
use tabiya_model::tags::Tags;
use tabiya_model::{Control, Game, Result};

use super::rating_list::RatingList;
use super::spelling_file::{SpellingFile, SpellingFilePlayer};
use super::table_name;
use crate::open::base::Base;
use crate::open::opener::Opener;
use crate::write::convert;
use crate::write::convert::Conversion;
use crate::write::edit;
use crate::write::edit::EditReport;
use crate::write::target::Target;

/// What is filled in if missing.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct NamesFillOptions {
    /// Titles.
    pub titles: bool,
    /// Federations.
    pub federations: bool,
    /// Ratings at the time of the game.
    pub elos: bool,
    /// FIDE ID numbers.
    pub ids: bool,
}

impl NamesFillOptions {
    /// The words by which it is chosen.
    pub const NAMES: [&'static str; 4] = ["title", "federation", "elo", "id"];

    /// Adds one by its name; false if there is none of that name.
    pub fn add(&mut self, name: &str) -> bool {
        match name {
            "title" => self.titles = true,
            "federation" => self.federations = true,
            "elo" => self.elos = true,
            "id" => self.ids = true,
            _ => return false,
        }
        true
    }
}

/// Corrections of names, and facts about players.
#[derive(Debug, Default)]
pub struct NamesCorrection {
    /// Corrections of names.
    pub spelling: SpellingFile,
    /// A rating list.
    pub ratings: RatingList,
    /// The year and month of that list: games of that month get its ratings.
    pub ratings_of: Option<(u16, u8)>,
    /// What is filled in.
    pub fill: NamesFillOptions,
    /// The result, from all threads.
    report: Mutex<NamesCorrectionReport>,
    games: AtomicU64,
}

/// The result of a correction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NamesCorrectionReport {
    /// Games that were read.
    pub games: u64,
    /// Games that have changed.
    pub changed: u64,
    /// Names: the kind, the old and the new one, and in how many games.
    pub names: BTreeMap<(&'static str, String, String), u64>,
    /// Tags that were filled in, and in how many games.
    pub filled: BTreeMap<String, u64>,
}

impl NamesCorrectionReport {
    /// The report for programs.
    #[must_use]
    pub fn answer(&self) -> NameCorrectionAnswer {
        let names = self.names.iter();
        let names = names.map(|((kind, old, new), games)| CorrectedNameAnswer {
            kind,
            old: old.clone(),
            new: new.clone(),
            games: *games,
        });
        NameCorrectionAnswer {
            games: self.games,
            changed: self.changed,
            names: names.collect(),
            filled: self.filled.clone(),
        }
    }
}

/// The tags that hold names.
const TAGS: [(&str, NameTable); 5] = [
    ("White", NameTable::Players),
    ("Black", NameTable::Players),
    ("Event", NameTable::Events),
    ("Site", NameTable::Sites),
    ("Round", NameTable::Rounds),
];

impl NamesCorrection {
    /// The content of a spelling file.
    #[must_use]
    pub fn of(spelling: SpellingFile) -> NamesCorrection {
        NamesCorrection {
            spelling,
            ..NamesCorrection::default()
        }
    }

    /// Corrects a game; returns whether it has changed.
    pub fn correct(&self, game: &mut Game) -> bool {
        let mut report = NamesCorrectionReport::default();
        for (tag, table) in TAGS {
            let Some(old) = game.tags.get(tag).map(str::to_owned) else {
                continue;
            };
            if let Some(new) = self.spelling.correct(table, &old) {
                game.tags.set(tag, &new);
                report.names.insert((table_name(table), old, new), 1);
            }
        }
        let day = date(&game.tags, "Date");
        for side in ["White", "Black"] {
            self.fill_side(side, day, &mut game.tags, &mut report);
        }
        self.games.fetch_add(1, Ordering::Relaxed);
        let changed = !report.names.is_empty() || !report.filled.is_empty();
        if changed && let Ok(mut sum) = self.report.lock() {
            report.changed = 1;
            sum.add(report);
        }
        changed
    }

    fn fill_side(
        &self,
        side: &str,
        day: Option<tabiya_model::date::Date>,
        tags: &mut Tags,
        report: &mut NamesCorrectionReport,
    ) {
        if self.fill == NamesFillOptions::default() {
            return;
        }
        let name = tags.value(side).to_owned();
        let id = tags.value(&format!("{side}FideId")).parse().ok();
        let known: Option<&SpellingFilePlayer> = self.spelling.person(&name);
        let id = id.or(known.and_then(|person| person.fide_id));
        let listed = self.ratings.find(&name, id);
        let either =
            |listed: Option<&str>, known: Option<&str>| listed.or(known).map(str::to_owned);
        let mut put = |wanted: bool, tag: String, value: Option<String>| {
            let missing = matches!(tags.value(&tag).trim(), "" | "?" | "-" | "0");
            if let (true, true, Some(value)) = (wanted, missing, value) {
                tags.set(&tag, &value);
                *report.filled.entry(tag).or_default() += 1;
            }
        };
        let elo = || {
            let day = day?;
            let of_list = self.ratings_of.is_some() && self.ratings_of == day.year.zip(day.month);
            let rating = listed.map(|listed| listed.rating);
            let rating = rating.filter(|rating| of_list && *rating > 0);
            rating
                .or_else(|| known?.rating_at(day))
                .map(|rating| rating.to_string())
        };
        put(self.fill.elos, format!("{side}Elo"), elo());
        put(
            self.fill.titles,
            format!("{side}Title"),
            either(
                listed.and_then(|listed| listed.title.as_deref()),
                known.and_then(|known| known.title.as_deref()),
            ),
        );
        put(
            self.fill.federations,
            format!("{side}Federation"),
            either(
                listed.and_then(|listed| listed.federation.as_deref()),
                known.and_then(|known| known.federation.as_deref()),
            ),
        );
        put(
            self.fill.ids,
            format!("{side}FideId"),
            listed
                .and_then(|listed| listed.fide_id)
                .or_else(|| known?.fide_id)
                .map(|id| id.to_string()),
        );
    }

    /// The result.
    pub fn report(&self) -> NamesCorrectionReport {
        let report = self.report.lock().map(|report| report.clone());
        NamesCorrectionReport {
            games: self.games.load(Ordering::Relaxed),
            ..report.unwrap_or_default()
        }
    }
}

impl edit::GameCorrection for NamesCorrection {
    fn correct(&self, game: &mut Game) -> bool {
        NamesCorrection::correct(self, game)
    }
}

impl NamesCorrectionReport {
    fn add(&mut self, other: NamesCorrectionReport) {
        self.changed += other.changed;
        for (name, games) in other.names {
            *self.names.entry(name).or_default() += games;
        }
        for (tag, games) in other.filled {
            *self.filled.entry(tag).or_default() += games;
        }
    }
}

/// Copies the games of bases with corrected names.
///
/// # Errors
///
/// If the target cannot be written, or the only source cannot be read.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// # let folder = tempfile::tempdir()?;
/// use tabiya::Target;
/// use tabiya::model::Control;
/// use tabiya::names::{NamesCorrection, copy, spelling_file::SpellingFile};
///
/// let spelling = "@PLAYER\nGrünwald, Jörg Peter\n= Grünwald, Jörg\n";
/// let correcting = NamesCorrection::of(SpellingFile::parse(spelling)?);
/// let target = Target::new(folder.path().join("right.pgn"), None, Default::default())?;
/// copy(&tabiya::open(path)?, &correcting, &target, &Control::default())?;
/// assert_eq!(correcting.report().changed, 2);
/// # Ok(())
/// # }
/// ```
pub fn copy(
    bases: &[Base],
    correcting: &NamesCorrection,
    target: &Target,
    control: &Control,
) -> Result<Conversion> {
    let options = convert::ConvertOptions::default();
    let make = || -> crate::write::target::GameTransform<'_> {
        Box::new(|game, _, _| {
            correcting.correct(game);
            true
        })
    };
    convert::copy(bases, target, &options, &make, control)
}

/// Corrects the names in a base, as one change that can be undone.
///
/// # Errors
///
/// If the base cannot be changed.
pub fn in_place(
    opener: &Opener,
    path: &Path,
    correcting: Arc<NamesCorrection>,
    options: &edit::EditOptions,
    each: &mut edit::EditCallback<'_>,
    control: &Control,
) -> Result<EditReport> {
    let change = edit::EditOperation::Correct(correcting);
    edit::edit_with(opener, path, &change, options, control, each)
}
