//! Files of names, written: records in the order of their numbers, linked to a balanced tree in the order of the program.

use std::cmp::Ordering;

use hashbrown::DefaultHashBuilder;

use super::encode::name_size;
use super::entities::{CbhEntityHeader, CbhEntityTable, field};
use super::layout::CbhDate;
use crate::writer::name_list::CbhNameList;

/// How often a name is used, and by which game first.
#[derive(Copy, Clone, Debug, Default)]
struct CbhNameUse {
    count: u32,
    first: u32,
}

/// The names of a database of one kind.
#[derive(Debug)]
pub(super) struct CbhNameFile {
    table: CbhEntityTable,
    names: CbhNameList,
    uses: Vec<CbhNameUse>,
    /// The number of a record that is marked as deleted.
    deleted: Option<u32>,
}

impl CbhNameFile {
    pub(super) fn new(table: CbhEntityTable) -> CbhNameFile {
        CbhNameFile {
            table,
            names: CbhNameList::default(),
            uses: Vec::new(),
            deleted: None,
        }
    }

    /// How many records there are.
    pub(super) fn len(&self) -> u32 {
        self.names.len()
    }

    /// Leaves the first number to nobody.
    pub(super) fn skip_first(&mut self) {
        if self.names.len() == 0 {
            let empty = vec![0; name_size(self.table)];
            self.deleted = Some(self.names.push(&empty));
        }
    }

    /// The number of a name, which is added where it is new.
    pub(super) fn intern(&mut self, hashes: &DefaultHashBuilder, name: &[u8]) -> u32 {
        self.names.intern(hashes, name)
    }

    /// Counts a use by a game.
    pub(super) fn count(&mut self, number: u32, game: u32) {
        let number = number as usize;
        if self.uses.len() <= number {
            self.uses.resize(number + 1, CbhNameUse::default());
        }
        if let Some(used) = self.uses.get_mut(number) {
            if used.count == 0 {
                used.first = game;
            }
            used.count = used.count.saturating_add(1);
        }
    }

    /// A name by its number.
    pub(super) fn get(&self, number: u32) -> &[u8] {
        self.names.get(number)
    }

    /// The bytes of the file.
    pub(super) fn encode(&self) -> Vec<u8> {
        let count = self.names.len();
        let mut order: Vec<u32> = (0..count).filter(|id| Some(*id) != self.deleted).collect();
        order.sort_by(|a, b| compare(self.table, self.get(*a), self.get(*b)).then(a.cmp(b)));
        let mut links = vec![CbhNameLinks::DELETED; count as usize];
        let root = balance(&order, &mut links);
        let header = CbhEntityHeader {
            count,
            root,
            mark: CbhEntityHeader::MARK,
            data_size: u32::try_from(self.table.data_size()).unwrap_or(0),
            free: self.deleted.map_or(-1, u32::cast_signed),
            live: u32::try_from(order.len()).unwrap_or(0),
            extra: 4,
        };
        let mut file = header.encode();
        file.extend([0; 4]);
        for (id, links) in (0..).zip(&links) {
            let used = self.uses.get(id as usize).copied().unwrap_or_default();
            file.extend(links.left.to_le_bytes());
            file.extend(links.right.to_le_bytes());
            file.extend(links.balance.to_le_bytes());
            let name = self.get(id);
            file.extend_from_slice(name.get(..self.table.count_at()).unwrap_or(name));
            file.extend(used.count.to_le_bytes());
            file.extend(used.first.to_le_bytes());
        }
        file
    }
}

/// The children of a name, and how much higher the right one is.
#[derive(Copy, Clone, Debug)]
struct CbhNameLinks {
    left: i32,
    right: i32,
    balance: i8,
}

impl CbhNameLinks {
    const DELETED: CbhNameLinks = CbhNameLinks {
        left: -999,
        right: -1,
        balance: 0,
    };
}

/// Links sorted names to a tree whose halves differ by one level at most; gives its root.
fn balance(order: &[u32], links: &mut [CbhNameLinks]) -> i32 {
    /// Links one part and gives its root and its height: no deeper than the number has bits.
    fn link(part: &[u32], links: &mut [CbhNameLinks]) -> (i32, i8) {
        let Some((before, [middle, after @ ..])) = part.split_at_checked(part.len() / 2) else {
            return (-1, 0);
        };
        let (left, left_height) = link(before, links);
        let (right, right_height) = link(after, links);
        if let Some(slot) = links.get_mut(*middle as usize) {
            *slot = CbhNameLinks {
                left,
                right,
                balance: right_height - left_height,
            };
        }
        (middle.cast_signed(), left_height.max(right_height) + 1)
    }
    link(order, links).0
}

/// The order of the program: by bytes, which of players and teams have no sign.
fn compare(table: CbhEntityTable, a: &[u8], b: &[u8]) -> Ordering {
    let unsigned = |at, length| field(a, at, length).bytes.cmp(field(b, at, length).bytes);
    let signed = |at, length| {
        let of = |name| {
            field(name, at, length)
                .bytes
                .iter()
                .map(|byte| byte.cast_signed())
        };
        of(a).cmp(of(b))
    };
    let number = |name: &[u8], at: usize| {
        let bytes = name.get(at..).and_then(|rest| rest.first_chunk().copied());
        u32::from_le_bytes(bytes.unwrap_or_default())
    };
    let byte = |name: &[u8], at: usize| name.get(at).copied().unwrap_or(0);
    match table {
        CbhEntityTable::Players => unsigned(0, 30).then(unsigned(30, 20)),
        CbhEntityTable::Tournaments => {
            let [first, second] = [a, b].map(|name| CbhDate(number(name, 70)));
            let later = |of: fn(CbhDate) -> u16| of(second).cmp(&of(first));
            later(CbhDate::year)
                .then_with(|| signed(0, 40))
                .then_with(|| signed(40, 30))
                .then_with(|| second.month().cmp(&first.month()))
                .then_with(|| second.day().cmp(&first.day()))
        }
        CbhEntityTable::Annotators => signed(0, 45),
        CbhEntityTable::Sources => signed(0, 25),
        CbhEntityTable::Teams => unsigned(0, 45)
            .then_with(|| number(a, 45).cmp(&number(b, 45)))
            .then_with(|| (byte(b, 49) & 1).cmp(&(byte(a, 49) & 1)))
            .then_with(|| number(a, 50).cmp(&number(b, 50)))
            .then_with(|| byte(a, 54).cmp(&byte(b, 54))),
        CbhEntityTable::Titles => (0..8)
            .map(|language| unsigned(language * 200, 200))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The height of a part; every balance is looked at.
    fn height(at: i32, links: &[CbhNameLinks]) -> i32 {
        let Ok(index) = usize::try_from(at) else {
            return 0;
        };
        let of = links[index];
        let (left, right) = (height(of.left, links), height(of.right, links));
        assert_eq!(right - left, i32::from(of.balance));
        assert!((right - left).abs() <= 1);
        left.max(right) + 1
    }

    #[test]
    fn trees_are_balanced() {
        for count in 0..200_u32 {
            let order: Vec<u32> = (0..count).rev().collect();
            let mut links = vec![CbhNameLinks::DELETED; count as usize];
            let root = balance(&order, &mut links);
            let levels = u32::BITS - count.leading_zeros();
            assert_eq!(height(root, &links), levels.cast_signed(), "{count}");
        }
    }
}
