//! The file of all names.

use std::io::{self, Write};

use crate::cbh2::encode::names::container;
use crate::cbh2::entities::Cbh2EntityTable;
use crate::writer::name_list::CbhNameList;

/// The most names of a kind: more than this the trees of an order have no room for.
pub(super) const MOST_NAMES: u32 = 106_954_751;

/// The size of the header.
const HEADER: usize = 184;
/// The kinds of names, one of which nobody uses.
const KINDS: u32 = 6;
/// The container of the kind that nobody uses.
const UNUSED: usize = 1024;
/// Numbers without a known meaning, which every file has.
const PAIRS: [i32; 7] = [-1, 0, 1, 2, 3, 4, 5];
/// Bytes that wait to be written.
const FLUSH: usize = 1 << 20;

/// Writes the file of all names, by the kinds of [`Cbh2EntityTable::ALL`]; gives its size.
pub(super) fn write(out: &mut dyn Write, lists: &[CbhNameList; 5]) -> io::Result<u64> {
    let own = |number: u32| {
        let mut kinds = Cbh2EntityTable::ALL.into_iter().zip(lists);
        kinds.find(|(table, _)| table.number() == number as usize)
    };
    let mut bytes = Vec::new();
    for word in [HEADER as u32, KINDS] {
        bytes.extend(word.to_be_bytes());
    }
    for number in 0..KINDS {
        let (size, count) = match own(number) {
            Some((table, list)) => (container(table), list.len()),
            None => (UNUSED, 0),
        };
        bytes.extend(u32::try_from(size).unwrap_or(0).to_be_bytes());
        bytes.extend(i64::from(count).to_be_bytes());
        // No name was ever deleted.
        bytes.extend((-1_i64).to_be_bytes());
    }
    for number in PAIRS {
        bytes.extend(number.to_be_bytes());
        bytes.extend(1_u32.to_be_bytes());
    }
    bytes.resize(HEADER, 0);
    let mut size = 0;
    // What stands behind the last record is not in the file.
    let mut end = bytes.len();
    for id in 0..lists.iter().map(CbhNameList::len).max().unwrap_or(0) {
        for number in 0..KINDS {
            let start = bytes.len();
            let room = match own(number) {
                Some((table, list)) => {
                    if id < list.len() {
                        let name = list.get(id);
                        bytes.extend(u32::try_from(name.len()).unwrap_or(0).to_le_bytes());
                        bytes.extend_from_slice(name);
                        end = bytes.len();
                    }
                    container(table)
                }
                None => UNUSED,
            };
            bytes.resize(start + room, 0);
        }
        if end > FLUSH {
            let rest = bytes.split_off(end);
            out.write_all(&bytes)?;
            size += bytes.len() as u64;
            (bytes, end) = (rest, 0);
        }
    }
    bytes.truncate(end);
    out.write_all(&bytes)?;
    Ok(size + bytes.len() as u64)
}
