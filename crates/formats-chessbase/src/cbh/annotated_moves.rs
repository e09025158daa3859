//! The annotations of a game: found, put in the order of their places, and written among the moves.

use shakmaty::Color;
use tabiya_model::charset::Charset;
use tabiya_model::command::CommentCommand;
use tabiya_model::game::StartingPosition;
use tabiya_model::{Game, GameNeeds, Location, Tape};

use super::annotations::{
    self, CbhAnnotation, CbhAnnotationItem, CbhTextAnnotation, CbhTrainingQuestion,
};
use super::base::CbhReader;
use super::layout::CbhAnnotationHead;
use super::moves::{CbhMoveTree, CbhTreeStep};
use super::record::CbhMoveRecord;
use super::scratch::{CbhAnnotationBuffers, CbhAnnotationSlot, CbhScratch};
use super::tables;
use super::text::{self, CbhTextEncoding};
use super::{codes, commands};
use crate::counted::{counted, counted_bytes};

/// More than this no record of annotations has: the largest known one has 45 KB.
const MOST_ANNOTATIONS: u32 = 16 << 20;

/// The extension of what is left where annotations are damaged.
pub(in crate::cbh) const ANNOTATIONS_EXTENSION: &str = "cbh.annotations";

/// The extension of an annotation, by its type.
pub(super) fn annotation_extension(kind: u8) -> String {
    format!("cbh.annotation-{kind:02x}")
}

/// A game whose moves are not there has its annotations at the start.
pub(super) fn push_notes_without_moves(
    base: &CbhReader,
    record: &CbhMoveRecord<'_>,
    notes: Option<&[u8]>,
    want: GameNeeds,
    scratch: &mut CbhScratch,
    game: &mut Game,
) {
    let Some(notes) = notes.filter(|_| want.annotations) else {
        return;
    };
    scratch.tree = CbhMoveTree::default();
    emit_notes(base, record, notes, want, scratch, game);
}

/// Puts the annotations in the order of their places.
fn place_notes(
    record: &CbhMoveRecord<'_>,
    all: &[u8],
    scratch: &mut CbhScratch,
    game: &mut Game,
) -> usize {
    let CbhScratch { tree, notes, .. } = scratch;
    let CbhAnnotationBuffers { slots, heads, .. } = notes;
    slots.clear();
    let mut at = 0_usize;
    let count = i32::try_from(tree.len()).unwrap_or(i32::MAX);
    let last = tree.main_line_len();
    let last = i32::try_from(last).unwrap_or(i32::MAX) - 1;
    for item in annotations::items(all) {
        let place = if (-1..count).contains(&item.place) {
            item.place
        } else {
            record.report(
                game,
                &codes::ANNOTATION_PLACE,
                0,
                format!(
                    "annotation of type {:02X} at move {}",
                    item.kind, item.place
                ),
            );
            last
        };
        let length = item.payload.len();
        slots.push(CbhAnnotationSlot {
            place,
            kind: item.kind,
            start: u32::try_from(at + 6).unwrap_or(u32::MAX),
            length: u16::try_from(length).unwrap_or(u16::MAX),
        });
        at += length + 6;
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
    at
}

/// Writes moves with their annotations.
pub(super) fn emit_notes(
    base: &CbhReader,
    record: &CbhMoveRecord<'_>,
    notes: &[u8],
    want: GameNeeds,
    scratch: &mut CbhScratch,
    game: &mut Game,
) {
    let whole = place_notes(record, notes, scratch, game);
    let mut tree = std::mem::take(&mut scratch.tree);
    let starts_black = match &game.start {
        StartingPosition::Standard => false,
        StartingPosition::Setup(board, _) => board.turn() == Color::Black,
    };
    let mut emitter = CbhAnnotationEmitter {
        base,
        notes,
        number: record.number,
        slots: &scratch.notes.slots,
        heads: &scratch.notes.heads,
        command: &mut scratch.notes.command,
        bytes: &mut scratch.notes.bytes,
        game,
    };
    emitter.at_start();
    let mut depth = 0_usize;
    // Plies of the lines around, to know who moves.
    let mut plies: Vec<u32> = Vec::new();
    let mut ply = u32::from(starts_black);
    tree.walk(|step| match step {
        CbhTreeStep::Move(number, m) => {
            if depth == 0 || want.variations {
                emitter.before(number);
                emitter.game.tape.push_move(m);
                emitter.after(number, ply % 2 == 0);
            }
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
    let rest = notes.get(whole..).unwrap_or(&[]);
    if !rest.is_empty() {
        record.report(
            game,
            &codes::BAD_ANNOTATION,
            0,
            counted(
                rest.len(),
                "byte is not an annotation",
                "bytes are not an annotation",
            ),
        );
        game.tape.push_extension(ANNOTATIONS_EXTENSION, rest);
    }
}

struct CbhAnnotationEmitter<'a, 'g> {
    base: &'a CbhReader,
    notes: &'a [u8],
    number: u64,
    slots: &'a [CbhAnnotationSlot],
    heads: &'a [u32],
    command: &'g mut String,
    bytes: &'g mut Vec<u8>,
    game: &'g mut Game,
}

impl<'a> CbhAnnotationEmitter<'a, '_> {
    /// The slots of a place, counted from 0 for the start.
    #[inline]
    fn slots(&self, place: usize) -> &'a [CbhAnnotationSlot] {
        let head = |at: usize| self.heads.get(at).map_or(0, |head| *head as usize);
        self.slots
            .get(head(place)..head(place.saturating_add(1)))
            .unwrap_or(&[])
    }

    fn item(&self, slot: &CbhAnnotationSlot) -> CbhAnnotationItem<'a> {
        let start = slot.start as usize;
        let payload = self.notes.get(start..start + usize::from(slot.length));
        CbhAnnotationItem {
            place: slot.place,
            kind: slot.kind,
            payload: payload.unwrap_or(&[]),
        }
    }

    fn at_start(&mut self) {
        let slots = self.slots(0);
        if !slots.is_empty() {
            self.push(slots, |_| true, true);
        }
    }

    fn before(&mut self, number: u32) {
        let slots = self.slots(number as usize + 1);
        if slots.is_empty() {
            return;
        }
        for slot in slots {
            if slot.kind != annotations::kind::TEXT_BEFORE {
                continue;
            }
            match self.item(slot).note() {
                Some(CbhAnnotation::Text(text)) => {
                    self.command.clear();
                    self.text(text);
                }
                _ => self.unknown(slot),
            }
        }
    }

    fn after(&mut self, number: u32, is_white: bool) {
        let slots = self.slots(number as usize + 1);
        if !slots.is_empty() {
            self.push(
                slots,
                |slot| slot.kind != annotations::kind::TEXT_BEFORE,
                is_white,
            );
        }
    }

    /// Symbols first, then all commands within the first text, then the other texts, and at last what has no words.
    fn push(
        &mut self,
        slots: &'a [CbhAnnotationSlot],
        wanted: impl Fn(&CbhAnnotationSlot) -> bool,
        is_white: bool,
    ) {
        self.command.clear();
        let mut has_texts = false;
        let mut kept = Vec::new();
        for slot in slots.iter().filter(|slot| wanted(slot)) {
            let item = self.item(slot);
            let Some(note) = item.note() else {
                kept.push((slot, true));
                continue;
            };
            match &note {
                CbhAnnotation::Symbols(_) => {
                    for nag in note.nags() {
                        self.game.tape.push_nag(nag);
                    }
                }
                CbhAnnotation::Text(_) => has_texts = true,
                CbhAnnotation::Training(question) => {
                    if !self.training(question) {
                        kept.push((slot, false));
                    }
                }
                CbhAnnotation::Quotation(_) => kept.push((slot, false)),
                CbhAnnotation::Link { address, caption } => {
                    let [address, caption] = [address, caption].map(|bytes| self.plain(bytes));
                    let has_quotes = address.contains('"') || caption.contains('"');
                    if has_quotes {
                        kept.push((slot, false));
                    }
                    let line = format!("[%link \"{address}\",\"{caption}\"]").replace('\n', " ");
                    if !has_quotes {
                        self.command.push_str(&line);
                    }
                }
                _ => {
                    if !note.command(is_white, self.command) {
                        kept.push((slot, false));
                    }
                }
            }
        }
        if !has_texts && !self.command.is_empty() {
            self.game.tape.push_comment(self.command);
            self.command.clear();
        }
        for slot in slots.iter().filter(|slot| wanted(slot)) {
            if !matches!(
                slot.kind,
                annotations::kind::TEXT_AFTER
                    | annotations::kind::TEXT_BEFORE
                    | annotations::kind::QUOTATION
            ) {
                continue;
            }
            match self.item(slot).note() {
                Some(CbhAnnotation::Text(text)) => {
                    let bytes = self.item(slot).payload.get(2..).unwrap_or(&[]);
                    if memchr::memchr(0, bytes).is_some() {
                        self.game.diagnostics.report(
                            &codes::BAD_ANNOTATION,
                            || Location::game(self.number),
                            || "a text holds zeros; only the part before them is read".to_owned(),
                        );
                    }
                    self.text(text);
                }
                Some(CbhAnnotation::Quotation(quotation)) => {
                    if quotation.kind == 2 {
                        self.game.diagnostics.report(
                            &codes::QUOTED_MOVES,
                            || Location::game(self.number),
                            || counted(quotation.moves.len(), "byte of moves", "bytes of moves"),
                        );
                    }
                    let line = quotation.line(|bytes| self.plain(bytes));
                    self.game.tape.push_comment(&line);
                }
                _ => {}
            }
        }
        for (slot, is_unknown) in kept {
            if is_unknown {
                self.unknown(slot);
            } else {
                let payload = self.item(slot).payload;
                let name = annotation_extension(slot.kind);
                self.game.tape.push_extension(&name, payload);
            }
        }
    }

    fn plain(&self, bytes: &[u8]) -> String {
        let charset = self.base.text_charset(0);
        text::text_of(bytes, text::read(bytes, charset)).into_owned()
    }

    /// A text with its language and the commands that wait.
    fn text(&mut self, note: CbhTextAnnotation<'_>) {
        let bytes = note.bytes;
        if note.nation != 0 {
            if !self.command.is_empty() {
                self.command.push(' ');
            }
            self.command
                .push_str(commands::language_mark(note.nation).trim_end());
        }
        if !self.command.is_empty() && !bytes.is_empty() {
            self.command.push(' ');
        }
        let reading = text::read(bytes, self.base.text_charset(note.nation));
        if let CbhTextEncoding::NotHebrew(text, _) = &reading {
            self.game.diagnostics.report(
                &codes::NOT_HEBREW,
                || Location::game(self.number),
                || format!("{text:?}"),
            );
        }
        push_text(
            &mut self.game.tape,
            self.command,
            bytes,
            reading,
            self.bytes,
        );
        self.command.clear();
        if note.unknown != 0 {
            // Nobody knows what the byte means, so that it is kept with its text.
            let kind = if note.is_before {
                annotations::kind::TEXT_BEFORE
            } else {
                annotations::kind::TEXT_AFTER
            };
            let payload = [&[note.unknown, note.nation], bytes].concat();
            self.game
                .tape
                .push_extension(&annotation_extension(kind), &payload);
        }
    }

    fn unknown(&mut self, slot: &CbhAnnotationSlot) {
        let payload = self.item(slot).payload;
        self.game.diagnostics.report(
            &codes::UNKNOWN_ANNOTATION,
            || Location::game(self.number),
            || format!("type {:02X}, {}", slot.kind, counted_bytes(payload.len())),
        );
        self.game
            .tape
            .push_extension(&annotation_extension(slot.kind), payload);
    }

    /// The question in the program's own words; says whether they say everything.
    fn training(&mut self, training: &CbhTrainingQuestion<'_>) -> bool {
        let charset = self.base.text_charset(0);
        training_words(training, charset, self.command)
    }
}

/// A training question in the program's own words, once for each language; says whether they say everything.
pub(super) fn training_words(
    training: &CbhTrainingQuestion<'_>,
    charset: Charset,
    out: &mut String,
) -> bool {
    let plain = |bytes: &[u8]| text::text_of(bytes, text::read(bytes, charset)).into_owned();
    let [hint, second, third] = &training.hints;
    let mut all = training.seconds == 0 && training.points == 0 && third.is_empty();
    let mut languages: Vec<u16> = Vec::new();
    let lists = [&training.question, hint, second];
    let solutions = training.solutions.iter().map(|solution| &solution.texts);
    for list in lists.into_iter().chain(solutions) {
        for text in list {
            if !languages.contains(&text.language) {
                languages.push(text.language);
            }
        }
    }
    if languages.is_empty() {
        languages.push(7);
    }
    for language in languages {
        let mut field = |list: &[annotations::CbhLocalisedText<'_>]| {
            let mut texts = list.iter().filter(|text| text.language == language);
            let text = texts.next().map_or(String::new(), |text| {
                let plain = plain(text.bytes);
                all &= !plain.contains(['"', '\r', '\n']);
                plain.replace('"', "'")
            });
            all &= texts.next().is_none();
            text
        };
        let name = tables::title_language(language).unwrap_or("");
        let mut fields = vec![name.to_owned()];
        fields.extend(lists.map(|list| field(list)));
        for solution in &training.solutions {
            let [from, to] = solution.squares;
            fields.push(format!("{from}{to}"));
            fields.push(field(&solution.texts));
            fields.push(solution.points.to_string());
        }
        all &= language <= 7 && training.solutions.iter().all(|it| it.unknown == 0);
        out.push_str(&CommentCommand::Training(fields).to_string());
    }
    all
}

/// Adds a text behind words of our own; its bytes ride along where it was not UTF-8.
pub(crate) fn push_text(
    tape: &mut Tape,
    prefix: &str,
    bytes: &[u8],
    reading: CbhTextEncoding<'_>,
    buffer: &mut Vec<u8>,
) {
    buffer.clear();
    match reading {
        CbhTextEncoding::Utf8(text) if prefix.is_empty() => {
            tape.push_comment(text);
        }
        CbhTextEncoding::Utf8(text) => {
            tape.push_comment(&[prefix, text].concat());
        }
        CbhTextEncoding::Bytes(charset) => {
            // The words are ASCII, which every code page agrees on.
            buffer.extend_from_slice(prefix.as_bytes());
            buffer.extend_from_slice(bytes);
            if prefix.is_ascii() {
                tape.push_comment_bytes(buffer, charset);
            } else {
                let text = [prefix, &charset.decode(bytes)].concat();
                tape.push_comment_decoded(&text, buffer, charset);
            }
        }
        CbhTextEncoding::Symbols(text, charset) | CbhTextEncoding::NotHebrew(text, charset) => {
            buffer.extend_from_slice(prefix.as_bytes());
            buffer.extend_from_slice(bytes);
            tape.push_comment_decoded(&[prefix, &text].concat(), buffer, charset);
        }
    }
}

/// Finds the bytes of a game's annotations behind their head; reports what is wrong with it.
pub(super) fn annotations_at<'a>(
    file: Option<&'a [u8]>,
    offset: u64,
    game: &mut Game,
) -> Option<&'a [u8]> {
    let number = game.origin.number;
    // A missing file was told once and for all.
    let file = file?;
    let place = || Location {
        byte: Some(offset),
        ..Location::game(number)
    };
    let size = file.len();
    let bytes = usize::try_from(offset).ok().and_then(|at| file.get(at..));
    let Some((bytes, head)) = bytes.and_then(|it| Some((it, CbhAnnotationHead::decode(it)?)))
    else {
        game.diagnostics
            .report(&codes::ANNOTATIONS_OUT_OF_RANGE, place, || {
                format!("the file has {}", counted_bytes(size))
            });
        return None;
    };
    if head.size > MOST_ANNOTATIONS || (head.size as usize) < CbhAnnotationHead::LENGTH {
        game.diagnostics
            .report(&codes::ANNOTATIONS_OUT_OF_RANGE, place, || {
                format!("the size {} is not valid", head.size)
            });
        return None;
    }
    let whole = head.size as usize;
    if bytes.len() < whole {
        let have = bytes.len();
        game.diagnostics
            .report(&codes::ANNOTATIONS_OUT_OF_RANGE, place, || {
                format!("{have} of {whole} bytes are within the file")
            });
    }
    let items = bytes
        .get(CbhAnnotationHead::LENGTH..whole.min(bytes.len()))
        .unwrap_or(&[]);
    let count = annotations::items(items).count() as u64;
    if u64::from(head.items) > count + 1 {
        let counted = u64::from(head.items) - 1;
        game.diagnostics
            .report(&codes::ANNOTATION_COUNT, place, || {
                format!("{count} of {counted} were found")
            });
    }
    if u64::from(head.game) != number
        || head.mark != CbhAnnotationHead::MARK
        || u64::from(head.items) != count + 1
    {
        game.diagnostics.report(&codes::ANNOTATION_HEAD, place, || {
            format!(
                "game {}, mark {:02x?}, items announced: {}, found: {count}",
                head.game,
                head.mark,
                head.items.wrapping_sub(1)
            )
        });
    }
    Some(items)
}
