//! The annotations of a game: found, put in the order of their places, and written among the moves.

use std::fmt::Write;

use shakmaty::Color;
use tabiya_model::command::CommentCommand;
use tabiya_model::game::StartingPosition;
use tabiya_model::{Game, GameNeeds, Location};

use super::annotations::{
    self, Cbh2Annotation, Cbh2AnnotationCutter, Cbh2AnnotationFault, Cbh2AnnotationRest,
    Cbh2AnnotationSlot, Cbh2Quotation, Cbh2TextAnnotation, Cbh2TrainingPart, Cbh2TrainingQuestion,
    Cbh2TrainingSolution, kind,
};
use super::codes;
use super::scratch::{Cbh2AnnotationBuffers, Cbh2Scratch};
use super::tags::round_text;
use super::text;
use crate::cbh::annotated_moves::push_text;
use crate::cbh::annotations::CbhAnnotation;
use crate::cbh::layout::{outcome, square_by_files};
use crate::cbh::moves::CbhTreeStep;
use crate::cbh::text::text_of;
use crate::counted::{counted, counted_bytes};
use tabiya_model::charset::Charset;

/// The extension of what is left where annotations cannot be read further: the number of the move and of the items that were
/// still announced there (four bytes each), then the bytes from the type on.
pub(super) const REST_EXTENSION: &str = "2cbh.annotations";
/// The extension of bytes behind the end mark.
pub(super) const AFTER_EXTENSION: &str = "2cbh.after-annotations";

/// The extension of an annotation, by its type.
pub(super) fn annotation_extension(kind: u8) -> String {
    format!("2cbh.annotation-{kind:02x}")
}

/// The annotations of a game, where they were found.
#[derive(Copy, Clone, Debug)]
pub(super) struct Cbh2AnnotationRecord<'a> {
    /// Where the record begins in the file.
    pub(super) offset: u64,
    /// Its content.
    pub(super) content: &'a [u8],
}

impl Cbh2AnnotationRecord<'_> {
    /// Whether there is nothing but the end mark.
    pub(super) fn is_empty(&self) -> bool {
        self.content == annotations::END.to_le_bytes()
    }
}

/// Cuts the annotations and puts them in the order of their places; what cannot be cut is told.
fn place_notes<'a>(
    record: &Cbh2AnnotationRecord<'a>,
    scratch: &mut Cbh2Scratch,
    game: &mut Game,
) -> (Option<Cbh2AnnotationRest<'a>>, &'a [u8]) {
    let Cbh2Scratch { tree, notes, .. } = scratch;
    let Cbh2AnnotationBuffers { slots, heads, .. } = notes;
    let number = game.origin.number;
    let place = |slot: &Cbh2AnnotationSlot| Location {
        byte: Some(record.offset.saturating_add(u64::from(slot.start))),
        ..Location::game(number)
    };
    slots.clear();
    let count = i32::try_from(tree.len()).unwrap_or(i32::MAX);
    // Behind the last move of the main line, whose number in the order of PGN is not its number in the tree.
    let mut last = None;
    let mut cutter = Cbh2AnnotationCutter::new(record.content);
    for mut slot in cutter.by_ref() {
        if slot.place >= count {
            game.diagnostics.report(
                &codes::ANNOTATION_PLACE,
                || place(&slot),
                || format!("type {:02x} at move {} of {count}", slot.kind, slot.place),
            );
            slot.place = *last.get_or_insert_with(|| {
                let (mut depth, mut at, mut last) = (0_usize, 0, -1);
                tree.walk(|step| match step {
                    CbhTreeStep::Move(..) => {
                        if depth == 0 {
                            last = at;
                        }
                        at += 1;
                    }
                    CbhTreeStep::Begin => depth += 1,
                    CbhTreeStep::End => depth = depth.saturating_sub(1),
                });
                last
            });
        }
        slots.push(slot);
    }
    if !slots.is_sorted_by_key(|slot| slot.place) {
        slots.sort_by_key(|slot| slot.place);
    }
    heads.clear();
    heads.resize(tree.len().saturating_add(2), 0);
    for slot in slots.iter() {
        let head = usize::try_from(slot.place.saturating_add(2)).unwrap_or(0);
        if let Some(head) = heads.get_mut(head) {
            *head += 1;
        }
    }
    let mut sum = 0;
    for head in heads.iter_mut() {
        sum += *head;
        *head = sum;
    }
    let rest = cutter.rest();
    let code = match rest.as_ref().map(|rest| rest.fault) {
        Some(Cbh2AnnotationFault::Kind { .. }) => Some(&codes::ANNOTATION_KIND),
        Some(_) => Some(&codes::BAD_ANNOTATION),
        None if cutter.after().is_empty() => None,
        None => Some(&codes::BAD_ANNOTATION),
    };
    if let Some(code) = code {
        let at = || Location {
            byte: Some(record.offset),
            ..Location::game(number)
        };
        game.diagnostics.report(code, at, || match &rest {
            Some(rest) => {
                let kept = counted(rest.bytes.len(), "byte is kept", "bytes are kept");
                format!("{}; {kept}", rest.fault)
            }
            None => counted(
                cutter.after().len(),
                "byte follows the end mark",
                "bytes follow the end mark",
            ),
        });
    }
    (rest, cutter.after())
}

/// Writes moves with their annotations.
pub(super) fn emit_notes(
    record: &Cbh2AnnotationRecord<'_>,
    charset: Charset,
    want: GameNeeds,
    scratch: &mut Cbh2Scratch,
    game: &mut Game,
) {
    let (rest, after) = place_notes(record, scratch, game);
    let mut tree = std::mem::take(&mut scratch.tree);
    let starts_black = match &game.start {
        StartingPosition::Standard => false,
        StartingPosition::Setup(board, _) => board.turn() == Color::Black,
    };
    let mut emitter = Cbh2AnnotationEmitter {
        content: record.content,
        charset,
        slots: &scratch.notes.slots,
        heads: &scratch.notes.heads,
        command: &mut scratch.notes.command,
        bytes: &mut scratch.notes.bytes,
        game,
    };
    emitter.command.clear();
    emitter.at_start();
    let mut depth = 0_usize;
    // Plies of the lines around, to know who moves.
    let mut plies: Vec<u32> = Vec::new();
    let mut ply = u32::from(starts_black);
    let mut number = 0_usize;
    tree.walk(|step| match step {
        CbhTreeStep::Move(_, m) => {
            if depth == 0 || want.variations {
                emitter.before(number);
                emitter.game.tape.push_move(m);
                emitter.after(number, ply % 2 == 0);
            }
            number += 1;
            ply = ply.wrapping_add(1);
        }
        CbhTreeStep::Begin => {
            plies.push(ply);
            ply = ply.wrapping_sub(1);
            depth += 1;
            if want.variations {
                emitter.game.tape.begin_variation();
            }
        }
        CbhTreeStep::End => {
            ply = plies.pop().unwrap_or(ply);
            depth = depth.saturating_sub(1);
            if want.variations {
                emitter.game.tape.end_variation();
            }
        }
    });
    scratch.tree = tree;
    if let Some(rest) = rest {
        let parts = [
            &rest.place.to_le_bytes()[..],
            &rest.items.to_le_bytes(),
            rest.bytes,
        ];
        game.tape.push_extension(REST_EXTENSION, &parts.concat());
    }
    if !after.is_empty() {
        game.tape.push_extension(AFTER_EXTENSION, after);
    }
}

struct Cbh2AnnotationEmitter<'a, 'g> {
    content: &'a [u8],
    charset: Charset,
    slots: &'a [Cbh2AnnotationSlot],
    heads: &'a [u32],
    command: &'g mut String,
    bytes: &'g mut Vec<u8>,
    game: &'g mut Game,
}

impl<'a> Cbh2AnnotationEmitter<'a, '_> {
    /// The slots of a place, counted from 0 for the start.
    #[inline]
    fn slots(&self, place: usize) -> &'a [Cbh2AnnotationSlot] {
        let head = |at: usize| self.heads.get(at).map_or(0, |head| *head as usize);
        self.slots
            .get(head(place)..head(place.saturating_add(1)))
            .unwrap_or(&[])
    }

    fn payload(&self, slot: &Cbh2AnnotationSlot) -> &'a [u8] {
        let start = slot.start as usize;
        let end = start.saturating_add(slot.length as usize);
        self.content.get(start..end).unwrap_or(&[])
    }

    fn at_start(&mut self) {
        let slots = self.slots(0);
        if !slots.is_empty() {
            self.push(slots, |_| true, true);
        }
    }

    fn before(&mut self, number: usize) {
        let slots = self.slots(number.saturating_add(1));
        for slot in slots {
            if slot.kind == kind::TEXT_BEFORE
                && let Some(Cbh2Annotation::Text(text)) =
                    Cbh2Annotation::of(slot.kind, self.payload(slot))
            {
                self.text(text);
            }
        }
    }

    fn after(&mut self, number: usize, is_white: bool) {
        let slots = self.slots(number.saturating_add(1));
        if !slots.is_empty() {
            let is_after = |slot: &Cbh2AnnotationSlot| slot.kind != kind::TEXT_BEFORE;
            self.push(slots, is_after, is_white);
        }
    }

    /// Symbols first, then all commands within the first text, then the other texts, and at last what has no words.
    fn push(
        &mut self,
        slots: &'a [Cbh2AnnotationSlot],
        is_wanted: impl Fn(&Cbh2AnnotationSlot) -> bool,
        is_white: bool,
    ) {
        let mut spoken = Vec::new();
        let mut kept = Vec::new();
        for slot in slots.iter().filter(|slot| is_wanted(slot)) {
            let Some(note) = Cbh2Annotation::of(slot.kind, self.payload(slot)) else {
                kept.push((slot, true));
                continue;
            };
            let is_said = match note {
                Cbh2Annotation::Command(note @ CbhAnnotation::Symbols(_)) => {
                    for nag in note.nags() {
                        self.game.tape.push_nag(nag);
                    }
                    true
                }
                note @ (Cbh2Annotation::Text(_)
                | Cbh2Annotation::Video(_)
                | Cbh2Annotation::Quotation(_)) => {
                    let is_text = matches!(note, Cbh2Annotation::Text(_));
                    spoken.push(note);
                    is_text
                }
                note => say(&note, is_white, self.charset, self.command),
            };
            if !is_said {
                kept.push((slot, false));
            }
        }
        // A quotation is a text of our own, to which nothing is added.
        if matches!(spoken.first(), None | Some(Cbh2Annotation::Quotation(_))) {
            self.flush();
        }
        for note in spoken {
            match note {
                Cbh2Annotation::Text(text) => self.text(text),
                // All of it is kept.
                Cbh2Annotation::Video(text) => self.text(Cbh2TextAnnotation { unknown: 0, ..text }),
                Cbh2Annotation::Quotation(quotation) => {
                    let line = quotation_line(&quotation, self.charset);
                    self.game.tape.push_comment(&line);
                }
                _ => {}
            }
        }
        for (slot, is_unknown) in kept {
            let payload = self.payload(slot);
            if is_unknown {
                let number = self.game.origin.number;
                self.game.diagnostics.report(
                    &codes::UNKNOWN_ANNOTATION,
                    || Location::game(number),
                    || format!("type {:02x}, {}", slot.kind, counted_bytes(payload.len())),
                );
            }
            let name = annotation_extension(slot.kind);
            self.game.tape.push_extension(&name, payload);
        }
    }

    /// Puts the commands that wait into a comment of their own.
    fn flush(&mut self) {
        if !self.command.is_empty() {
            self.game.tape.push_comment(self.command);
            self.command.clear();
        }
    }

    /// A text with its language and the commands that wait.
    fn text(&mut self, note: Cbh2TextAnnotation<'_>) {
        let mark = annotations::language_mark(note.language);
        if !mark.is_empty() {
            if !self.command.is_empty() {
                self.command.push(' ');
            }
            self.command.push_str(mark.trim_end());
        }
        if !self.command.is_empty() && !note.bytes.is_empty() {
            self.command.push(' ');
        }
        let reading = text::read(note.bytes, self.charset);
        push_text(
            &mut self.game.tape,
            self.command,
            note.bytes,
            reading,
            self.bytes,
        );
        self.command.clear();
        if note.unknown != 0 {
            // Nobody knows what the word means, so that it is kept beside its text.
            let kind = match note.is_before {
                true => kind::TEXT_BEFORE,
                false => kind::TEXT_AFTER,
            };
            let name = annotation_extension(kind);
            self.game
                .tape
                .push_extension(&name, &note.unknown.to_le_bytes());
        }
    }
}

/// Bytes as text.
pub(super) fn plain(bytes: &[u8], charset: Charset) -> String {
    text_of(bytes, text::read(bytes, charset)).into_owned()
}

/// Appends what is said of an item as a command; says whether nothing is missing. Texts, symbols and quotations are no commands.
pub(super) fn say(
    note: &Cbh2Annotation<'_>,
    is_white: bool,
    charset: Charset,
    out: &mut String,
) -> bool {
    match note {
        // A clock tells nearly what was shown at the end, and nothing about a move.
        Cbh2Annotation::Command(note @ CbhAnnotation::Clock { is_white, .. }) => {
            note.command(!is_white, out)
        }
        Cbh2Annotation::Command(note) => note.command(is_white, out),
        Cbh2Annotation::Link(link) => say_link(*link, charset, out),
        Cbh2Annotation::Training(question) => say_training(question, charset, out),
        Cbh2Annotation::Text(_) | Cbh2Annotation::Video(_) | Cbh2Annotation::Quotation(_) => false,
    }
}

/// A link as a command; says whether it could be said.
fn say_link(link: [&[u8]; 2], charset: Charset, out: &mut String) -> bool {
    let [address, caption] = link.map(|bytes| plain(bytes, charset));
    if address.contains('"') || caption.contains('"') {
        return false;
    }
    let line = format!("[%link \"{address}\",\"{caption}\"]");
    let is_one = !line.contains(['\r', '\n']);
    out.push_str(&line.replace(['\r', '\n'], " "));
    is_one
}

/// A question with moves in the program's own words; says whether they say everything.
fn say_training(question: &Cbh2TrainingQuestion<'_>, charset: Charset, out: &mut String) -> bool {
    if !question.has_moves {
        return false;
    }
    let [asked, hint, second, third] = &question.lists;
    let mut is_whole = question.seconds == 0 && question.points == 0 && third.is_empty();
    let mut fields = vec![String::new()];
    for list in [asked, hint, second] {
        is_whole &= training_field(list, charset, &mut fields);
    }
    for solution in &question.solutions {
        let Cbh2TrainingSolution::Move {
            squares,
            unknown,
            points,
            texts,
        } = solution
        else {
            return false;
        };
        let [Some(from), Some(to)] = squares.map(square_by_files) else {
            return false;
        };
        fields.push(format!("{from}{to}"));
        is_whole &= training_field(texts, charset, &mut fields) && *unknown == 0;
        fields.push(points.to_string());
    }
    let command = CommentCommand::Training(fields).to_string();
    out.push_str(&command);
    is_whole
}

/// Adds the text of a list; says whether that is all of it.
fn training_field(
    list: &[Cbh2TrainingPart<'_>],
    charset: Charset,
    fields: &mut Vec<String>,
) -> bool {
    let mut texts = list.iter().filter(|part| !is_drawing(part));
    let text = texts
        .next()
        .map_or(String::new(), |part| plain(part.bytes, charset));
    let is_whole = list.iter().all(|part| part.kind == 0)
        && texts.next().is_none()
        && !text.contains(['"', '\r', '\n']);
    fields.push(text.replace('"', "'"));
    is_whole
}

/// Whether a part of a question is something to draw.
fn is_drawing(part: &Cbh2TrainingPart<'_>) -> bool {
    match part.kind {
        7 => part.bytes.len().is_multiple_of(3),
        8 => part.bytes.len().is_multiple_of(2),
        _ => false,
    }
}

/// A quoted game as a line of text.
pub(super) fn quotation_line(quotation: &Cbh2Quotation<'_>, charset: Charset) -> String {
    let [
        white_last,
        white_first,
        black_last,
        black_first,
        site,
        event,
    ] = quotation.names.map(|bytes| plain(bytes, charset));
    let mut line = String::new();
    // Writing to a string cannot fail.
    for (last, first, rating, follows) in [
        (white_last, white_first, quotation.ratings[0], " - "),
        (black_last, black_first, quotation.ratings[1], ", "),
    ] {
        match (last.is_empty(), first.is_empty()) {
            (true, true) => line.push('?'),
            (_, true) => line.push_str(&last),
            _ => {
                let _ = write!(line, "{last}, {first}");
            }
        }
        if rating != 0 {
            let _ = write!(line, " ({rating})");
        }
        line.push_str(follows);
    }
    let (known, own) = outcome(quotation.result);
    line.push_str(own.unwrap_or(known.as_pgn()));
    for part in [event, site] {
        if !part.is_empty() {
            let _ = write!(line, ", {part}");
        }
    }
    let [round, sub] = quotation.round.map(i16::from);
    if round > 0 || sub > 0 {
        let _ = write!(line, " ({})", round_text(round, sub));
    }
    if !quotation.date.is_unknown() {
        let _ = write!(line, " {}", quotation.date.date());
    }
    line
}
