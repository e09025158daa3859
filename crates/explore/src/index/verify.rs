//! Compares an index completely with its database.

use std::io::{self, Write};

use tabiya_model::{Control, Database, Result};

use super::builder::{CountingWriter, LayerResources, layer, same_layer};
use super::offsets;
use super::spool::SpillFile;
use super::{ExplorerIndex, IndexLayer};

/// The result of a comparison.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum IndexCheck {
    /// The index is correct.
    Sound,
    /// The index is wrong.
    Wrong,
    /// The comparison was stopped before its end, without a difference so far.
    Stopped,
}

/// Builds every layer again and compares all bytes: whether the index is correct. A layer with games that have changed
/// since cannot be built again: its other games are compared with their sources, and everything in it with its checksums.
pub fn verify(
    index: &ExplorerIndex,
    database: &dyn Database,
    spill: &dyn SpillFile,
    control: &Control,
) -> Result<IndexCheck> {
    if index.game_count() != database.len()? {
        return Ok(IndexCheck::Wrong);
    }
    let trailer = &index.trailer;
    if trailer.places != offsets::to_bytes(database.places()?.as_ref()) {
        return Ok(IndexCheck::Wrong);
    }
    for (number, head) in (0..).zip(&trailer.layers) {
        let mut comparing = ComparingWriter {
            rest: usize::try_from(head.buckets)
                .ok()
                .and_then(|at| index.all().get(at..))
                .unwrap_or(&[]),
            same: true,
        };
        let mut out = CountingWriter::new(&mut comparing);
        out.written = head.buckets;
        let end = head.first + head.games;
        if index
            .changed_games()
            .iter()
            .any(|game| (head.first..end).contains(game))
        {
            match same_layer(index, head, database, control)? {
                (_, ended) if !ended.is_whole() => return Ok(IndexCheck::Stopped),
                (true, _) if index.is_sound(IndexLayer { head, number }) => continue,
                _ => return Ok(IndexCheck::Wrong),
            }
        }
        let work = LayerResources { spill, control };
        match layer(database, head.first, end, number, work, &mut out)? {
            None => return Ok(IndexCheck::Stopped),
            Some(again) if again != *head || !comparing.same => return Ok(IndexCheck::Wrong),
            Some(_) => {}
        }
    }
    Ok(IndexCheck::Sound)
}

/// Compares the bytes that are written to it.
struct ComparingWriter<'a> {
    rest: &'a [u8],
    same: bool,
}

impl Write for ComparingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.rest.split_at_checked(bytes.len()) {
            Some((expected, rest)) => {
                self.same &= expected == bytes;
                self.rest = rest;
            }
            None => self.same = false,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
