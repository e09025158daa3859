//! Names with numbers in the order of their first use.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The names of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct CbhNameList {
    table: HashTable<u32>,
    /// Where each name ends.
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

/// A name by its number.
fn name_at<'a>(ends: &[usize], bytes: &'a [u8], number: u32) -> &'a [u8] {
    let number = number as usize;
    let end = |at: usize| ends.get(at).copied();
    let start = number.checked_sub(1).and_then(end).unwrap_or(0);
    end(number)
        .and_then(|end| bytes.get(start..end))
        .unwrap_or(&[])
}

impl CbhNameList {
    /// How many names there are.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// A name by its number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        name_at(&self.ends, &self.bytes, number)
    }

    /// The number of a name, which is added where it is new.
    pub(crate) fn intern(&mut self, hashes: &DefaultHashBuilder, name: &[u8]) -> u32 {
        let hash = hashes.hash_one(name);
        if let Some(number) = self.table.find(hash, |number| self.get(*number) == name) {
            return *number;
        }
        let number = self.push(name);
        let (ends, bytes) = (&self.ends, &self.bytes);
        self.table.insert_unique(hash, number, |number| {
            hashes.hash_one(name_at(ends, bytes, *number))
        });
        number
    }

    /// Adds a record that is no name.
    pub(crate) fn push(&mut self, record: &[u8]) -> u32 {
        let number = self.len();
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len());
        number
    }
}
