//! Records of `.cbg` and `.cba` as games: start, moves with their annotations, and the bodies of guiding texts.

use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};
use tabiya_model::board::{Board, Problems};
use tabiya_model::command::Command;
use tabiya_model::game::{Start, Variant};
use tabiya_model::{Code, Game, Place, Tape, Want};

use super::annotations::{self, Item, Note, Text, Training};
use super::codes;
use super::layout::{AnnotationHead, Chess960Record, MoveHead, StartRecord, square_by_files};
use super::moves::{self, At, Coder, Finding, Memory, Men, Rules, Step, Tree};
use super::reader::Reader;
use super::tables;
use super::tags::{self, Words};
use super::text::{self, HTML, Reading};

/// More than this no record of annotations has: the largest known one has 45 KB.
const MOST_ANNOTATIONS: u32 = 16 << 20;

/// The extension of moves that could not be read.
pub const MOVES_EXTENSION: &str = "cbh.moves";
/// The extension of bytes after the moves.
pub const AFTER_EXTENSION: &str = "cbh.after-moves";
/// The extension of a whole record of the header file that is neither game nor text.
pub const RECORD_EXTENSION: &str = "cbh.record";
/// The extension of the body of a guiding text.
pub const TEXT_EXTENSION: &str = "cbh.text";
/// The extension of what is left where annotations are damaged.
pub const ANNOTATIONS_EXTENSION: &str = "cbh.annotations";

/// The extension of an annotation, by its type.
pub fn annotation_extension(kind: u8) -> String {
    format!("cbh.annotation-{kind:02x}")
}

/// Where an annotation stands in the bytes of its record.
#[derive(Copy, Clone, Debug)]
struct Slot {
    place: i32,
    kind: u8,
    start: u32,
    length: u16,
}

/// Buffers of one reading thread.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) words: Words,
    tree: Tree,
    memory: Memory,
    slots: Vec<Slot>,
    /// For each place from −1 on, where its slots begin.
    heads: Vec<u32>,
    command: String,
    bytes: Vec<u8>,
}

/// What stands in the record of a game's moves.
pub(super) struct MoveRecord<'a> {
    /// The number of the game.
    pub(super) number: u64,
    /// Where the record begins in the file.
    pub(super) offset: u64,
    /// Its head and all its bytes, the head included.
    pub(super) head: MoveHead,
    pub(super) bytes: &'a [u8],
}

impl MoveRecord<'_> {
    fn report(&self, game: &mut Game, code: &'static Code, byte: usize, message: String) {
        game.diagnostics.report(
            code,
            || Place {
                byte: Some(self.offset.saturating_add(byte as u64)),
                ..Place::game(self.number)
            },
            || message,
        );
    }
}

/// Where the moves begin in a record, the board before them, and its data of Chess960.
struct Beginning {
    at: usize,
    board: Board,
    chess960: Option<Chess960Record>,
}

/// Reads what stands before the moves. `Err` names what is wrong and where.
fn beginning(record: &MoveRecord<'_>) -> Result<(Beginning, Option<StartRecord>), (usize, String)> {
    let mut at = MoveHead::LENGTH;
    let is_chess960 = matches!(record.head.mode(), 10 | 11);
    if !record.head.has_start() {
        let beginning = Beginning {
            at,
            board: Board::standard(),
            chess960: None,
        };
        return Ok((beginning, None));
    }
    let cut = || (at, "the record ends within it".to_owned());
    let bytes = record.bytes.get(at..).and_then(|rest| rest.first_chunk());
    let start = StartRecord::decode(bytes.ok_or_else(cut)?)
        .ok_or_else(|| (at, "a man has a number without a meaning".to_owned()))?;
    at += StartRecord::LENGTH;
    let mut chess960 = None;
    if is_chess960 {
        let cut = || (at, "the record ends within the data of Chess960".to_owned());
        let bytes = record.bytes.get(at..).and_then(|rest| rest.first_chunk());
        chess960 = Some(Chess960Record::decode(bytes.ok_or_else(cut)?));
        at += Chess960Record::LENGTH;
    }
    let board = start_board(&start, chess960, 0).0;
    let beginning = Beginning {
        at,
        board,
        chess960,
    };
    Ok((beginning, Some(start)))
}

/// The bit of a castling right.
fn right_bit(color: Color, side: CastlingSide) -> u8 {
    match (color, side) {
        (Color::White, CastlingSide::QueenSide) => 1,
        (Color::White, CastlingSide::KingSide) => 2,
        (Color::Black, CastlingSide::QueenSide) => 4,
        (Color::Black, CastlingSide::KingSide) => 8,
    }
}

/// The board of a start position, with further castling rights than it names.
fn start_board(
    start: &StartRecord,
    chess960: Option<Chess960Record>,
    granted: u8,
) -> (Board, Problems) {
    let mut setup = start.setup();
    let mut rooks = Bitboard::EMPTY;
    for (color, side) in [Color::White, Color::Black]
        .into_iter()
        .flat_map(|color| CastlingSide::ALL.map(|side| (color, side)))
    {
        if (start.castling | granted) & right_bit(color, side) == 0 {
            continue;
        }
        let back = color.fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth);
        let is_rook = |square: &Square| {
            square.rank() == back && setup.board.piece_at(*square) == Some(color.rook())
        };
        let named = chess960.and_then(|data| {
            let place = match (color, side) {
                (Color::White, CastlingSide::KingSide) => 0,
                (Color::White, CastlingSide::QueenSide) => 1,
                (Color::Black, CastlingSide::KingSide) => 2,
                (Color::Black, CastlingSide::QueenSide) => 3,
            };
            square_by_files(data.rooks.get(place).copied()?).filter(is_rook)
        });
        let rook = named.or_else(|| match chess960 {
            // The outermost rook of the wing.
            Some(_) => {
                let king = setup.board.king_of(color)?;
                let beyond = |square: &Square| match side {
                    CastlingSide::KingSide => *square > king,
                    CastlingSide::QueenSide => *square < king,
                };
                let mut squares: Vec<Square> = (0..8)
                    .map(|file| Square::from_coords(shakmaty::File::new(file), back))
                    .filter(|square| is_rook(square) && beyond(square))
                    .collect();
                if side == CastlingSide::QueenSide {
                    squares.reverse();
                }
                squares.pop()
            }
            None => {
                let file = match side {
                    CastlingSide::KingSide => shakmaty::File::H,
                    CastlingSide::QueenSide => shakmaty::File::A,
                };
                Some(Square::from_coords(file, back))
            }
        });
        rooks.extend(rook);
    }
    setup.castling_rights = rooks;
    if (1..=8).contains(&start.ep_file) {
        let rank = start
            .turn
            .fold_wb(shakmaty::Rank::Sixth, shakmaty::Rank::Third);
        let file = shakmaty::File::new(u32::from(start.ep_file) - 1);
        let mut with = setup.clone();
        with.ep_square = Some(Square::from_coords(file, rank));
        let (board, problems) = Board::from_setup(&with);
        // The byte is not always meaningful.
        if board.pseudo_legal_ep_square().is_some() {
            return (board, problems);
        }
    }
    Board::from_setup(&setup)
}

/// Reads the moves of a game, and its annotations where `notes` gives the bytes behind their head and their place.
pub(super) fn read_moves(
    base: &Reader,
    record: &MoveRecord<'_>,
    notes: Option<&[u8]>,
    want: Want,
    scratch: &mut Scratch,
    game: &mut Game,
) {
    let mode = record.head.mode();
    if matches!(mode, 10 | 11) {
        game.variant = Variant::Chess960;
    }
    let (mut beginning, start) = match beginning(record) {
        Ok(found) => found,
        Err((at, problem)) => {
            record.report(game, &codes::BAD_START, at, problem);
            keep_moves(record, MoveHead::LENGTH, want, game);
            push_notes_without_moves(base, record, notes, want, scratch, game);
            return;
        }
    };
    let Some(coder) = Coder::of(mode) else {
        if let Some(start) = &start {
            set_start(record, start, &beginning, 0, game);
        }
        record.report(
            game,
            &codes::UNKNOWN_MODE,
            0,
            format!("mode {mode}, {} bytes", record.bytes.len()),
        );
        keep_moves(record, beginning.at, want, game);
        push_notes_without_moves(base, record, notes, want, scratch, game);
        return;
    };
    if !want.moves {
        // What the moves say of castling rights is needed for the start position alone.
        let granted = match &start {
            Some(_) => missing_rights(record, &beginning, coder, base, scratch),
            None => 0,
        };
        if let Some(start) = &start {
            set_start(record, start, &beginning, granted, game);
        }
        return;
    }
    if let Some(start) = &start {
        let granted = missing_rights(record, &beginning, coder, base, scratch);
        if granted != 0 {
            beginning.board = start_board(start, beginning.chess960, granted).0;
        }
        set_start(record, start, &beginning, granted, game);
    }
    let mut findings = Vec::new();
    let men = match start {
        None => STANDARD.clone(),
        Some(_) => Men::of(&beginning.board, beginning.chess960),
    };
    let has_notes = want.annotations && notes.is_some();
    let rules = Rules {
        coder,
        // Which annotation belongs to which move is known only when all moves are.
        variations: want.variations || has_notes,
        depth: base.options().limits.depth,
    };
    let stream = record.bytes.get(beginning.at..).unwrap_or(&[]);
    let understood = moves::decode(
        stream,
        men,
        want.verify.then_some(&beginning.board),
        rules,
        &mut scratch.memory,
        &mut scratch.tree,
        &mut |at, finding| findings.push((at, finding)),
    );
    let mut kept_after = 0;
    for (at, finding) in findings {
        kept_after = kept_after.max(tell(record, beginning.at, at, finding, game));
    }
    match notes.filter(|_| has_notes) {
        None if want.variations => emit_moves(&mut scratch.tree, &mut game.tape),
        None => emit_main_line(&mut scratch.tree, &mut game.tape),
        Some(notes) => emit_notes(base, record, notes, want, scratch, game),
    }
    if want.annotations {
        if let Some(rest) = stream.get(understood..).filter(|rest| !rest.is_empty()) {
            game.tape.push_extension(MOVES_EXTENSION, rest);
        } else if kept_after > 0 {
            let from = stream.len().saturating_sub(kept_after);
            let after = stream.get(from..).unwrap_or(&[]);
            game.tape.push_extension(AFTER_EXTENSION, after);
        }
    }
}

/// The men of the normal start.
static STANDARD: std::sync::LazyLock<Men> =
    std::sync::LazyLock::new(|| Men::of(&Board::standard(), None));

/// The castling rights that a start position lacks and its game uses, where king and rook stand for them.
fn missing_rights(
    record: &MoveRecord<'_>,
    beginning: &Beginning,
    coder: Coder,
    base: &Reader,
    scratch: &mut Scratch,
) -> u8 {
    let mut missing = 0;
    let rules = Rules {
        coder,
        variations: true,
        depth: base.options().limits.depth,
    };
    moves::decode(
        record.bytes.get(beginning.at..).unwrap_or(&[]),
        Men::of(&beginning.board, beginning.chess960),
        Some(&beginning.board),
        rules,
        &mut scratch.memory,
        &mut scratch.tree,
        &mut |_, finding| {
            if let Finding::NoRight { color, short } = finding {
                let side = CastlingSide::from_king_side(short);
                let back = color.fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth);
                let at = |file| {
                    beginning
                        .board
                        .piece_at(Square::from_coords(file, back))
                        .filter(|man| man.color == color)
                        .map(|man| man.role)
                };
                let rook = if short {
                    shakmaty::File::H
                } else {
                    shakmaty::File::A
                };
                let stands = beginning.chess960.is_some()
                    || (at(shakmaty::File::E) == Some(Role::King) && at(rook) == Some(Role::Rook));
                if stands && beginning.board.castling_rook(color, side).is_none() {
                    missing |= right_bit(color, side);
                }
            }
        },
    );
    missing
}

fn set_start(
    record: &MoveRecord<'_>,
    start: &StartRecord,
    beginning: &Beginning,
    granted: u8,
    game: &mut Game,
) {
    let (board, problems) = start_board(start, beginning.chess960, granted);
    if granted != 0 {
        record.report(
            game,
            &codes::GRANTED_RIGHT,
            MoveHead::LENGTH + 2,
            format!(
                "rights {} became {}",
                start.castling,
                start.castling | granted
            ),
        );
    }
    if !problems.is_empty() {
        record.report(
            game,
            &codes::ODD_START,
            MoveHead::LENGTH,
            format!("{problems}: {}", board.to_fen()),
        );
    }
    if game.variant == Variant::Standard && board.is_chess960() {
        game.variant = Variant::Chess960;
    }
    game.start = Start::Setup(Box::new(board), problems);
}

fn keep_moves(record: &MoveRecord<'_>, from: usize, want: Want, game: &mut Game) {
    if want.moves && want.annotations {
        let rest = record.bytes.get(from..).unwrap_or(&[]);
        game.tape.push_extension(MOVES_EXTENSION, rest);
    }
}

/// Reports a finding; says how many bytes after the moves are to be kept.
fn tell(record: &MoveRecord<'_>, base: usize, at: At, finding: Finding, game: &mut Game) -> usize {
    let place = || Place {
        byte: Some(record.offset.saturating_add((base + at.byte) as u64)),
        ..Place::game(record.number).at_ply(at.ply)
    };
    let (code, message) = match finding {
        Finding::Illegal(m) => (&codes::ILLEGAL_MOVE, format!("{m:?} is kept")),
        Finding::NoRight { .. } => (
            &codes::ILLEGAL_MOVE,
            "castling without the right to is kept".to_owned(),
        ),
        Finding::UnknownCode(code) => (&codes::UNKNOWN_CODE, format!("code {code}")),
        Finding::Filler => (&codes::FILLER, "code 236".to_owned()),
        Finding::NoEnd => (
            &codes::NO_END,
            "the record ends without the mark of its end".to_owned(),
        ),
        Finding::Fault(fault) => (&codes::BAD_MOVE, fault.to_string()),
        Finding::After(bytes) => {
            game.diagnostics
                .report(&codes::BYTES_AFTER_END, place, || format!("{bytes} bytes"));
            return bytes;
        }
    };
    game.diagnostics.report(code, place, || message);
    0
}

fn emit_moves(tree: &mut Tree, tape: &mut Tape) {
    tree.walk(|step| match step {
        Step::Move(_, m) => tape.push_move(m),
        Step::Begin => tape.begin_variation(),
        Step::End => {
            tape.end_variation();
        }
    });
}

fn emit_main_line(tree: &mut Tree, tape: &mut Tape) {
    let mut depth = 0_usize;
    tree.walk(|step| match step {
        Step::Move(_, m) if depth == 0 => tape.push_move(m),
        Step::Move(..) => {}
        Step::Begin => depth += 1,
        Step::End => depth = depth.saturating_sub(1),
    });
}

/// A game whose moves are not there has its annotations at the start.
pub(super) fn push_notes_without_moves(
    base: &Reader,
    record: &MoveRecord<'_>,
    notes: Option<&[u8]>,
    want: Want,
    scratch: &mut Scratch,
    game: &mut Game,
) {
    let Some(notes) = notes.filter(|_| want.annotations) else {
        return;
    };
    scratch.tree = Tree::default();
    emit_notes(base, record, notes, want, scratch, game);
}

/// Puts the annotations in the order of their places.
fn place_notes(
    record: &MoveRecord<'_>,
    notes: &[u8],
    scratch: &mut Scratch,
    game: &mut Game,
) -> usize {
    let Scratch {
        tree, slots, heads, ..
    } = scratch;
    slots.clear();
    let mut at = 0_usize;
    let count = i32::try_from(tree.len()).unwrap_or(i32::MAX);
    let last = tree.main_line_len();
    let last = i32::try_from(last).unwrap_or(i32::MAX) - 1;
    for item in annotations::items(notes) {
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
        slots.push(Slot {
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
fn emit_notes(
    base: &Reader,
    record: &MoveRecord<'_>,
    notes: &[u8],
    want: Want,
    scratch: &mut Scratch,
    game: &mut Game,
) {
    let whole = place_notes(record, notes, scratch, game);
    let mut tree = std::mem::take(&mut scratch.tree);
    let starts_black = match &game.start {
        Start::Standard => false,
        Start::Setup(board, _) => board.turn() == Color::Black,
    };
    let mut emitter = Emitter {
        base,
        notes,
        number: record.number,
        slots: &scratch.slots,
        heads: &scratch.heads,
        command: &mut scratch.command,
        bytes: &mut scratch.bytes,
        game,
    };
    emitter.at_start();
    let mut depth = 0_usize;
    // Half-moves of the lines around, to know who moves.
    let mut plies: Vec<u32> = Vec::new();
    let mut ply = u32::from(starts_black);
    tree.walk(|step| match step {
        Step::Move(number, m) => {
            if depth == 0 || want.variations {
                emitter.before(number);
                emitter.game.tape.push_move(m);
                emitter.after(number, ply % 2 == 0);
            }
            ply = ply.wrapping_add(1);
        }
        Step::Begin => {
            plies.push(ply);
            ply = ply.wrapping_sub(1);
            depth += 1;
            if want.variations {
                emitter.game.tape.begin_variation();
            }
        }
        Step::End => {
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
            format!("{} bytes are no annotation", rest.len()),
        );
        game.tape.push_extension(ANNOTATIONS_EXTENSION, rest);
    }
}

struct Emitter<'a, 'g> {
    base: &'a Reader,
    notes: &'a [u8],
    number: u64,
    slots: &'a [Slot],
    heads: &'a [u32],
    command: &'g mut String,
    bytes: &'g mut Vec<u8>,
    game: &'g mut Game,
}

impl<'a> Emitter<'a, '_> {
    /// The slots of a place, counted from 0 for the start.
    #[inline]
    fn slots(&self, place: usize) -> &'a [Slot] {
        let head = |at: usize| self.heads.get(at).map_or(0, |head| *head as usize);
        self.slots
            .get(head(place)..head(place.saturating_add(1)))
            .unwrap_or(&[])
    }

    fn item(&self, slot: &Slot) -> Item<'a> {
        let start = slot.start as usize;
        let payload = self.notes.get(start..start + usize::from(slot.length));
        Item {
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
                Some(Note::Text(text)) => {
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
    fn push(&mut self, slots: &'a [Slot], wanted: impl Fn(&Slot) -> bool, is_white: bool) {
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
                Note::Symbols(_) => {
                    for nag in note.nags() {
                        self.game.tape.push_nag(nag);
                    }
                }
                Note::Text(_) => has_texts = true,
                Note::Training(question) => {
                    if !self.training(question) {
                        kept.push((slot, false));
                    }
                }
                Note::Quotation(_) => kept.push((slot, false)),
                Note::Link { address, caption } => {
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
                Some(Note::Text(text)) => self.text(text),
                Some(Note::Quotation(quotation)) => {
                    if quotation.kind == 2 {
                        self.game.diagnostics.report(
                            &codes::QUOTED_MOVES,
                            || Place::game(self.number),
                            || format!("{} bytes of moves", quotation.moves.len()),
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
    fn text(&mut self, note: Text<'_>) {
        let bytes = note.bytes;
        if note.nation != 0 {
            if !self.command.is_empty() {
                self.command.push(' ');
            }
            self.command
                .push_str(annotations::language_mark(note.nation).trim_end());
        }
        if !self.command.is_empty() && !bytes.is_empty() {
            self.command.push(' ');
        }
        let reading = text::read(bytes, self.base.text_charset(note.nation));
        if let Reading::NotHebrew(text, _) = &reading {
            self.game.diagnostics.report(
                &codes::NOT_HEBREW,
                || Place::game(self.number),
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

    fn unknown(&mut self, slot: &Slot) {
        let payload = self.item(slot).payload;
        self.game.diagnostics.report(
            &codes::UNKNOWN_ANNOTATION,
            || Place::game(self.number),
            || format!("type {:02X}, {} bytes", slot.kind, payload.len()),
        );
        self.game
            .tape
            .push_extension(&annotation_extension(slot.kind), payload);
    }

    /// The question in the program's own words, once for each language; says whether they say everything.
    fn training(&mut self, training: &Training<'_>) -> bool {
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
            let mut field = |list: &[annotations::Localised<'_>]| {
                let mut texts = list.iter().filter(|text| text.language == language);
                let text = texts.next().map_or(String::new(), |text| {
                    let plain = self.plain(text.bytes);
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
            self.command
                .push_str(&Command::Training(fields).to_string());
        }
        all
    }
}

/// Adds a text behind words of our own; its bytes ride along where it was not UTF-8.
fn push_text(
    tape: &mut Tape,
    prefix: &str,
    bytes: &[u8],
    reading: Reading<'_>,
    buffer: &mut Vec<u8>,
) {
    buffer.clear();
    match reading {
        Reading::Utf8(text) if prefix.is_empty() => {
            tape.push_comment(text);
        }
        Reading::Utf8(text) => {
            tape.push_comment(&[prefix, text].concat());
        }
        Reading::Bytes(charset) => {
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
        Reading::Symbols(text, charset) | Reading::NotHebrew(text, charset) => {
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
    let place = || Place {
        byte: Some(offset),
        ..Place::game(number)
    };
    let size = file.len();
    let bytes = usize::try_from(offset).ok().and_then(|at| file.get(at..));
    let Some((bytes, head)) = bytes.and_then(|it| Some((it, AnnotationHead::decode(it)?))) else {
        game.diagnostics
            .report(&codes::ANNOTATIONS_OUT_OF_RANGE, place, || {
                format!("the file has {size} bytes")
            });
        return None;
    };
    if head.size > MOST_ANNOTATIONS || (head.size as usize) < AnnotationHead::LENGTH {
        game.diagnostics
            .report(&codes::ANNOTATIONS_OUT_OF_RANGE, place, || {
                format!("the size {} is none", head.size)
            });
        return None;
    }
    let whole = head.size as usize;
    if bytes.len() < whole {
        let have = bytes.len();
        game.diagnostics
            .report(&codes::ANNOTATIONS_OUT_OF_RANGE, place, || {
                format!("{have} of {whole} bytes lie within the file")
            });
    }
    let items = bytes
        .get(AnnotationHead::LENGTH..whole.min(bytes.len()))
        .unwrap_or(&[]);
    let count = annotations::items(items).count() as u64;
    if u64::from(head.game) != number
        || head.mark != AnnotationHead::MARK
        || u64::from(head.items) != count + 1
    {
        game.diagnostics.report(&codes::ANNOTATION_HEAD, place, || {
            format!(
                "game {}, mark {:02x?}, {} items announced and {count} found",
                head.game,
                head.mark,
                head.items.wrapping_sub(1)
            )
        });
    }
    Some(items)
}

/// Reads the body of a guiding text.
pub(super) fn read_text(base: &Reader, record: &MoveRecord<'_>, want: Want, game: &mut Game) {
    let body = record.bytes.get(MoveHead::LENGTH..).unwrap_or(&[]);
    let (guiding, fault) = text::guiding(body);
    if let Some(fault) = fault {
        record.report(game, &codes::BAD_TEXT, MoveHead::LENGTH, fault);
    }
    let charset = base.text_charset(0);
    for (language, title) in &guiding.titles {
        let name = tags::title_tag(*language);
        match text::read(title, charset) {
            Reading::Utf8(title) => game.tags.push(&name, title),
            Reading::Bytes(charset) => game.tags.push_bytes(name.as_bytes(), title, charset),
            Reading::Symbols(text, charset) | Reading::NotHebrew(text, charset) => {
                game.tags.push_decoded(&name, &text, title, charset);
            }
        }
    }
    if !want.annotations {
        return;
    }
    let mut buffer = Vec::new();
    for content in &guiding.contents {
        let mark = match tables::title_language(content.language) {
            Some(letters) => format!("[%lang {letters}] "),
            None => String::new(),
        };
        let reading = text::read(content.text, charset);
        if guiding.format == HTML {
            let html = text::text_of(content.text, reading);
            let plain = text::plain_of_html(&html);
            game.tape.push_comment(&[&mark, &*plain].concat());
        } else {
            push_text(&mut game.tape, &mark, content.text, reading, &mut buffer);
        }
    }
    game.tape.push_extension(TEXT_EXTENSION, body);
}

/// The tags of a start position and its variant, which the moves decide.
pub(super) fn push_start_tags(game: &mut Game) {
    if let Start::Setup(board, _) = &game.start {
        game.tags.push("SetUp", "1");
        game.tags.push("FEN", &board.to_fen());
    }
    if game.variant == Variant::Chess960 {
        game.tags.push("Variant", "Chess960");
    }
}
