//! The names of a database that is being changed: those of its file, and new ones after them.

use hashbrown::DefaultHashBuilder;

use super::super::layout::ScidNameKind;
use super::super::names::ScidNames;
use super::super::writer::ScidNameList;

/// How often the names of a kind are searched one by one before a table is made: a single game added to a million has five
/// names, and making the table takes longer than all other work together.
const SEARCHES: u32 = 32;

/// The names of one kind.
#[derive(Debug, Default)]
pub(super) struct ScidNameTable {
    /// New names, as long as there is no table.
    added: ScidNameList,
    /// All names, once there is one.
    whole: Option<ScidNameList>,
    searches: u32,
}

impl ScidNameTable {
    /// A book of these names and no others.
    pub(super) fn of(list: ScidNameList) -> ScidNameTable {
        ScidNameTable {
            whole: Some(list),
            ..ScidNameTable::default()
        }
    }

    /// A name by its number.
    pub(super) fn get<'n>(
        &'n self,
        names: &'n ScidNames,
        kind: ScidNameKind,
        number: u32,
    ) -> &'n [u8] {
        if let Some(whole) = &self.whole {
            return whole.get(number);
        }
        match usize::try_from(number)
            .unwrap_or(usize::MAX)
            .checked_sub(names.len(kind))
        {
            None => names.get(kind, number).unwrap_or_default(),
            Some(added) => self.added.get(u32::try_from(added).unwrap_or(u32::MAX)),
        }
    }

    /// The number of a name, which is added if it is new and there is room; also returns whether it was new.
    pub(super) fn number(
        &mut self,
        names: &ScidNames,
        kind: ScidNameKind,
        hashes: &DefaultHashBuilder,
        name: &[u8],
        limit: u64,
    ) -> Option<(u32, bool)> {
        self.searches = self.searches.saturating_add(1);
        if self.searches > SEARCHES {
            self.whole(names, kind, hashes);
        }
        if let Some(whole) = &mut self.whole {
            return whole.intern(hashes, name, 0, limit);
        }
        let count = u32::try_from(names.len(kind)).unwrap_or(u32::MAX);
        let known = (0..count).find(|number| names.get(kind, *number) == Some(name));
        if let Some(number) = known {
            return Some((number, false));
        }
        let left = limit.saturating_sub(u64::from(count));
        let (number, is_new) = self.added.intern(hashes, name, 0, left)?;
        Some((count.checked_add(number)?, is_new))
    }

    /// All names in one table, made now if there is none yet.
    pub(super) fn whole(
        &mut self,
        names: &ScidNames,
        kind: ScidNameKind,
        hashes: &DefaultHashBuilder,
    ) -> &mut ScidNameList {
        let added = &self.added;
        self.whole.get_or_insert_with(|| {
            let mut list = ScidNameList::default();
            for number in 0..u32::try_from(names.len(kind)).unwrap_or(u32::MAX) {
                list.push(hashes, names.get(kind, number).unwrap_or_default(), 0);
            }
            for number in 0..added.len() {
                list.push(hashes, added.get(number), 0);
            }
            list
        })
    }
}
