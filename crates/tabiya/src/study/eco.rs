//! Openings by position, compared with the ECO tag.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tabiya_model::eco::EcoCode;
use tabiya_model::{Control, Game, GameNeeds, JobCompletion, Result, Severity};
use tabiya_openings::Opening;

use crate::open::base::Base;
pub use crate::select::opening::opening;
use crate::write::convert;
use crate::write::convert::{Conversion, ConvertOptions};
use crate::write::target::{GameTransform, Target};

/// How tag and position agree.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EcoAgreement {
    /// They agree.
    Same,
    /// They differ.
    Differs,
    /// There is no tag.
    NoTag,
    /// No position of the game has a name.
    NoName,
}

impl EcoAgreement {
    fn of(tag: Option<EcoCode>, found: Option<Opening>) -> EcoAgreement {
        match (tag, found.and_then(|opening| opening.code())) {
            (_, None) => EcoAgreement::NoName,
            (None, Some(_)) => EcoAgreement::NoTag,
            (Some(tag), Some(found)) if tag.base() == found => EcoAgreement::Same,
            _ => EcoAgreement::Differs,
        }
    }
}

fn tag(game: &Game) -> Option<EcoCode> {
    EcoCode::read(game.tags.value("ECO")).map(|(eco, _)| eco)
}

/// The opening of one game.
#[derive(Clone, Debug)]
pub struct EcoGame {
    /// The game's number.
    pub number: u64,
    /// Its ECO tag, or nothing.
    pub tag: String,
    /// The opening by position.
    pub found: Option<Opening>,
    /// How they agree.
    pub agreement: EcoAgreement,
}

/// How many games agree, and how many do not.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct EcoCounts {
    /// Tag and position agree.
    pub same: u64,
    /// They differ.
    pub differ: u64,
    /// Games without a tag.
    pub no_tag: u64,
    /// Games without a position that has a name.
    pub no_name: u64,
    /// Games with damage.
    pub damaged: u64,
    /// Whether all games were read.
    pub ended: JobCompletion,
}

/// Names the opening of every game of a base.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// use std::ops::ControlFlow;
/// use tabiya::eco::{EcoAgreement, list};
/// use tabiya::model::Control;
///
/// for base in tabiya::open(path)? {
///     list(&base, &Control::default(), |named| {
///         assert_eq!(named.found.map(|opening| opening.eco), Some("C41"));
///         assert_eq!(named.agreement, EcoAgreement::Same);
///         Ok(ControlFlow::Continue(()))
///     })?;
/// }
/// # Ok(())
/// # }
/// ```
pub fn list(
    base: &Base,
    control: &Control,
    mut each: impl FnMut(EcoGame) -> Result<ControlFlow<()>>,
) -> Result<EcoCounts> {
    let mut counts = EcoCounts::default();
    let want = GameNeeds {
        verify: false,
        ..GameNeeds::MAIN_LINE
    };
    counts.ended = base.for_each(want, control, |game| {
        let found = opening(game);
        let agreement = EcoAgreement::of(tag(game), found);
        *match agreement {
            EcoAgreement::Same => &mut counts.same,
            EcoAgreement::Differs => &mut counts.differ,
            EcoAgreement::NoTag => &mut counts.no_tag,
            EcoAgreement::NoName => &mut counts.no_name,
        } += 1;
        counts.damaged += u64::from(game.diagnostics.at_least(Severity::Damage) > 0);
        each(EcoGame {
            number: game.origin.number,
            tag: game.tags.value("ECO").to_owned(),
            found,
            agreement,
        })
    })?;
    Ok(counts)
}

/// What to fill in.
#[derive(Copy, Clone, Debug, Default)]
pub struct EcoFillOptions {
    /// Also replace an ECO tag that differs.
    pub replace: bool,
    /// Add the tag Opening with the name as well.
    pub names: bool,
}

/// What was filled in.
#[derive(Debug)]
pub struct EcoFillReport {
    /// The copy.
    pub conversion: Conversion,
    /// Games that had no ECO tag and got one.
    pub filled: u64,
    /// Games that got another ECO tag.
    pub changed: u64,
}

/// Copies bases into one, and fills in missing ECO tags.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/remarks.pgn");
/// # let folder = tempfile::tempdir()?;
/// # let copy = folder.path().join("copy.pgn");
/// use tabiya::Target;
/// use tabiya::eco::{EcoFillOptions, fill};
/// use tabiya::model::Control;
///
/// let target = Target::new(copy, None, Default::default())?;
/// let filling = EcoFillOptions { names: true, ..EcoFillOptions::default() };
/// let filled = fill(&tabiya::open(path)?, &target, filling, &Control::default())?;
/// assert_eq!((filled.filled, filled.changed), (1, 0));
/// # Ok(())
/// # }
/// ```
pub fn fill(
    bases: &[Base],
    target: &Target,
    filling: EcoFillOptions,
    control: &Control,
) -> Result<EcoFillReport> {
    let (filled, changed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let make = || -> GameTransform<'static> {
        let (filled, changed) = (Arc::clone(&filled), Arc::clone(&changed));
        Box::new(move |game, _, _| {
            let Some(opening) = opening(game) else {
                return true;
            };
            let old = tag(game);
            let same = old.is_some_and(|old| Some(old.base()) == opening.code());
            if old.is_none() || filling.replace && !same {
                let counter = if old.is_none() { &filled } else { &changed };
                counter.fetch_add(1, Ordering::Relaxed);
                game.tags.set("ECO", opening.eco);
            }
            if filling.names {
                game.tags.set("Opening", opening.name);
            }
            true
        })
    };
    let conversion = convert::copy(bases, target, &ConvertOptions::default(), &make, control)?;
    Ok(EcoFillReport {
        conversion,
        filled: filled.load(Ordering::Relaxed),
        changed: changed.load(Ordering::Relaxed),
    })
}
