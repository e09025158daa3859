//! Makes, checks and removes the index beside a base.

use std::path::PathBuf;

use tabiya_explore::index::{IndexBuildReport, IndexCheck};
use tabiya_io::disk::Disk;
use tabiya_io::held_folder;
use tabiya_io::interrupt;
use tabiya_model::{Control, Database, Error, Result, Severity, UserHint};

use crate::error_codes;
use crate::open::base::Base;
use crate::open::sidecar;
use crate::open::sidecar::{IndexBuildOptions, Sidecar};

/// The result of making an index.
#[derive(Debug)]
pub enum IndexOutcome {
    /// It is up to date; nothing was done.
    Fresh,
    /// It was rebuilt.
    Anew(IndexBuildReport),
    /// Games that came after it was made were added.
    Extended(IndexBuildReport),
    /// The work was stopped; the old index stays.
    Stopped,
}

/// The result of checking an index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IndexVerdict {
    /// It agrees with the base.
    Sound,
    /// It disagrees with the base.
    Wrong,
    /// The comparison was stopped before its end.
    Stopped,
    /// It is old or damaged, and is not used.
    Useless(String),
}

fn database(base: &Base) -> Result<&dyn Database> {
    base.database().ok_or_else(|| {
        Error::new(
            &error_codes::NOT_INDEXABLE,
            "a stream cannot be indexed; save it to a file first",
        )
        .in_file(base.name().to_owned())
    })
}

/// The path of a base's index.
pub fn path(base: &Base) -> Result<PathBuf> {
    let found = sidecar::path_of(database(base)?).filter(|_| !base.is_unpacked());
    found.ok_or_else(|| {
        Error::new(
            &error_codes::NOT_INDEXABLE,
            "only a database that has files of its own can be indexed",
        )
        .in_file(base.name().to_owned())
    })
}

/// Makes the index of a base, or updates it. With `rebuild`, it is always made from scratch.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// # std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn"), &path)?;
/// use tabiya::index::{IndexOutcome, IndexVerdict, make, remove, verify};
/// use tabiya::model::Control;
///
/// let control = Control::default();
/// for base in tabiya::open(&path)? {
///     assert!(matches!(make(&base, false, &control)?, IndexOutcome::Anew(_)));
///     assert_eq!(verify(&base, &control)?, Some(IndexVerdict::Sound));
///     assert!(remove(&base)?);
/// }
/// # Ok(())
/// # }
/// ```
pub fn make(base: &Base, rebuild: bool, control: &Control) -> Result<IndexOutcome> {
    let path = path(base)?;
    let database = database(base)?;
    if !rebuild && matches!(base.sidecar()?, Sidecar::Fresh(_)) {
        return Ok(IndexOutcome::Fresh);
    }
    let (built, extended) = sidecar::make(database, &making(base, rebuild, control))?;
    if !built.ended.is_whole() {
        return Ok(IndexOutcome::Stopped);
    }
    if would_hide_damage(base)? {
        Disk::current().remove(&path)?;
        return Err(Error::new(
            &error_codes::HIDES_DAMAGE,
            "it is cut off or damaged, which an index would hide",
        )
        .in_file(base.name().to_owned())
        .with_hint(UserHint::Convert));
    }
    Ok(match extended {
        true => IndexOutcome::Extended(built),
        false => IndexOutcome::Anew(built),
    })
}

/// Whether damage was found that shows only to those who read to the end: who asks an index does not come there.
fn would_hide_damage(base: &Base) -> Result<bool> {
    let damage = |base: &Base| base.diagnostics().at_least(Severity::Damage);
    Ok(damage(base) > 0 && damage(&base.reopen()?) == 0)
}

fn making<'m>(base: &'m Base, rebuild: bool, control: &'m Control) -> IndexBuildOptions<'m> {
    IndexBuildOptions {
        reading: base.options(),
        extend: !rebuild,
        control,
    }
}

/// Compares the index of a base with the base; `None` if there is no index.
pub fn verify(base: &Base, control: &Control) -> Result<Option<IndexVerdict>> {
    let path = path(base)?;
    let making = making(base, false, control);
    Ok(Some(match base.sidecar()? {
        Sidecar::None => return Ok(None),
        Sidecar::Fresh(index) => match sidecar::verify(database(base)?, &index, &making)? {
            IndexCheck::Sound => IndexVerdict::Sound,
            IndexCheck::Wrong => IndexVerdict::Wrong,
            IndexCheck::Stopped => IndexVerdict::Stopped,
        },
        other => IndexVerdict::Useless(other.usable(&path).err().unwrap_or_default()),
    }))
}

/// Removes the index of a base; returns whether there was one.
pub fn remove(base: &Base) -> Result<bool> {
    let path = path(base)?;
    if held_folder::symlink_metadata(&path).is_err() {
        return Ok(false);
    }
    let _inside = interrupt::enter()?;
    Disk::current()
        .remove(&path)
        .map_err(|error| Error::from(error).in_file(path.display().to_string()))?;
    interrupt::decide(&path);
    Ok(true)
}
