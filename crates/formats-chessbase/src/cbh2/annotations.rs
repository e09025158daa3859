//! Annotations: items at moves, each with a type that determines its size.
//!
//! [`Cbh2AnnotationCutter`] splits the content of a record into items. An item of an unknown type ends it, because the
//! beginning of the next one cannot be found. [`Cbh2Annotation::of`] returns the meaning of an item.

use shakmaty::Square;
use tabiya_io::bytes::ByteCursor;

use crate::cbh::annotations::{CbhAnnotation, CbhEvaluation, CbhTimeControlStage};
use crate::cbh::layout::{CbhDate, square_by_files};

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
    /// Four bytes without a known meaning.
    pub const UNKNOWN_08: u8 = 0x08;
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
    /// The name of a video.
    pub const VIDEO: u8 = 0x20;
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
    /// Two bytes without a known meaning.
    pub const UNKNOWN_27: u8 = 0x27;
}

/// The end of the items.
pub const END: i32 = i32::MAX;

/// An item: its move, its type, and the place of its content in the record.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2AnnotationSlot {
    /// The number of its move, -1 for the game as a whole.
    pub place: i32,
    /// Its type.
    pub kind: u8,
    /// Where its content begins.
    pub start: u32,
    /// The size of its content.
    pub length: u32,
}

/// Why items end before the end mark.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Cbh2AnnotationFault {
    /// A type that is not known.
    #[error("type {kind:02x} at move {place} is not known")]
    Kind {
        /// The type.
        kind: u16,
        /// The number of the move.
        place: i32,
    },
    /// An item of a known type that its bytes do not follow.
    #[error("an item of type {kind:02x} at move {place} is malformed")]
    Item {
        /// The type.
        kind: u16,
        /// The number of the move.
        place: i32,
    },
    /// An invalid move number.
    #[error("there is no move {0}")]
    Place(i32),
    /// The record ends too early.
    #[error("the record ends before its end mark")]
    Cut,
}

/// The rest of a record whose items end too early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cbh2AnnotationRest<'a> {
    /// Why.
    pub fault: Cbh2AnnotationFault,
    /// The number of the move at which it happened.
    pub place: i32,
    /// How many items were still announced there, the faulty one included.
    pub items: i32,
    /// The bytes from its type on.
    pub bytes: &'a [u8],
}

/// Cuts records into items.
#[derive(Clone, Debug)]
pub struct Cbh2AnnotationCutter<'a> {
    cursor: ByteCursor<'a>,
    place: i32,
    /// Items to come at this place.
    items: i32,
    /// The beginning of the current item.
    from: usize,
    fault: Option<Cbh2AnnotationFault>,
    is_done: bool,
}

impl<'a> Cbh2AnnotationCutter<'a> {
    /// Cuts the content of a frame.
    pub fn new(content: &'a [u8]) -> Cbh2AnnotationCutter<'a> {
        Cbh2AnnotationCutter {
            cursor: ByteCursor::new(content),
            place: -1,
            items: 0,
            from: 0,
            fault: None,
            is_done: false,
        }
    }

    /// The unsplit rest, if the items ended before the end mark.
    pub fn rest(&self) -> Option<Cbh2AnnotationRest<'a>> {
        let fault = self.fault?;
        Some(Cbh2AnnotationRest {
            fault,
            place: self.place,
            items: self.items,
            bytes: self.cursor.bytes().get(self.from..).unwrap_or(&[]),
        })
    }

    /// The bytes after the end mark.
    pub fn after(&self) -> &'a [u8] {
        match self.fault {
            None => self.cursor.rest(),
            Some(_) => &[],
        }
    }

    fn cut(&mut self) -> Result<Option<Cbh2AnnotationSlot>, Cbh2AnnotationFault> {
        let cut = |_| Cbh2AnnotationFault::Cut;
        while self.items == 0 {
            self.from = self.cursor.position();
            let place = self.cursor.i32_le().map_err(cut)?;
            if place == END {
                return Ok(None);
            }
            self.place = place;
            if place < -1 {
                return Err(Cbh2AnnotationFault::Place(place));
            }
            let items = self.cursor.i32_le().map_err(cut)?;
            if items < 0 {
                return Err(Cbh2AnnotationFault::Cut);
            }
            self.items = items;
        }
        self.from = self.cursor.position();
        let (word, place) = (self.cursor.u16_le().map_err(cut)?, self.place);
        let start = self.cursor.position();
        let unknown = Cbh2AnnotationFault::Kind { kind: word, place };
        let kind = u8::try_from(word).map_err(|_| unknown)?;
        match skip(kind, &mut self.cursor) {
            Ok(true) => {}
            Ok(false) => return Err(unknown),
            Err(_) => return Err(Cbh2AnnotationFault::Item { kind: word, place }),
        }
        self.items -= 1;
        let length = self.cursor.position() - start;
        Ok(Some(Cbh2AnnotationSlot {
            place,
            kind,
            start: u32::try_from(start).unwrap_or(u32::MAX),
            length: u32::try_from(length).unwrap_or(u32::MAX),
        }))
    }
}

impl Iterator for Cbh2AnnotationCutter<'_> {
    type Item = Cbh2AnnotationSlot;

    fn next(&mut self) -> Option<Cbh2AnnotationSlot> {
        if self.is_done {
            return None;
        }
        match self.cut() {
            Ok(Some(slot)) => return Some(slot),
            Ok(None) => {}
            Err(fault) => self.fault = Some(fault),
        }
        self.is_done = true;
        None
    }
}

/// A layout that bytes do not follow.
struct Cbh2LayoutError;

impl From<tabiya_io::bytes::OutOfBoundsError> for Cbh2LayoutError {
    fn from(_: tabiya_io::bytes::OutOfBoundsError) -> Cbh2LayoutError {
        Cbh2LayoutError
    }
}

/// A text with its length in front.
fn string<'a>(cursor: &mut ByteCursor<'a>) -> Result<&'a [u8], Cbh2LayoutError> {
    let length = usize::try_from(cursor.i32_le()?).map_err(|_| Cbh2LayoutError)?;
    Ok(cursor.take(length)?)
}

/// Passes over the content of an item; says whether its type is known.
fn skip(kind: u8, cursor: &mut ByteCursor<'_>) -> Result<bool, Cbh2LayoutError> {
    let size = match kind {
        kind::TEXT_AFTER | kind::TEXT_BEFORE | kind::VIDEO => {
            cursor.skip(4)?;
            string(cursor)?;
            0
        }
        kind::SYMBOLS => 3,
        kind::SQUARES | kind::ARROWS | kind::PIECE_PATH => {
            string(cursor)?;
            0
        }
        kind::TIME_SPENT | kind::UNKNOWN_08 => 4,
        kind::TRAINING => return training(cursor).map(|question| question.is_some()),
        kind::QUOTATION => {
            quotation(cursor)?;
            0
        }
        kind::PAWN_STRUCTURE | kind::CRITICAL => 1,
        kind::WHITE_CLOCK | kind::BLACK_CLOCK | kind::MEDALS => 4,
        kind::VARIATION_COLOUR | kind::STREAM_TIME => 4,
        kind::LINK => {
            cursor.skip(1)?;
            string(cursor)?;
            string(cursor)?;
            0
        }
        kind::EVALUATION => 6,
        kind::TIME_CONTROL => 38,
        kind::PROFILE => {
            cursor.skip(1)?;
            string(cursor)?;
            0
        }
        kind::UNKNOWN_27 => 2,
        _ => return Ok(false),
    };
    cursor.skip(size)?;
    Ok(true)
}

/// Whether bytes are the content of one item of a type, so that the next one is found behind them.
pub(super) fn is_whole(kind: u8, payload: &[u8]) -> bool {
    let mut cursor = ByteCursor::new(payload);
    matches!(skip(kind, &mut cursor), Ok(true)) && cursor.is_empty()
}

/// A text in a numbered language, or something to draw.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2TrainingPart<'a> {
    /// 7 arrows, 8 squares, anything else a text.
    pub kind: u16,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// One solution of a training question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cbh2TrainingSolution<'a> {
    /// A move.
    Move {
        /// From and to.
        squares: [u8; 2],
        /// A byte that may be a promotion.
        unknown: u8,
        /// Its points.
        points: u8,
        /// Its texts.
        texts: Vec<Cbh2TrainingPart<'a>>,
    },
    /// An answer in words or drawings.
    Answer {
        /// Its points.
        points: u8,
        /// The answer.
        answer: Vec<Cbh2TrainingPart<'a>>,
        /// The reply to it.
        reply: Vec<Cbh2TrainingPart<'a>>,
    },
}

/// A training question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cbh2TrainingQuestion<'a> {
    /// Whether its solutions are moves.
    pub has_moves: bool,
    /// The seconds to think.
    pub seconds: i32,
    /// Its points.
    pub points: i16,
    /// The question, and three lists of responses.
    pub lists: [Vec<Cbh2TrainingPart<'a>>; 4],
    /// The solutions.
    pub solutions: Vec<Cbh2TrainingSolution<'a>>,
}

fn parts<'a>(cursor: &mut ByteCursor<'a>) -> Result<Vec<Cbh2TrainingPart<'a>>, Cbh2LayoutError> {
    let mut list = Vec::new();
    for _ in 0..cursor.u16_le()? {
        let kind = cursor.u16_le()?;
        let bytes = string(cursor)?;
        list.push(Cbh2TrainingPart { kind, bytes });
    }
    Ok(list)
}

/// Reads a training question; nothing where it is of a variant that is not known.
fn training<'a>(
    cursor: &mut ByteCursor<'a>,
) -> Result<Option<Cbh2TrainingQuestion<'a>>, Cbh2LayoutError> {
    let [_, _, variant, ..] = cursor.array::<6>()?;
    if !matches!(variant, 1 | 2) {
        return Ok(None);
    }
    let (seconds, points) = (cursor.i32_le()?, cursor.u16_le()?.cast_signed());
    let lists = [
        parts(cursor)?,
        parts(cursor)?,
        parts(cursor)?,
        parts(cursor)?,
    ];
    let mut solutions = Vec::new();
    for _ in 0..cursor.u8()? {
        solutions.push(if variant == 1 {
            let [from, to, unknown, points] = cursor.array()?;
            Cbh2TrainingSolution::Move {
                squares: [from, to],
                unknown,
                points,
                texts: parts(cursor)?,
            }
        } else {
            Cbh2TrainingSolution::Answer {
                points: cursor.u8()?,
                answer: parts(cursor)?,
                reply: parts(cursor)?,
            }
        });
    }
    Ok(Some(Cbh2TrainingQuestion {
        has_moves: variant == 1,
        seconds,
        points,
        lists,
        solutions,
    }))
}

/// A quoted game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cbh2Quotation<'a> {
    /// 1 for its header, 2 with moves.
    pub mode: i16,
    /// White's last and first name, Black's, site and event.
    pub names: [&'a [u8]; 6],
    /// When it was played.
    pub date: CbhDate,
    /// The type and speed of its tournament, the nation and the number of rounds.
    pub tournament: [u8; 3],
    /// Ratings of White and Black, 0 for none.
    pub ratings: [u16; 2],
    /// The ECO code as in a header.
    pub eco: u16,
    /// The result as in a header.
    pub result: u8,
    /// The round and its sub-round; less than 1 for none.
    pub round: [i8; 2],
    /// The names of the lists of ratings.
    pub lists: [&'a [u8]; 2],
    /// The pieces of its custom starting position, one for each square by files.
    pub start: Option<&'a [u8]>,
    /// The moves, five bytes each.
    pub moves: &'a [[u8; 5]],
}

fn quotation<'a>(cursor: &mut ByteCursor<'a>) -> Result<Cbh2Quotation<'a>, Cbh2LayoutError> {
    cursor.skip(1)?;
    let mode = cursor.u16_le()?.cast_signed();
    cursor.skip(2 + 4 + 1)?;
    let mut names = [&[][..]; 6];
    for name in &mut names {
        // The length counts the zero at the end.
        let length = usize::from(cursor.u8()?);
        let bytes = cursor.take(length)?;
        *name = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    }
    let header = cursor.array::<35>()?;
    let more = cursor.array::<44>()?;
    let mut lists = [&[][..]; 2];
    for list in &mut lists {
        cursor.skip(5)?;
        *list = string(cursor)?;
    }
    cursor.skip(26)?;
    let start = match cursor.u8()? {
        0 => {
            let pieces = cursor.take(64)?;
            cursor.skip(11)?;
            Some(pieces)
        }
        _ => None,
    };
    cursor.skip(2)?;
    let count = usize::try_from(cursor.i32_le()?).map_err(|_| Cbh2LayoutError)?;
    let moves = cursor.take(count.checked_mul(5).ok_or(Cbh2LayoutError)?)?;
    cursor.skip(4)?;
    let [a, b, c, d, kind, _, nation, ..] = header;
    Ok(Cbh2Quotation {
        mode,
        names,
        date: CbhDate(u32::from_le_bytes([a, b, c, d])),
        tournament: [kind, nation, header[0x0a]],
        ratings: [
            u16::from_le_bytes([header[0x1c], header[0x1d]]),
            u16::from_le_bytes([header[0x1e], header[0x1f]]),
        ],
        eco: u16::from_le_bytes([header[0x20], header[0x21]]),
        result: header[0x22],
        round: [more[8].cast_signed(), more[9].cast_signed()],
        lists,
        start,
        moves: moves.as_chunks().0,
    })
}

/// A text with its language.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Cbh2TextAnnotation<'a> {
    /// Whether it is before its move.
    pub is_before: bool,
    /// A word without a known meaning, which is 0.
    pub unknown: u16,
    /// The number of its language.
    pub language: u16,
    /// The text in UTF-8 or a code page.
    pub bytes: &'a [u8],
}

/// The meaning of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cbh2Annotation<'a> {
    /// A text.
    Text(Cbh2TextAnnotation<'a>),
    /// The name of a video.
    Video(Cbh2TextAnnotation<'a>),
    /// A training question.
    Training(Cbh2TrainingQuestion<'a>),
    /// A quoted game.
    Quotation(Box<Cbh2Quotation<'a>>),
    /// A link with its address and its caption.
    Link([&'a [u8]; 2]),
    /// The meaning of a command in a comment, as in databases of the older format.
    Command(CbhAnnotation<'a>),
}

/// A square that counts by files from 1.
fn numbered_square(number: u8) -> Option<Square> {
    square_by_files(number.checked_sub(1)?)
}

impl<'a> Cbh2Annotation<'a> {
    /// The meaning of an item by its type and content; `None` if it is unknown.
    pub fn of(kind: u8, payload: &'a [u8]) -> Option<Cbh2Annotation<'a>> {
        let mut cursor = ByteCursor::new(payload);
        let note = match kind {
            kind::TEXT_AFTER | kind::TEXT_BEFORE | kind::VIDEO => {
                let (unknown, language) = (cursor.u16_le().ok()?, cursor.u16_le().ok()?);
                let text = Cbh2TextAnnotation {
                    is_before: kind == kind::TEXT_BEFORE,
                    unknown,
                    language,
                    bytes: string(&mut cursor).ok()?,
                };
                match kind {
                    kind::VIDEO => Cbh2Annotation::Video(text),
                    _ => Cbh2Annotation::Text(text),
                }
            }
            kind::TRAINING => Cbh2Annotation::Training(training(&mut cursor).ok()??),
            kind::QUOTATION => Cbh2Annotation::Quotation(Box::new(quotation(&mut cursor).ok()?)),
            kind::LINK => {
                let first = cursor.u8().ok()?;
                let texts = [string(&mut cursor).ok()?, string(&mut cursor).ok()?];
                match first {
                    1 => Cbh2Annotation::Link(texts),
                    _ => return None,
                }
            }
            _ => Cbh2Annotation::Command(command(kind, payload)?),
        };
        Some(note)
    }
}

/// What has the same meaning as in the older format.
fn command(kind: u8, payload: &[u8]) -> Option<CbhAnnotation<'_>> {
    let mut cursor = ByteCursor::new(payload);
    Some(match kind {
        kind::SYMBOLS => CbhAnnotation::Symbols(payload),
        kind::SQUARES => {
            let (pairs, rest) = string(&mut cursor).ok()?.as_chunks::<2>();
            let squares = pairs
                .iter()
                .map(|[colour, square]| Some((*colour, numbered_square(*square)?)));
            CbhAnnotation::Squares(squares.collect::<Option<_>>().filter(|_| rest.is_empty())?)
        }
        kind::ARROWS => {
            let (triples, rest) = string(&mut cursor).ok()?.as_chunks::<3>();
            let arrows = triples.iter().map(|[colour, from, to]| {
                Some((*colour, numbered_square(*from)?, numbered_square(*to)?))
            });
            CbhAnnotation::Arrows(arrows.collect::<Option<_>>().filter(|_| rest.is_empty())?)
        }
        kind::TIME_SPENT => {
            let [hundredths, seconds, minutes, hours] = *payload.first_chunk()?;
            CbhAnnotation::TimeSpent([hours, minutes, seconds, hundredths])
        }
        kind::PAWN_STRUCTURE => CbhAnnotation::PawnStructure(*payload.first()?),
        kind::PIECE_PATH => match *string(&mut cursor).ok()? {
            [number, square] => CbhAnnotation::PiecePath(number, numbered_square(square)?),
            _ => return None,
        },
        kind::WHITE_CLOCK | kind::BLACK_CLOCK => CbhAnnotation::Clock {
            is_white: kind == kind::WHITE_CLOCK,
            hundredths: u32::try_from(cursor.i32_le().ok()?).ok()?,
        },
        kind::CRITICAL => match *payload {
            [phase @ 0..=3] => CbhAnnotation::Critical(phase),
            _ => return None,
        },
        kind::EVALUATION => {
            let [a, b, c, d, e, f] = *payload.first_chunk()?;
            CbhAnnotation::Evaluation {
                value: i16::from_le_bytes([a, b]),
                kind: i16::from_le_bytes([c, d]),
                depth: i16::from_le_bytes([e, f]),
            }
        }
        kind::MEDALS => CbhAnnotation::Medals(cursor.u32_le().ok()?),
        kind::VARIATION_COLOUR => {
            let [red, green, blue, flags] = *payload.first_chunk()?;
            CbhAnnotation::VariationColour {
                flags,
                colour: [red, green, blue],
            }
        }
        kind::TIME_CONTROL => {
            let (first, rest) = payload.split_first()?;
            let (stages, rest) = rest.as_chunks::<11>();
            let [a, b, c] = stages else { return None };
            if *first != 1 || rest.iter().any(|byte| *byte != 0) {
                return None;
            }
            CbhAnnotation::TimeControl([a, b, c].map(stage))
        }
        kind::STREAM_TIME => CbhAnnotation::StreamTime(u32::try_from(cursor.i32_le().ok()?).ok()?),
        kind::PROFILE => {
            let first = cursor.u8().ok()?;
            let (count, values) = string(&mut cursor).ok()?.split_first_chunk::<2>()?;
            let (values, rest) = values.as_chunks::<4>();
            if first != 1
                || !rest.is_empty()
                || usize::from(u16::from_le_bytes(*count)) != values.len()
            {
                return None;
            }
            let values = values.iter().map(|[low, high, depth, flag]| CbhEvaluation {
                flag: *flag,
                depth: *depth,
                value: i16::from_le_bytes([*low, *high]),
            });
            CbhAnnotation::Profile(values.collect())
        }
        _ => return None,
    })
}

fn stage(bytes: &[u8; 11]) -> CbhTimeControlStage {
    let [a, b, c, d, e, f, g, h, i, j, kind] = *bytes;
    CbhTimeControlStage {
        start: u32::from_le_bytes([a, b, c, d]),
        increment: u32::from_le_bytes([e, f, g, h]),
        moves: u16::from_le_bytes([i, j]),
        kind,
    }
}

/// The letters of a text's language; `None` for 7, which is any, and for unknown numbers.
pub fn language(number: u16) -> Option<&'static str> {
    Some(match number {
        0 => "en",
        1 => "de",
        2 => "fr",
        3 => "es",
        4 => "it",
        5 => "nl",
        6 => "pt",
        12 => "pl",
        18 => "el",
        _ => return None,
    })
}

/// The mark of a text's language in a comment; empty for any language.
pub fn language_mark(number: u16) -> String {
    match (number, language(number)) {
        (7, _) => String::new(),
        (_, Some(letters)) => format!("[%lang {letters}] "),
        (number, None) => format!("[%lang {number}] "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(list: &[(i32, &[&[u8]])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (place, items) in list {
            bytes.extend_from_slice(&place.to_le_bytes());
            bytes.extend_from_slice(&(items.len() as i32).to_le_bytes());
            bytes.extend(items.concat());
        }
        bytes.extend_from_slice(&END.to_le_bytes());
        bytes
    }

    const SYMBOLS: &[u8] = &[3, 0, 1, 16, 0];
    const TEXT: &[u8] = &[2, 0, 0, 0, 7, 0, 2, 0, 0, 0, b'o', b'k'];

    #[test]
    fn items_are_cut_by_their_types() {
        let bytes = blocks(&[(-1, &[SYMBOLS, TEXT]), (4, &[TEXT])]);
        let mut cutter = Cbh2AnnotationCutter::new(&bytes);
        let found: Vec<_> = cutter
            .by_ref()
            .map(|slot| (slot.place, slot.kind))
            .collect();
        assert_eq!(found, [(-1, 3), (-1, 2), (4, 2)]);
        assert_eq!((cutter.rest(), cutter.after()), (None, &[][..]));
        // Cut anywhere, it says so, and the bytes that are left begin where an item or a block does.
        for length in 0..bytes.len() {
            let mut cutter = Cbh2AnnotationCutter::new(&bytes[..length]);
            let whole = cutter.by_ref().count();
            let rest = cutter.rest().expect("told");
            assert!(
                whole <= 3 && bytes[..length].ends_with(rest.bytes),
                "{length}"
            );
        }
    }

    #[test]
    fn an_unknown_type_ends_the_record_and_nothing_of_it_is_lost() {
        let bytes = blocks(&[(2, &[TEXT, &[0x1a, 0, 9, 9], SYMBOLS])]);
        let mut cutter = Cbh2AnnotationCutter::new(&bytes);
        assert_eq!(cutter.by_ref().count(), 1);
        let rest = cutter.rest().expect("told");
        let fault = Cbh2AnnotationFault::Kind {
            kind: 0x1a,
            place: 2,
        };
        assert_eq!((rest.fault, rest.place, rest.items), (fault, 2, 2));
        assert_eq!(rest.bytes, &bytes[8 + TEXT.len()..]);
    }

    #[test]
    fn counts_and_lengths_take_no_memory() {
        let mut bytes = 0_i32.to_le_bytes().to_vec();
        bytes.extend_from_slice(&(1_i32 << 30).to_le_bytes());
        let mut cutter = Cbh2AnnotationCutter::new(&bytes);
        assert_eq!(cutter.by_ref().count(), 0);
        assert_eq!(cutter.rest().expect("told").fault, Cbh2AnnotationFault::Cut);
        let mut long = TEXT.to_vec();
        long[6..10].copy_from_slice(&(1_i32 << 28).to_le_bytes());
        let bytes = blocks(&[(0, &[&long])]);
        let mut cutter = Cbh2AnnotationCutter::new(&bytes);
        assert_eq!(cutter.by_ref().count(), 0);
        let fault = cutter.rest().expect("told").fault;
        assert_eq!(fault, Cbh2AnnotationFault::Item { kind: 2, place: 0 });
    }
}
