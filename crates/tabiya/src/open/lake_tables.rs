//! What a base needs of a lake besides its games. Without the feature `parquet` there are no lakes.

#[cfg(feature = "parquet")]
pub(crate) use with_lakes::*;
#[cfg(not(feature = "parquet"))]
pub(crate) use without_lakes::{NoLakeTable as LakeExplorer, *};

#[cfg(feature = "parquet")]
mod with_lakes {
    use std::path::Path;

    use tabiya_explore::explorer::ExploreTarget;
    use tabiya_formats::format::Format;
    use tabiya_formats::lake;
    use tabiya_formats::options::FormatSettings;
    use tabiya_model::{Database, Result};
    pub(crate) use tabiya_tables::explorer::LakeExplorer;
    use tabiya_tables::positions::LakePositionIndex;

    use crate::open::base::Base;

    /// The format of a folder, which no extension names.
    pub(crate) const FOLDER_FORMAT: Option<&'static Format> = Some(&lake::FORMAT);

    /// Whether games stand in the target in the order in which they are written.
    pub(crate) fn keeps_order(settings: &FormatSettings) -> bool {
        lake::keeps_order(settings)
    }

    /// Lets a lake find its games by position, where it has the table for it.
    pub(crate) fn keep_lookup(database: &dyn Database, format: &Format, path: &Path) {
        if format.name == lake::FORMAT.name
            && let Ok(Some(positions)) = LakePositionIndex::open(path)
        {
            database.keep_lookup(Box::new(positions));
        }
    }

    /// The explorer's table of a lake, where the base is one that has it.
    pub(crate) fn explorer_of(base: &Base) -> Result<Option<LakeExplorer>> {
        if base.format().name != lake::FORMAT.name {
            return Ok(None);
        }
        LakeExplorer::open(base.path())
    }

    /// The games that have a position, rising, where the lake has a table of them.
    pub(crate) fn games_with(base: &Base, targets: &[ExploreTarget]) -> Result<Option<Vec<u64>>> {
        let Some(positions) = LakePositionIndex::open(base.path())? else {
            return Ok(None);
        };
        let mut games = Vec::new();
        for target in targets {
            games.extend(positions.find(target.key)?);
        }
        games.sort_unstable();
        games.dedup();
        Ok(Some(games))
    }
}

#[cfg(not(feature = "parquet"))]
mod without_lakes {
    use std::path::Path;

    use tabiya_explore::explorer::ExploreTarget;
    use tabiya_explore::tally::PositionTally;
    use tabiya_formats::format::Format;
    use tabiya_formats::options::FormatSettings;
    use tabiya_model::{Database, Result};
    use tabiya_openings::position_key::PositionKey;

    use crate::open::base::Base;

    /// The table of a lake: there is none.
    pub(crate) enum NoLakeTable {}

    impl NoLakeTable {
        pub(crate) fn ask(&self, _: PositionKey) -> Result<PositionTally> {
            match *self {}
        }

        pub(crate) fn has_singles(&self) -> bool {
            match *self {}
        }

        pub(crate) fn damaged(&self) -> u64 {
            match *self {}
        }
    }

    pub(crate) const FOLDER_FORMAT: Option<&'static Format> = None;

    pub(crate) fn keeps_order(_: &FormatSettings) -> bool {
        true
    }

    pub(crate) fn keep_lookup(_: &dyn Database, _: &Format, _: &Path) {}

    #[allow(clippy::unnecessary_wraps)] // As with lakes.
    pub(crate) fn explorer_of(_: &Base) -> Result<Option<NoLakeTable>> {
        Ok(None)
    }

    #[allow(clippy::unnecessary_wraps)] // As with lakes.
    pub(crate) fn games_with(_: &Base, _: &[ExploreTarget]) -> Result<Option<Vec<u64>>> {
        Ok(None)
    }
}
