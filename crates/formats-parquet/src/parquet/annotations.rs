//! The annotations and variations around the moves of the main line, as bytes.
//!
//! A sequence of operations in the order of the tape. Each is a byte for its kind, followed by its data: numbers with
//! seven bits per byte, the lowest first; texts as in `text.rs`. Moves of the main line after the last operation are not
//! stored.

use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::text::OwnedText;

use super::text::{ParquetTextReader, push_bytes, push_varint};

/// A number of moves of the main line come here.
pub(super) const ADVANCE: u8 = 0;
/// A NAG: its number.
pub(super) const NAG: u8 = 1;
/// A comment: a text.
pub(super) const COMMENT: u8 = 2;
/// Unreadable movetext: a text.
pub(super) const RAW: u8 = 3;
/// An extension: its name and its bytes, each preceded by its length.
pub(super) const EXTENSION: u8 = 4;
/// A variation begins, which replaces the move before it.
pub(super) const BEGIN: u8 = 5;
/// The variation ends.
pub(super) const END: u8 = 6;
/// A result within the movetext: 0 unknown, 1 White, 2 Black, 3 draw.
pub(super) const OUTCOME: u8 = 7;
/// A move of a variation, two bytes as in the column of moves, the lower one first.
pub(super) const MOVE: u8 = 8;
/// The next move breaks the rules of movement: all of its known data, in three bytes.
pub(super) const ODD: u8 = 9;
/// The variant, if the tag does not have it: 0 standard, 1 Chess960, 2 another game. Comes first.
pub(super) const RULES: u8 = 10;
/// The starting position, if the tag FEN does not have it: a text, empty for the usual one. Comes first.
pub(super) const START: u8 = 11;
/// The comments of clocks and evaluations have a space at both ends. Comes first.
pub(super) const SPACED: u8 = 12;

/// One operation.
#[derive(Debug)]
pub(super) enum ParquetNote<'a> {
    Advance(u64),
    Nag(Nag),
    Comment(OwnedText),
    Raw(OwnedText),
    Extension(&'a str, &'a [u8]),
    Begin,
    End,
    Outcome(Outcome),
    Move(u16),
    Odd(u32),
    Rules(u8),
    Start(&'a str),
    Spaced,
}

/// The next operation; `None` if the bytes are invalid.
pub(super) fn next<'a>(reader: &mut ParquetTextReader<'a>) -> Option<ParquetNote<'a>> {
    Some(match reader.byte()? {
        ADVANCE => ParquetNote::Advance(reader.varint()?),
        NAG => ParquetNote::Nag(Nag(u32::try_from(reader.varint()?).ok()?)),
        COMMENT => ParquetNote::Comment(reader.text()?),
        RAW => ParquetNote::Raw(reader.text()?),
        EXTENSION => {
            ParquetNote::Extension(std::str::from_utf8(reader.bytes()?).ok()?, reader.bytes()?)
        }
        BEGIN => ParquetNote::Begin,
        END => ParquetNote::End,
        OUTCOME => ParquetNote::Outcome(match reader.byte()? {
            code @ 0..=3 => Outcome::from_scid(code),
            _ => return None,
        }),
        MOVE => ParquetNote::Move(u16::from_le_bytes(reader.take(2)?.try_into().ok()?)),
        ODD => {
            let [low, middle, high] = reader.take(3)?.try_into().ok()?;
            ParquetNote::Odd(u32::from_le_bytes([low, middle, high, 0]))
        }
        RULES => ParquetNote::Rules(reader.byte().filter(|rules| *rules <= 2)?),
        START => ParquetNote::Start(std::str::from_utf8(reader.bytes()?).ok()?),
        SPACED => ParquetNote::Spaced,
        _ => return None,
    })
}

/// Appends an operation with a number.
pub(super) fn push_number(kind: u8, number: u64, out: &mut Vec<u8>) {
    out.push(kind);
    push_varint(number, out);
}

/// Appends an extension.
pub(super) fn push_extension(name: &str, data: &[u8], out: &mut Vec<u8>) {
    out.push(EXTENSION);
    push_bytes(name.as_bytes(), out);
    push_bytes(data, out);
}

/// Appends the bits of a move that the rules do not explain.
pub(super) fn push_odd(bits: u32, out: &mut Vec<u8>) {
    out.push(ODD);
    out.extend(bits.to_le_bytes().iter().take(3));
}
