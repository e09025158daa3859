//! The walk over the rows of a `.MYD` file.
//!
//! Fixed rows: the first byte is 0 for a deleted row, odd for a live one.
//!
//! Dynamic rows are blocks; the first byte of a block is its kind. Lengths and links follow it.
//!
//! | first byte | block | row length | data length | unused | next part |
//! |---|---|---|---|---|---|
//! | 0 | deleted | | u24, the whole block | | |
//! | 1, 2 | whole row | u16, u24 | the same | | |
//! | 3, 4 | whole row | u16, u24 | the same | u8, bytes after the data | |
//! | 5, 6, 13 | first part | u16, u24, u32 | u16, u24, u24 | | u64 |
//! | 11, 12 | middle part | | u16, u24 | | u64 |
//! | 7, 8 | last part | | u16, u24 | | |
//! | 9, 10 | last part | | u16, u24 | u8 | |

use super::unpack::{unpack_dynamic, unpack_fixed};
use super::{MyisamDamage, MyisamTable};
use crate::jose::row::{JoseRow, JoseSlot};

/// The rows of a table, in file order; see [`MyisamRows::next_row`].
#[derive(Debug)]
pub struct MyisamRows<'a> {
    table: &'a MyisamTable,
    myd: &'a [u8],
    at: usize,
    /// Bytes of split rows that may still be joined: an intact file has no more of them than fit into it, so looping or
    /// merging links cannot make the walk endless.
    joins_left: usize,
    joined: Vec<u8>,
    slots: Vec<JoseSlot>,
    live: u64,
}

/// The header of a dynamic block.
#[derive(Debug, Clone, Copy)]
struct MyisamBlock {
    kind: MyisamBlockKind,
    /// The offset of its data.
    data: usize,
    data_len: usize,
    /// Length of the whole row, of which this may be the first part.
    row_len: usize,
    /// The offset of the next block of the file.
    end: usize,
    /// The offset of the next part of the row.
    next: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MyisamBlockKind {
    Deleted,
    Whole,
    First,
    Middle,
    Last,
}

/// The buffers of a walk, which the next one can reuse.
#[derive(Debug, Default)]
pub struct MyisamBuffers {
    joined: Vec<u8>,
    slots: Vec<JoseSlot>,
}

impl<'a> MyisamRows<'a> {
    pub(super) fn new(
        table: &'a MyisamTable,
        myd: &'a [u8],
        buffers: MyisamBuffers,
    ) -> MyisamRows<'a> {
        MyisamRows {
            table,
            myd,
            at: 0,
            joins_left: join_budget(myd),
            joined: buffers.joined,
            slots: buffers.slots,
            live: 0,
        }
    }

    /// Returns the buffers.
    pub fn into_buffers(self) -> MyisamBuffers {
        MyisamBuffers {
            joined: self.joined,
            slots: self.slots,
        }
    }

    /// Live rows that were read so far.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// The next live row, or the damage before it; `None` at the end of the file.
    ///
    /// After damage, the walk continues at the next readable row.
    pub fn next_row(&mut self) -> Option<Result<JoseRow<'_>, MyisamDamage>> {
        let table = self.table;
        let found = if table.header.dynamic {
            self.next_dynamic()
        } else {
            self.next_fixed()
        };
        match found? {
            Ok((offset, bytes)) => {
                self.live += 1;
                let bytes = bytes.unwrap_or(&self.joined);
                Some(Ok(JoseRow {
                    offset: offset as u64,
                    bytes,
                    slots: &self.slots,
                }))
            }
            Err(damage) => Some(Err(damage)),
        }
    }

    /// The row that begins at `offset`, which [`MyisamRows::next_row`] returned earlier.
    pub fn row_at(&mut self, offset: u64) -> Result<JoseRow<'_>, MyisamDamage> {
        let damage = |what| MyisamDamage { offset, what };
        let at = usize::try_from(offset).map_err(|_| damage("no row at this offset"))?;
        let bytes = if self.table.header.dynamic {
            let block = self.block(at).map_err(damage)?;
            // Reading one row again does not mean that links merge.
            self.joins_left = join_budget(self.myd);
            self.read_dynamic(&block).map_err(damage)?
        } else {
            let row = at
                .checked_add(self.table.header.stride)
                .and_then(|end| self.myd.get(at..end))
                .ok_or_else(|| damage("no row at this offset"))?;
            unpack_fixed(self.table, row, &mut self.slots).map_err(damage)?;
            Some(row)
        };
        Ok(JoseRow {
            offset,
            bytes: bytes.unwrap_or(&self.joined),
            slots: &self.slots,
        })
    }

    #[allow(clippy::type_complexity)]
    fn next_fixed(&mut self) -> Option<Result<(usize, Option<&'a [u8]>), MyisamDamage>> {
        let header = &self.table.header;
        loop {
            let at = self.at;
            if at >= self.myd.len() {
                return None;
            }
            let damage = |what| {
                Some(Err(MyisamDamage {
                    offset: at as u64,
                    what,
                }))
            };
            let Some(row) = at
                .checked_add(header.stride)
                .and_then(|end| self.myd.get(at..end))
            else {
                self.at = self.myd.len();
                return damage("the file ends inside a row");
            };
            self.at = at + header.stride;
            match row.first() {
                Some(0) => continue,
                Some(mark) if header.null_bytes > 0 && mark & 1 == 0 => {
                    return damage("a row is neither live nor deleted");
                }
                _ => {}
            }
            if let Err(what) = unpack_fixed(self.table, row, &mut self.slots) {
                return damage(what);
            }
            return Some(Ok((at, Some(row))));
        }
    }

    #[allow(clippy::type_complexity)]
    fn next_dynamic(&mut self) -> Option<Result<(usize, Option<&'a [u8]>), MyisamDamage>> {
        loop {
            let at = self.at;
            if at >= self.myd.len() {
                return None;
            }
            let what = match self.block(at) {
                Ok(block) => match block.kind {
                    MyisamBlockKind::Whole | MyisamBlockKind::First => {
                        match self.read_dynamic(&block) {
                            Ok(bytes) => {
                                // The number of unused bytes after the data is not needed to read the row, and if it is
                                // wrong the next row is not necessarily lost.
                                let next = block.end;
                                let sound = next % 4 == 0 && self.block(next).is_ok();
                                self.at = if next == self.myd.len() || sound {
                                    next
                                } else {
                                    (block.data + block.data_len).next_multiple_of(4)
                                };
                                return Some(Ok((at, bytes)));
                            }
                            Err(what) => {
                                // The header may be valid although the row is not.
                                if block.end == self.myd.len() || self.sound(block.end) {
                                    self.at = block.end;
                                    return Some(Err(MyisamDamage {
                                        offset: at as u64,
                                        what,
                                    }));
                                }
                                what
                            }
                        }
                    }
                    MyisamBlockKind::Deleted | MyisamBlockKind::Middle | MyisamBlockKind::Last => {
                        self.at = block.end;
                        continue;
                    }
                },
                Err(what) => what,
            };
            // Blocks begin at multiples of four: search for the next one with a row.
            let mut next = (at | 3) + 1;
            while next < self.myd.len() && !self.holds_row(next) {
                next += 4;
            }
            self.at = next;
            return Some(Err(MyisamDamage {
                offset: at as u64,
                what,
            }));
        }
    }

    /// Whether a readable block begins here.
    fn sound(&mut self, at: usize) -> bool {
        match self.block(at) {
            Ok(block) => match block.kind {
                MyisamBlockKind::Whole | MyisamBlockKind::First => {
                    self.read_dynamic(&block).is_ok()
                }
                MyisamBlockKind::Deleted | MyisamBlockKind::Middle | MyisamBlockKind::Last => true,
            },
            Err(_) => false,
        }
    }

    /// Whether a block with a readable row begins here.
    fn holds_row(&mut self, at: usize) -> bool {
        matches!(
            self.block(at),
            Ok(block) if matches!(block.kind, MyisamBlockKind::Whole | MyisamBlockKind::First)
                && self.read_dynamic(&block).is_ok()
        )
    }

    /// Reads a row into the slots. Returns its bytes if they are contiguous in the file; otherwise they are in `joined`.
    fn read_dynamic(&mut self, block: &MyisamBlock) -> Result<Option<&'a [u8]>, &'static str> {
        let data = self.data(block)?;
        if block.kind == MyisamBlockKind::Whole {
            unpack_dynamic(self.table, data, &mut self.slots)?;
            return Ok(Some(data));
        }
        if block.row_len > self.myd.len() {
            return Err("a row is longer than the file");
        }
        self.joined.clear();
        self.join(data)?;
        let mut next = block.next;
        while self.joined.len() < block.row_len {
            let at = next
                .and_then(|at| usize::try_from(at).ok())
                .ok_or("a split row has too few parts")?;
            let part = self
                .block(at)
                .map_err(|_| "a split row points to no block")?;
            if !matches!(part.kind, MyisamBlockKind::Middle | MyisamBlockKind::Last) {
                return Err("a split row points to a block of another row");
            }
            let data = self.data(&part)?;
            if data.is_empty() || data.len() > block.row_len - self.joined.len() {
                return Err("the parts of a split row do not add up to its length");
            }
            self.join(data)?;
            next = part.next;
        }
        unpack_dynamic(self.table, &self.joined, &mut self.slots)?;
        Ok(None)
    }

    fn join(&mut self, data: &[u8]) -> Result<(), &'static str> {
        self.joins_left = self
            .joins_left
            .checked_sub(data.len().saturating_add(1))
            .ok_or("links of split rows form a loop")?;
        self.joined.extend_from_slice(data);
        Ok(())
    }

    fn data(&self, block: &MyisamBlock) -> Result<&'a [u8], &'static str> {
        block
            .data
            .checked_add(block.data_len)
            .and_then(|end| self.myd.get(block.data..end))
            .ok_or("a row extends past the end of the file")
    }

    /// Reads the header of the block at `at`.
    fn block(&self, at: usize) -> Result<MyisamBlock, &'static str> {
        let kind_byte = *self.myd.get(at).ok_or("a link points outside the file")?;
        let be = |skip: usize, len: usize| -> Result<u64, &'static str> {
            at.checked_add(skip)
                .and_then(|from| self.myd.get(from..from.checked_add(len)?))
                .map(|part| {
                    part.iter()
                        .fold(0u64, |value, &byte| value << 8 | u64::from(byte))
                })
                .ok_or("the file ends inside the header of a row")
        };
        let small = |skip: usize, len: usize| -> Result<usize, &'static str> {
            usize::try_from(be(skip, len)?).map_err(|_| "impossible length")
        };
        // Kind, length of the header, data length, row length, unused bytes, link.
        let (kind, head, data_len, row_len, unused, next) = match kind_byte {
            0 => {
                let len = small(1, 3)?;
                if len < 20 {
                    return Err("impossible length of a deleted row");
                }
                (MyisamBlockKind::Deleted, 4, len - 4, 0, 0, None)
            }
            1 => (MyisamBlockKind::Whole, 3, small(1, 2)?, 0, 0, None),
            2 => (MyisamBlockKind::Whole, 4, small(1, 3)?, 0, 0, None),
            3 => (
                MyisamBlockKind::Whole,
                4,
                small(1, 2)?,
                0,
                small(3, 1)?,
                None,
            ),
            4 => (
                MyisamBlockKind::Whole,
                5,
                small(1, 3)?,
                0,
                small(4, 1)?,
                None,
            ),
            5 => (
                MyisamBlockKind::First,
                13,
                small(3, 2)?,
                small(1, 2)?,
                0,
                Some(be(5, 8)?),
            ),
            6 => (
                MyisamBlockKind::First,
                15,
                small(4, 3)?,
                small(1, 3)?,
                0,
                Some(be(7, 8)?),
            ),
            13 => (
                MyisamBlockKind::First,
                16,
                small(5, 3)?,
                small(1, 4)?,
                0,
                Some(be(8, 8)?),
            ),
            11 => (
                MyisamBlockKind::Middle,
                11,
                small(1, 2)?,
                0,
                0,
                Some(be(3, 8)?),
            ),
            12 => (
                MyisamBlockKind::Middle,
                12,
                small(1, 3)?,
                0,
                0,
                Some(be(4, 8)?),
            ),
            7 => (MyisamBlockKind::Last, 3, small(1, 2)?, 0, 0, None),
            8 => (MyisamBlockKind::Last, 4, small(1, 3)?, 0, 0, None),
            9 => (
                MyisamBlockKind::Last,
                4,
                small(1, 2)?,
                0,
                small(3, 1)?,
                None,
            ),
            10 => (
                MyisamBlockKind::Last,
                5,
                small(1, 3)?,
                0,
                small(4, 1)?,
                None,
            ),
            _ => return Err("unknown kind of block"),
        };
        let data = at + head;
        let data_end = data
            .checked_add(data_len)
            .filter(|&end| end <= self.myd.len())
            .ok_or("a row extends past the end of the file")?;
        let end = (data_end + unused).min(self.myd.len());
        Ok(MyisamBlock {
            kind,
            data,
            data_len,
            row_len,
            end,
            next,
        })
    }
}

/// Checking the row after damage joins it a second time, so this is more than the length of the file.
fn join_budget(myd: &[u8]) -> usize {
    myd.len().saturating_mul(4).saturating_add(1024)
}
