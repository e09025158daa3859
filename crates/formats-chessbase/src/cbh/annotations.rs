//! Annotations: items at moves, each with its type.
//!
//! [`items`] splits the record of a game into items, [`CbhAnnotationItem::note`] returns the meaning of an item, and
//! [`CbhAnnotation::command`] writes it as a command in a comment, unless it is a text or a symbol.

use shakmaty::Square;
use tabiya_io::bytes::ByteCursor;

use super::layout::{CbhDate, CbhStartRecord, square_by_files};

/// One stored annotation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhAnnotationItem<'a> {
    /// The number of its move, −1 for the game as a whole.
    pub place: i32,
    /// Its type.
    pub kind: u8,
    /// Its content.
    pub payload: &'a [u8],
}

/// The bytes of an item before its content.
const ITEM_HEAD: usize = 6;

/// The items after the header of a record, with the rest if one of them is damaged.
#[derive(Clone, Debug)]
pub struct CbhAnnotationItems<'a> {
    rest: &'a [u8],
}

/// Splits the bytes after the header of a record into items.
pub fn items(bytes: &[u8]) -> CbhAnnotationItems<'_> {
    CbhAnnotationItems { rest: bytes }
}

impl<'a> CbhAnnotationItems<'a> {
    /// The unsplit rest; empty for an intact record.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for CbhAnnotationItems<'a> {
    type Item = CbhAnnotationItem<'a>;

    fn next(&mut self) -> Option<CbhAnnotationItem<'a>> {
        let [a, b, c, kind, high, low] = *self.rest.first_chunk::<ITEM_HEAD>()?;
        let size = usize::from(u16::from_be_bytes([high, low]));
        let payload = self.rest.get(ITEM_HEAD..size)?;
        self.rest = self.rest.get(size..).unwrap_or(&[]);
        Some(CbhAnnotationItem {
            // The upper byte goes to the top and back, so that the sign does too.
            place: i32::from_be_bytes([a, b, c, 0]) >> 8,
            kind,
            payload,
        })
    }
}

/// The types of items.
pub mod kind {
    /// A text after the move.
    pub const TEXT_AFTER: u8 = 0x02;
    /// A text before the move.
    pub const TEXT_BEFORE: u8 = 0x82;
    /// Symbols.
    pub const SYMBOLS: u8 = 0x03;
    /// Coloured squares.
    pub const SQUARES: u8 = 0x04;
    /// Arrows.
    pub const ARROWS: u8 = 0x05;
    /// The time that a move took.
    pub const TIME_SPENT: u8 = 0x07;
    /// A training question.
    pub const TRAINING: u8 = 0x09;
    /// A quoted game.
    pub const QUOTATION: u8 = 0x13;
    /// A pawn structure.
    pub const PAWN_STRUCTURE: u8 = 0x14;
    /// The path of a piece.
    pub const PIECE_PATH: u8 = 0x15;
    /// White's clock.
    pub const WHITE_CLOCK: u8 = 0x16;
    /// Black's clock.
    pub const BLACK_CLOCK: u8 = 0x17;
    /// A critical position.
    pub const CRITICAL: u8 = 0x18;
    /// A link.
    pub const LINK: u8 = 0x1c;
    /// An engine evaluation.
    pub const EVALUATION: u8 = 0x21;
    /// Medals.
    pub const MEDALS: u8 = 0x22;
    /// The colour of a variation.
    pub const VARIATION_COLOUR: u8 = 0x23;
    /// The time control.
    pub const TIME_CONTROL: u8 = 0x24;
    /// The time within a video.
    pub const STREAM_TIME: u8 = 0x25;
    /// Engine evaluations of all positions.
    pub const PROFILE: u8 = 0x26;
}

/// A text with its language.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhTextAnnotation<'a> {
    /// Whether it is before its move.
    pub is_before: bool,
    /// A byte without a known meaning, which is 0.
    pub unknown: u8,
    /// The number of the nation that represents its language, 0 for any.
    pub nation: u8,
    /// The text in an unknown charset.
    pub bytes: &'a [u8],
}

/// A text in one of several languages, in training questions.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhLocalisedText<'a> {
    /// Its language as in guiding texts.
    pub language: u16,
    /// The text in an unknown charset.
    pub bytes: &'a [u8],
}

/// One solution of a training question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CbhTrainingSolution<'a> {
    /// The squares of the move.
    pub squares: [Square; 2],
    /// A byte that may be a promotion, which is 0.
    pub unknown: u8,
    /// Its points.
    pub points: u8,
    /// Its texts.
    pub texts: Vec<CbhLocalisedText<'a>>,
}

/// A training question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CbhTrainingQuestion<'a> {
    /// The seconds to think.
    pub seconds: u32,
    /// Its points.
    pub points: u16,
    /// The question.
    pub question: Vec<CbhLocalisedText<'a>>,
    /// Hints; the last one may be something else.
    pub hints: [Vec<CbhLocalisedText<'a>>; 3],
    /// The solutions, the move of the game first.
    pub solutions: Vec<CbhTrainingSolution<'a>>,
}

/// A quoted game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CbhQuotation<'a> {
    /// 1 for a mere reference, 2 with moves.
    pub kind: u16,
    /// Its custom starting position, if it has one.
    pub start: Option<[u8; 28]>,
    /// White, Black, event and site.
    pub names: [&'a [u8]; 4],
    /// Ratings of White and Black.
    pub ratings: [u16; 2],
    /// The ECO code as in a header.
    pub eco: u16,
    /// When it was played.
    pub date: CbhDate,
    /// The kind of its tournament, the nation, the category and the number of rounds.
    pub tournament: [u16; 4],
    /// The round and the part after the point.
    pub round: [u8; 2],
    /// The result as in a header.
    pub result: u8,
    /// A word without a known meaning.
    pub unknown: u16,
    /// Its moves, in a disguise of their own.
    pub moves: &'a [u8],
}

/// One position of an evaluation profile.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhEvaluation {
    /// 0 hundredths of a pawn, 1 plies to mate, 255 none.
    pub flag: u8,
    /// The depth of the search.
    pub depth: u8,
    /// The value as White sees it.
    pub value: i16,
}

/// One stage of a time control.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhTimeControlStage {
    /// The time in 1/100 seconds.
    pub start: u32,
    /// The increment per move, in 1/100 seconds.
    pub increment: u32,
    /// For this number of moves; 1000 for all others.
    pub moves: u16,
    /// How it is counted.
    pub kind: u8,
}

/// The meaning of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CbhAnnotation<'a> {
    /// A text.
    Text(CbhTextAnnotation<'a>),
    /// Symbols by their NAGs: of the move, of the position, and in front.
    Symbols(&'a [u8]),
    /// Squares with their colours.
    Squares(Vec<(u8, Square)>),
    /// Arrows with their colours.
    Arrows(Vec<(u8, Square, Square)>),
    /// Hours, minutes, seconds and hundredths that a move took.
    TimeSpent([u8; 4]),
    /// A training question.
    Training(CbhTrainingQuestion<'a>),
    /// A quoted game.
    Quotation(CbhQuotation<'a>),
    /// A pawn structure, by a number.
    PawnStructure(u8),
    /// The path of a piece: a number and its square.
    PiecePath(u8, Square),
    /// A clock in 1/100 seconds.
    Clock {
        /// Whether it is White's.
        is_white: bool,
        /// The time shown.
        hundredths: u32,
    },
    /// A critical position: 1 of the opening, 2 of the middlegame, 3 of the endgame.
    Critical(u8),
    /// A link.
    Link {
        /// Its target.
        address: &'a [u8],
        /// Its caption.
        caption: &'a [u8],
    },
    /// An engine evaluation: 0 hundredths of a pawn or 1 moves to mate, seen from White.
    Evaluation {
        /// The value.
        value: i16,
        /// The kind of the value.
        kind: i16,
        /// The depth of the search.
        depth: i16,
    },
    /// Medals, one bit each.
    Medals(u32),
    /// The colour of a variation.
    VariationColour {
        /// 1 for its main line only, 2 for moves only.
        flags: u8,
        /// Red, green and blue.
        colour: [u8; 3],
    },
    /// The time control.
    TimeControl([CbhTimeControlStage; 3]),
    /// The time within a video.
    StreamTime(u32),
    /// Engine evaluations of all positions of the main line, the starting position first.
    Profile(Vec<CbhEvaluation>),
}

impl<'a> CbhAnnotationItem<'a> {
    /// The meaning of the item; `None` for an unknown type, or a malformed item.
    pub fn note(&self) -> Option<CbhAnnotation<'a>> {
        let payload = self.payload;
        Some(match self.kind {
            kind::TEXT_AFTER | kind::TEXT_BEFORE => {
                let (&[unknown, nation], bytes) = payload.split_first_chunk::<2>()?;
                let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
                CbhAnnotation::Text(CbhTextAnnotation {
                    is_before: self.kind == kind::TEXT_BEFORE,
                    unknown,
                    nation,
                    bytes: bytes.get(..end)?,
                })
            }
            kind::SYMBOLS if (1..=3).contains(&payload.len()) => CbhAnnotation::Symbols(payload),
            kind::SQUARES => {
                let (pairs, rest) = payload.as_chunks::<2>();
                let squares = pairs
                    .iter()
                    .map(|[colour, square]| Some((*colour, numbered_square(*square)?)));
                CbhAnnotation::Squares(squares.collect::<Option<_>>().filter(|_| rest.is_empty())?)
            }
            kind::ARROWS => {
                let (triples, rest) = payload.as_chunks::<3>();
                let arrows = triples.iter().map(|[colour, from, to]| {
                    Some((*colour, numbered_square(*from)?, numbered_square(*to)?))
                });
                CbhAnnotation::Arrows(arrows.collect::<Option<_>>().filter(|_| rest.is_empty())?)
            }
            kind::TIME_SPENT => CbhAnnotation::TimeSpent(payload.try_into().ok()?),
            kind::TRAINING => CbhAnnotation::Training(training(payload)?),
            kind::QUOTATION => CbhAnnotation::Quotation(quotation(payload)?),
            kind::PAWN_STRUCTURE => match *payload {
                [number] => CbhAnnotation::PawnStructure(number),
                _ => return None,
            },
            kind::PIECE_PATH => match *payload {
                [number, square] => CbhAnnotation::PiecePath(number, numbered_square(square)?),
                _ => return None,
            },
            kind::WHITE_CLOCK | kind::BLACK_CLOCK => CbhAnnotation::Clock {
                is_white: self.kind == kind::WHITE_CLOCK,
                hundredths: u32::from_be_bytes(payload.try_into().ok()?),
            },
            kind::CRITICAL => match *payload {
                [phase @ 0..=3] => CbhAnnotation::Critical(phase),
                _ => return None,
            },
            kind::LINK => {
                let mut cursor = ByteCursor::new(payload);
                let size = cursor.u16_le().ok()?;
                let mut text = || {
                    let length = cursor.u8().ok()?;
                    cursor.take(usize::from(length)).ok()
                };
                let (address, caption) = (text()?, text()?);
                if usize::from(size) > payload.len() || !cursor.is_empty() {
                    return None;
                }
                CbhAnnotation::Link { address, caption }
            }
            kind::EVALUATION => {
                let [a, b, c, d, e, f] = <[u8; 6]>::try_from(payload).ok()?;
                CbhAnnotation::Evaluation {
                    value: i16::from_le_bytes([a, b]),
                    kind: i16::from_le_bytes([c, d]),
                    depth: i16::from_le_bytes([e, f]),
                }
            }
            kind::MEDALS => CbhAnnotation::Medals(u32::from_be_bytes(payload.try_into().ok()?)),
            kind::VARIATION_COLOUR => match *payload {
                [flags, blue, green, red] => CbhAnnotation::VariationColour {
                    flags,
                    colour: [red, green, blue],
                },
                _ => return None,
            },
            kind::TIME_CONTROL => {
                let (stages, rest) = payload.as_chunks::<11>();
                let [a, b, c] = stages else { return None };
                if !rest.is_empty() {
                    return None;
                }
                CbhAnnotation::TimeControl([a, b, c].map(stage))
            }
            kind::STREAM_TIME => {
                CbhAnnotation::StreamTime(u32::from_be_bytes(payload.try_into().ok()?))
            }
            kind::PROFILE => {
                let (count, values) = payload.split_first_chunk::<2>()?;
                let (values, rest) = values.as_chunks::<4>();
                if !rest.is_empty() || usize::from(u16::from_be_bytes(*count)) != values.len() {
                    return None;
                }
                let values = values.iter().map(|[flag, depth, high, low]| CbhEvaluation {
                    flag: *flag,
                    depth: *depth,
                    value: i16::from_be_bytes([*high, *low]),
                });
                CbhAnnotation::Profile(values.collect())
            }
            _ => return None,
        })
    }
}

/// A square that counts by files from 1.
fn numbered_square(number: u8) -> Option<Square> {
    square_by_files(number.checked_sub(1)?)
}

fn stage(bytes: &[u8; 11]) -> CbhTimeControlStage {
    let [a, b, c, d, e, f, g, h, i, j, kind] = *bytes;
    CbhTimeControlStage {
        start: u32::from_be_bytes([a, b, c, d]),
        increment: u32::from_be_bytes([e, f, g, h]),
        moves: u16::from_be_bytes([i, j]),
        kind,
    }
}

/// Texts in several languages; a count that is larger than the bytes at hand fails at the first that is missing.
fn localised<'a>(cursor: &mut ByteCursor<'a>) -> Option<Vec<CbhLocalisedText<'a>>> {
    let count = cursor.u16_le().ok()?;
    let mut texts = Vec::new();
    for _ in 0..count {
        let language = cursor.u16_le().ok()?;
        let length = cursor.u16_le().ok()?;
        let bytes = cursor.take(usize::from(length)).ok()?;
        texts.push(CbhLocalisedText { language, bytes });
    }
    Some(texts)
}

fn training(payload: &[u8]) -> Option<CbhTrainingQuestion<'_>> {
    let mut cursor = ByteCursor::new(payload);
    if cursor.array().ok()? != [1, 0, 1] {
        return None;
    }
    let size = cursor.remaining();
    if usize::from(cursor.u16_le().ok()?) != size {
        return None;
    }
    let seconds = cursor.u32_le().ok()?;
    let points = cursor.u16_le().ok()?;
    let question = localised(&mut cursor)?;
    let mut hints = [const { Vec::new() }; 3];
    for hint in &mut hints {
        *hint = localised(&mut cursor)?;
    }
    let mut solutions = Vec::new();
    for _ in 0..cursor.u8().ok()? {
        let [from, to, unknown, points] = cursor.array().ok()?;
        solutions.push(CbhTrainingSolution {
            squares: [square_by_files(from)?, square_by_files(to)?],
            unknown,
            points,
            texts: localised(&mut cursor)?,
        });
    }
    cursor.is_empty().then_some(CbhTrainingQuestion {
        seconds,
        points,
        question,
        hints,
        solutions,
    })
}

fn quotation(payload: &[u8]) -> Option<CbhQuotation<'_>> {
    let mut cursor = ByteCursor::new(payload);
    let size = usize::from(cursor.u16_be().ok()?);
    let kind = cursor.u16_be().ok()?;
    let flags = cursor.u16_be().ok()?;
    let start = match flags & 64 {
        0 => None,
        _ => Some(cursor.array::<{ CbhStartRecord::LENGTH }>().ok()?),
    };
    fn text<'a>(cursor: &mut ByteCursor<'a>) -> Option<&'a [u8]> {
        let length = cursor.u8().ok()?;
        let text = cursor.take(usize::from(length)).ok()?;
        cursor.skip(1).ok()?;
        Some(text)
    }
    let white = text(&mut cursor)?;
    let black = text(&mut cursor)?;
    let ratings = [cursor.u16_be().ok()?, cursor.u16_be().ok()?];
    let eco = cursor.u16_be().ok()?;
    let event = text(&mut cursor)?;
    let site = text(&mut cursor)?;
    let date = CbhDate(cursor.u32_be().ok()?);
    let mut tournament = [0; 4];
    for field in &mut tournament {
        *field = cursor.u16_be().ok()?;
    }
    let [minor, major, result] = cursor.array().ok()?;
    let unknown = cursor.u16_be().ok()?;
    let end = size.min(payload.len());
    Some(CbhQuotation {
        kind,
        start,
        names: [white, black, event, site],
        ratings,
        eco,
        date,
        tournament,
        round: [major, minor],
        result,
        unknown,
        moves: payload.get(cursor.position()..end).unwrap_or(&[]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_question_is_read_to_its_last_byte() {
        let mut payload = vec![1, 0, 1, 0, 0];
        payload.extend_from_slice(&300_u32.to_le_bytes());
        payload.extend_from_slice(&[10, 0, 1, 0, 0, 0, 2, 0, b'O', b'k']);
        payload.extend_from_slice(&[0, 0, 0, 0, 0, 0, 1, 33, 35, 0, 4, 0, 0]);
        payload[3] = u8::try_from(payload.len() - 3).expect("short");
        let question = training(&payload).expect("a question");
        assert_eq!((question.seconds, question.points), (300, 10));
        assert_eq!(question.question[0].bytes, b"Ok");
        assert_eq!(question.solutions[0].squares, [Square::E2, Square::E4]);
        for length in 0..payload.len() {
            assert_eq!(training(&payload[..length]), None);
        }
        payload.push(0);
        assert_eq!(training(&payload), None);
    }

    #[test]
    fn damaged_items_end_the_list() {
        let bytes = [0xff, 0xff, 0xff, 3, 0, 7, 1, 0, 0, 5, 2, 0, 5, 0, 0];
        let mut list = items(&bytes);
        let first = list.next().expect("one item");
        assert_eq!((first.place, first.kind, first.payload), (-1, 3, &[1][..]));
        assert_eq!(list.next(), None);
        assert_eq!(list.rest().len(), 8);
    }
}
