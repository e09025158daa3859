//! Annotations as the bytes of their items.

use tabiya_model::charset::Charset;

use super::texts::{push_string, text_bytes};
use crate::cbh::annotations::{CbhAnnotation, CbhAnnotationItem};
use crate::cbh::encode::comments;
use crate::cbh::layout::number_by_files;
use crate::cbh2::annotations::kind;
use crate::cbh2::text;
use crate::encode::walk::CbhKeptNote;

/// The type and the content of an annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cbh2Note {
    pub(super) kind: u8,
    pub(super) payload: Vec<u8>,
}

impl Cbh2Note {
    pub(super) fn new(kind: u8, payload: Vec<u8>) -> Cbh2Note {
        Cbh2Note { kind, payload }
    }

    /// An annotation as it stood.
    pub(super) fn of_kept(kept: &CbhKeptNote<'_>) -> Cbh2Note {
        Cbh2Note::new(kept.kind, kept.payload.to_vec())
    }

    /// A text in a language; `unknown` is a word without a known meaning.
    pub(super) fn text(kind: u8, unknown: u16, language: u16, bytes: &[u8]) -> Cbh2Note {
        let mut payload = unknown.to_le_bytes().to_vec();
        payload.extend(language.to_le_bytes());
        push_string(&mut payload, bytes);
        Cbh2Note { kind, payload }
    }

    /// What the words of a command say; whether they are read as the same command is looked at by the caller.
    pub(super) fn of_command(name: &str, args: &str, is_white: bool) -> Option<Cbh2Note> {
        if name == "link" {
            return link(args);
        }
        // The words are those of the older format, whose bytes are others.
        Cbh2Note::of_older(comments::payload(name, args, is_white, None)?)
    }

    /// A profile of evaluations, with the depths of another command.
    pub(super) fn profile(values: &str, depths: &str) -> Option<Cbh2Note> {
        Cbh2Note::of_older(comments::profile_payload(values, depths)?)
    }

    fn of_older(note: comments::CbhNote) -> Option<Cbh2Note> {
        let item = CbhAnnotationItem {
            place: 0,
            kind: note.kind,
            payload: &note.payload,
        };
        Cbh2Note::of(&item.note()?)
    }

    /// An annotation that both formats have.
    fn of(note: &CbhAnnotation<'_>) -> Option<Cbh2Note> {
        let mut payload = Vec::new();
        let kind = match note {
            CbhAnnotation::Squares(squares) => {
                let bytes = squares
                    .iter()
                    .flat_map(|(colour, square)| [*colour, number_by_files(*square) + 1]);
                push_string(&mut payload, &bytes.collect::<Vec<u8>>());
                kind::SQUARES
            }
            CbhAnnotation::Arrows(arrows) => {
                let bytes = arrows.iter().flat_map(|(colour, from, to)| {
                    let [from, to] = [from, to].map(|square| number_by_files(*square) + 1);
                    [*colour, from, to]
                });
                push_string(&mut payload, &bytes.collect::<Vec<u8>>());
                kind::ARROWS
            }
            CbhAnnotation::TimeSpent([hours, minutes, seconds, hundredths]) => {
                payload.extend([*hundredths, *seconds, *minutes, *hours]);
                kind::TIME_SPENT
            }
            CbhAnnotation::PawnStructure(number) => {
                payload.push(*number);
                kind::PAWN_STRUCTURE
            }
            CbhAnnotation::PiecePath(number, square) => {
                push_string(&mut payload, &[*number, number_by_files(*square) + 1]);
                kind::PIECE_PATH
            }
            CbhAnnotation::Clock {
                is_white,
                hundredths,
            } => {
                payload.extend(i32::try_from(*hundredths).ok()?.to_le_bytes());
                match is_white {
                    true => kind::WHITE_CLOCK,
                    false => kind::BLACK_CLOCK,
                }
            }
            CbhAnnotation::Critical(phase) => {
                payload.push(*phase);
                kind::CRITICAL
            }
            CbhAnnotation::Evaluation { value, kind, depth } => {
                for number in [value, kind, depth] {
                    payload.extend(number.to_le_bytes());
                }
                kind::EVALUATION
            }
            CbhAnnotation::Medals(bits) => {
                payload.extend(bits.to_le_bytes());
                kind::MEDALS
            }
            CbhAnnotation::VariationColour { flags, colour } => {
                payload.extend(colour);
                payload.push(*flags);
                kind::VARIATION_COLOUR
            }
            CbhAnnotation::TimeControl(stages) => {
                payload.push(1);
                for stage in stages {
                    payload.extend(stage.start.to_le_bytes());
                    payload.extend(stage.increment.to_le_bytes());
                    payload.extend(stage.moves.to_le_bytes());
                    payload.push(stage.kind);
                }
                payload.extend([0; 4]);
                kind::TIME_CONTROL
            }
            CbhAnnotation::StreamTime(time) => {
                payload.extend(i32::try_from(*time).ok()?.to_le_bytes());
                kind::STREAM_TIME
            }
            CbhAnnotation::Profile(values) => {
                let mut bytes = u16::try_from(values.len()).ok()?.to_le_bytes().to_vec();
                for entry in values {
                    bytes.extend(entry.value.to_le_bytes());
                    bytes.extend([entry.depth, entry.flag]);
                }
                payload.push(1);
                push_string(&mut payload, &bytes);
                kind::PROFILE
            }
            CbhAnnotation::Text(_)
            | CbhAnnotation::Symbols(_)
            | CbhAnnotation::Training(_)
            | CbhAnnotation::Quotation(_)
            | CbhAnnotation::Link { .. } => return None,
        };
        Some(Cbh2Note { kind, payload })
    }

    /// The training question of a command.
    pub(super) fn training(args: &str, charset: Option<Charset>) -> Option<Cbh2Note> {
        let fields = comments::fields("tqu", args)?;
        let solutions = fields.len().checked_sub(4)? / 3;
        // The files of this format do not say the language of a question.
        if fields.len() != 4 + 3 * solutions || !fields.first()?.is_empty() {
            return None;
        }
        let list = |at: usize, payload: &mut Vec<u8>| -> Option<()> {
            let text = fields.get(at)?;
            let count = u16::from(!text.is_empty());
            payload.extend(count.to_le_bytes());
            if count > 0 {
                payload.extend([0; 2]);
                push_string(payload, &text_bytes(text, None, charset)?);
            }
            Some(())
        };
        let mut payload = vec![1, 1, 1, 0, 0, 0];
        payload.extend([0; 4 + 2]);
        for at in 1..4 {
            list(at, &mut payload)?;
        }
        payload.extend([0; 2]);
        payload.push(u8::try_from(solutions).ok()?);
        for number in 0..solutions {
            let squares = fields.get(4 + 3 * number)?;
            let (from, to) = squares.split_at_checked(2)?;
            let [from, to] = [from, to].map(|square| square.parse().ok().map(number_by_files));
            let points = fields.get(6 + 3 * number)?.parse().ok()?;
            payload.extend([from?, to?, 0, points]);
            list(5 + 3 * number, &mut payload)?;
        }
        Some(Cbh2Note::new(kind::TRAINING, payload))
    }
}

fn link(args: &str) -> Option<Cbh2Note> {
    let (address, caption) = args
        .strip_prefix('"')?
        .strip_suffix('"')?
        .split_once("\",\"")?;
    let mut payload = vec![1];
    for part in [address, caption] {
        // As the program has figurines.
        let part = text::with_private_figurines(part);
        push_string(&mut payload, part.as_bytes());
    }
    Some(Cbh2Note::new(kind::LINK, payload))
}
