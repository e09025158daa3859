//! The frame of the file: the trailer with its layers, the directories of buckets, and the cards.

use std::ops::Range;

use super::changed_games::ChangedGames;
use super::coding::{IndexByteReader, IndexDamage, check, push_number, short_check};
use crate::game_brief::GameBrief;

/// The first bytes.
pub(super) const MAGIC: &[u8; 8] = b"TABIYAPX";
/// The last bytes.
pub(super) const END: &[u8; 8] = b"XPAYIBAT";
/// The version that this program writes and reads.
pub(super) const VERSION: u32 = 3;
/// The version of a trailer with changed games, which earlier programs do not read.
const OVERRULING: u32 = 4;
/// Bytes before the first layer: the magic and the version.
pub(super) const HEADER: usize = 16;
/// Bytes after the trailer: its length, its check, the magic.
const FOOTER: usize = 24;

/// The trailer at the end of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct IndexTrailer {
    pub(super) fingerprint: Vec<u8>,
    /// The places of the games, for formats that do not store them.
    pub(super) places: Vec<u8>,
    pub(super) layers: Vec<LayerHeader>,
    /// Games that have changed since.
    pub(super) changed_games: ChangedGames,
    /// The size of all layers and the header before them, in bytes.
    pub(super) layers_end: u64,
}

/// The header of a layer. Places are byte offsets from the start of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct LayerHeader {
    pub(super) first: u64,
    pub(super) games: u64,
    pub(super) positions: u64,
    /// A digest of all positions and facts of the games, in order.
    pub(super) digest: u64,
    pub(super) bucket_bits: u32,
    /// The start of the buckets.
    pub(super) buckets: u64,
    /// The start of the directory of buckets: for each its offset after `buckets`, and the end of the last.
    pub(super) directory: u64,
    /// The start of the directory of cards.
    pub(super) cards: u64,
    pub(super) card_count: u64,
    /// The start of the rows, or the end of the layer if it has none.
    pub(super) rows: u64,
    /// The end of the layer.
    pub(super) end: u64,
    pub(super) damaged: Vec<u64>,
}

/// The size of a card's entry in the directory, in bytes: the game and the offset.
const CARD_ENTRY: usize = 8;

/// The header data of a game that figures show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameHeader {
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// Ratings, date and result.
    pub facts: GameBrief,
}

impl GameHeader {
    pub(super) fn push(&self, out: &mut Vec<u8>, number: u64) {
        let mut bytes = self.facts.to_bits().to_le_bytes().to_vec();
        push_number(&mut bytes, self.white.len() as u64);
        bytes.extend_from_slice(self.white.as_bytes());
        bytes.extend_from_slice(self.black.as_bytes());
        out.extend_from_slice(&short_check(number, &bytes).to_le_bytes());
        out.extend_from_slice(&bytes);
    }

    fn read(bytes: &[u8], number: u64) -> Result<GameHeader, IndexDamage> {
        let mut bytes = IndexByteReader(bytes);
        let check = bytes.u32()?;
        if short_check(number, bytes.0) != check {
            return Err(IndexDamage);
        }
        let facts = GameBrief::from_bits(bytes.u64()?);
        let length = bytes.size()?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| IndexDamage);
        Ok(GameHeader {
            white: text(bytes.take(length)?)?,
            black: text(bytes.0)?,
            facts,
        })
    }
}

fn place(n: u64) -> Result<usize, IndexDamage> {
    usize::try_from(n).map_err(|_| IndexDamage)
}

impl LayerHeader {
    /// The place of a bucket.
    pub(super) fn bucket(&self, all: &[u8], number: u64) -> Result<Range<usize>, IndexDamage> {
        let at = number
            .checked_mul(8)
            .and_then(|at| at.checked_add(self.directory))
            .ok_or(IndexDamage)?;
        let at = place(at)?;
        let mut bytes = IndexByteReader(
            all.get(at..at.checked_add(16).ok_or(IndexDamage)?)
                .ok_or(IndexDamage)?,
        );
        let mut bound = || -> Result<usize, IndexDamage> {
            place(
                self.buckets
                    .checked_add(bytes.u64()?)
                    .filter(|at| *at <= self.directory)
                    .ok_or(IndexDamage)?,
            )
        };
        let (start, end) = (bound()?, bound()?);
        if start <= end {
            Ok(start..end)
        } else {
            Err(IndexDamage)
        }
    }

    /// The card of a game. A damaged one counts as missing: then the game is read.
    pub(super) fn card(&self, all: &[u8], number: u64) -> Option<GameHeader> {
        let wanted = number
            .checked_sub(self.first)
            .and_then(|n| u32::try_from(n).ok())?;
        let start = usize::try_from(self.cards).ok()?;
        let count = usize::try_from(self.card_count).ok()?;
        let directory =
            all.get(start..start.checked_add(count.checked_add(1)?.checked_mul(CARD_ENTRY)?)?)?;
        let entry = |index: usize| -> Option<(u32, usize)> {
            let mut bytes = IndexByteReader(directory.get(index.checked_mul(CARD_ENTRY)?..)?);
            Some((bytes.u32().ok()?, usize::try_from(bytes.u32().ok()?).ok()?))
        };
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            match entry(middle)?.0.cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => {
                    let blobs = start + directory.len();
                    let (from, to) = (entry(middle)?.1, entry(middle + 1)?.1);
                    let bytes = all.get(blobs.checked_add(from)?..blobs.checked_add(to)?)?;
                    return GameHeader::read(bytes, number).ok();
                }
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn push(&self, out: &mut Vec<u8>) {
        for number in [
            self.first,
            self.games,
            self.positions,
            self.digest,
            u64::from(self.bucket_bits),
            self.buckets,
            self.directory,
            self.cards,
            self.card_count,
            self.rows,
            self.end,
            self.damaged.len() as u64,
        ] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let mut last = 0;
        for &game in &self.damaged {
            push_number(out, game.wrapping_sub(last));
            last = game;
        }
    }

    fn read(bytes: &mut IndexByteReader<'_>) -> Result<LayerHeader, IndexDamage> {
        let mut numbers = [0; 12];
        for number in &mut numbers {
            *number = bytes.u64()?;
        }
        let [
            first,
            games,
            positions,
            digest,
            bits,
            buckets,
            directory,
            cards,
            card_count,
            rows,
            end,
            count,
        ] = numbers;
        let bucket_bits = u32::try_from(bits)
            .ok()
            .filter(|bits| *bits <= 32)
            .ok_or(IndexDamage)?;
        if buckets > directory
            || directory > cards
            || cards > rows
            || rows > end
            || first.checked_add(games).is_none()
        {
            return Err(IndexDamage);
        }
        let mut damaged = Vec::new();
        let mut last = 0_u64;
        for _ in 0..count {
            last = last.wrapping_add(bytes.number()?);
            damaged.push(last);
        }
        Ok(LayerHeader {
            first,
            games,
            positions,
            digest,
            bucket_bits,
            buckets,
            directory,
            cards,
            card_count,
            rows,
            end,
            damaged,
        })
    }
}

impl IndexTrailer {
    /// The bytes from the end of the layers to the end of the file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let version = match self.changed_games.is_empty() {
            true => VERSION,
            false => OVERRULING,
        };
        out.extend_from_slice(&version.to_le_bytes());
        for part in [&self.fingerprint, &self.places] {
            push_number(&mut out, part.len() as u64);
            out.extend_from_slice(part);
        }
        push_number(&mut out, self.layers.len() as u64);
        for layer in &self.layers {
            layer.push(&mut out);
        }
        if !self.changed_games.is_empty() {
            self.changed_games.push(&mut out);
        }
        let length = out.len() as u64;
        let check = check(self.layers_end, &out);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&check.to_le_bytes());
        out.extend_from_slice(END);
        out
    }

    /// Reads the trailer of a complete file.
    pub(super) fn read(all: &[u8]) -> Result<IndexTrailer, IndexDamage> {
        let mut header = IndexByteReader(all);
        if header.take(8)? != MAGIC || header.u32()? != VERSION || header.u32()? != 0 {
            return Err(IndexDamage);
        }
        let end = all.len().checked_sub(FOOTER).ok_or(IndexDamage)?;
        let mut footer = IndexByteReader(all.get(end..).ok_or(IndexDamage)?);
        let (length, right) = (place(footer.u64()?)?, footer.u64()?);
        if footer.take(8)? != END {
            return Err(IndexDamage);
        }
        let start = end
            .checked_sub(length)
            .filter(|start| *start >= HEADER)
            .ok_or(IndexDamage)?;
        let bytes = all.get(start..end).ok_or(IndexDamage)?;
        if check(start as u64, bytes) != right {
            return Err(IndexDamage);
        }
        let mut bytes = IndexByteReader(bytes);
        let version = bytes.u32()?;
        if version != VERSION && version != OVERRULING {
            return Err(IndexDamage);
        }
        let length = bytes.size()?;
        let fingerprint = bytes.take(length)?.to_vec();
        let length = bytes.size()?;
        let places = bytes.take(length)?.to_vec();
        let count = bytes.size()?;
        let mut layers: Vec<LayerHeader> = Vec::new();
        for _ in 0..count {
            let layer = LayerHeader::read(&mut bytes)?;
            let expected = layers.last().map_or(1, |last| last.first + last.games);
            let begins = layers.last().map_or(HEADER as u64, |last| last.end);
            // Between layers there may be an old trailer, of an index that has grown since.
            if layer.first != expected || layer.buckets < begins || layer.end > start as u64 {
                return Err(IndexDamage);
            }
            layers.push(layer);
        }
        let overruled = match version {
            OVERRULING => ChangedGames::read(&mut bytes)?,
            _ => ChangedGames::default(),
        };
        // If games were marked as changed, the old trailers follow the last layer.
        let end = layers.last().map_or(HEADER as u64, |last| last.end);
        if !bytes.0.is_empty() || end > start as u64 {
            return Err(IndexDamage);
        }
        Ok(IndexTrailer {
            fingerprint,
            places,
            layers,
            changed_games: overruled,
            layers_end: start as u64,
        })
    }
}
