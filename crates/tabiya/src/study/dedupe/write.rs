//! What to do with duplicates: a new base without them, or marks in place.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

use tabiya_model::{Control, Error, Game, GameNeeds, Result, UserHint};

use super::{DedupeReport, DuplicatePair, annotations};
use crate::error_codes;
use crate::open::base::Base;
use crate::open::opener::Opener;
use crate::select::numbers::GameNumbers;
use crate::write::convert::Conversion;
use crate::write::edit;
use crate::write::edit::{EditOperation, EditReport};
use crate::write::target::Target;

/// The flag of games that are marked as deleted.
const DELETED: &str = "D";

/// The name of a mark of duplicates in the history.
pub const WISH: &str = "mark doubles";

/// Which games get annotations of which.
#[derive(Clone, Debug, Default)]
pub struct AnnotationMerges {
    /// A base and a number in it, for each of them.
    from: BTreeMap<(usize, u64), Vec<(usize, u64)>>,
}

impl AnnotationMerges {
    /// Adds a pair.
    pub fn add(&mut self, pair: &DuplicatePair) {
        let keep = (pair.keep.base, pair.keep.game.number);
        let drop = (pair.drop.base, pair.drop.game.number);
        self.from.entry(keep).or_default().push(drop);
    }

    /// Puts into a game what its duplicates have more; says whether there was anything.
    fn merge(&self, bases: &[Base], at: (usize, u64), game: &mut Game) -> Result<bool> {
        let mut is_new = false;
        for (base, number) in self.from.get(&at).into_iter().flatten() {
            if let Some(base) = bases.get(*base) {
                is_new |= annotations::take_over(game, &base.read(*number, GameNeeds::ALL)?);
            }
        }
        Ok(is_new)
    }
}

/// Copies the games of bases to a target, without the dropped ones. Also returns how many games got annotations.
pub fn copy(
    bases: &[Base],
    doubles: &DedupeReport,
    merging: &AnnotationMerges,
    target: &Target,
    control: &Control,
) -> Result<(Conversion, u64)> {
    let mut writing = target.begin(bases)?;
    let mut done = Conversion::default();
    let mut merged = 0;
    for (at, base) in bases.iter().enumerate() {
        let drops: HashSet<u64> = doubles
            .drops
            .get(at)
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let mut left_out = 0;
        let mut feed = writing.feed(base.about()?, target.report(base));
        let mut singles = feed.singles(control.threads());
        base.for_each(GameNeeds::ALL, control, |game| {
            if drops.contains(&game.origin.number) {
                left_out += 1;
                return Ok(ControlFlow::Continue(()));
            }
            let mut game = std::mem::take(game);
            let number = game.origin.number;
            merged += u64::from(merging.merge(bases, (at, number), &mut game)?);
            singles.push(game)?;
            Ok(ControlFlow::Continue(()))
        })?;
        singles.finish()?;
        feed.note_missing(base);
        let mut report = feed.report;
        report.games += left_out;
        report.skipped += left_out;
        done.sources.push(report);
    }
    done.ended = control.completion();
    if done.ended.is_whole() {
        done.summary = Some(writing.finish()?);
    }
    Ok((done, merged))
}

/// Marks the duplicates of a base as deleted, as one change that can be undone.
pub fn mark(
    opener: &Opener,
    path: &Path,
    drops: &[u64],
    options: &edit::EditOptions,
    control: &Control,
) -> Result<EditReport> {
    let change = EditOperation::Flags {
        games: drops.iter().copied().collect::<GameNumbers>().into(),
        set: DELETED.to_owned(),
        clear: String::new(),
    };
    let options = edit::EditOptions {
        wish: Some(format!("{WISH} ({})", drops.len())),
        ..options.clone()
    };
    edit::edit_with(opener, path, &change, &options, control, &mut |_| {})
}

/// Undoes the last change, if it marked duplicates.
pub fn unmark(opener: &Opener, path: &Path, control: &Control) -> Result<EditReport> {
    let bases = opener.open(path)?;
    let games = match bases.first().and_then(Base::database) {
        Some(database) => database.len()?,
        None => 0,
    };
    let (head, _) = edit::history(opener, path)?.to_undo(games)?;
    if !head.wish.starts_with(WISH) {
        return Err(Error::new(
            &error_codes::NOT_A_MARK,
            format!(
                "the last change did not mark duplicates: it was `{}`",
                head.wish
            ),
        )
        .in_file(path.display().to_string())
        .with_hint(UserHint::Undo {
            database: path.display().to_string(),
        }));
    }
    edit::edit(opener, path, &EditOperation::Undo, control)
}

/// Adds the annotations of duplicates to the games that are kept in a base; returns how many got any, and the games that
/// the base cannot hold with the reasons.
pub fn merge_in_place(
    bases: &[Base],
    at: usize,
    merging: &AnnotationMerges,
) -> Result<(u64, Vec<(u64, String)>)> {
    let Some(base) = bases.get(at) else {
        return Ok((0, Vec::new()));
    };
    let mut games: HashMap<u64, Game> = HashMap::new();
    for (of, number) in merging.from.keys().filter(|(of, _)| *of == at) {
        let mut game = base.read(*number, GameNeeds::ALL)?;
        game.origin.number = *number;
        if merging.merge(bases, (*of, *number), &mut game)? {
            games.insert(*number, game);
        }
    }
    if games.is_empty() {
        return Ok((0, Vec::new()));
    }
    let mut games: Vec<Game> = games.into_values().collect();
    games.sort_unstable_by_key(|game| game.origin.number);
    let refused = edit::write_back(base, &games, "merge annotations of doubles")?;
    Ok((games.len() as u64 - refused.len() as u64, refused))
}
