//! Compares an index with its database, whole.

use std::io::{self, Write};

use tabiya_model::{Database, Result};

use super::Index;
use super::builder::{BuildOptions, Counting, layer};
use super::places;

/// Builds every layer again and compares all bytes: whether the index is what it should be.
pub fn verify(index: &Index, database: &dyn Database, options: &BuildOptions<'_>) -> Result<bool> {
    if index.game_count() != database.len()? {
        return Ok(false);
    }
    let trailer = &index.trailer;
    if trailer.places != places::to_bytes(database.places()?.as_ref()) {
        return Ok(false);
    }
    for (number, head) in (0..).zip(&trailer.layers) {
        let mut comparing = Comparing {
            rest: usize::try_from(head.buckets)
                .ok()
                .and_then(|at| index.all().get(at..))
                .unwrap_or(&[]),
            same: true,
        };
        let mut out = Counting::new(&mut comparing);
        out.written = head.buckets;
        let again = layer(
            database,
            head.first,
            head.first + head.games,
            number,
            options,
            &mut out,
        )?;
        if again != *head || !comparing.same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes what is written, and compares.
struct Comparing<'a> {
    rest: &'a [u8],
    same: bool,
}

impl Write for Comparing<'_> {
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
