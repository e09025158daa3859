//! One game's record: decrypted, and turned into a game.

use std::fmt::Write as _;

use shakmaty::{CastlingSide, Color, Role, Square};
use tabiya_model::board::Problems;
use tabiya_model::charset::Charset;
use tabiya_model::eco::Eco;
use tabiya_model::game::{FLAGS_TAG, Origin, Start};
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Game, Move, Place, Want};

use super::codes;
use super::layout::{self, BOARD_BYTES, Checksum, HEADER_BYTES, Header};
use super::moves::{EnPassant, Numbered, move_of};
use super::text::{
    Comment, Comments, decode_comment, decode_name, join_players, join_source, nag_of,
    split_players, split_source, symbol_name,
};
use super::turned::{Reach, Turned};
use super::{ECO_TAG, PLAYERS_TAG, RESULT_TAG, SOURCE_TAG, VERSION_TAG};

/// The start of a variation in the move area.
pub(super) const BEGIN: u8 = 0xff;
/// The end of a variation in the move area.
pub(super) const END: u8 = 0x80;
/// The extension that holds bytes of moves which could not be read.
pub(super) const MOVES_EXTENSION: &str = "cbf.moves";
/// The extension that holds records of comments which belong to no move.
pub(super) const COMMENTS_EXTENSION: &str = "cbf.comments";
/// The extension that holds the three symbols of a move, where one has no NAG.
pub(super) const SYMBOLS_EXTENSION: &str = "cbf.symbols";
/// How many bytes a message shows.
const SHOWN_BYTES: usize = 256;

/// Buffers that a reader keeps from game to game.
#[derive(Default)]
pub(crate) struct Scratch {
    texts: Vec<u8>,
    moves: Vec<u8>,
    outer: Vec<Line>,
    quick: Quick,
}

/// What the quick way keeps.
#[derive(Default)]
struct Quick {
    reach: Reach,
    /// The positions after and before the last move of each outer line.
    outer: Vec<(Turned, Turned)>,
}

/// A line that is being read.
#[derive(Clone)]
struct Line {
    now: Board,
    before: Board,
    en_passant: EnPassant,
    en_passant_before: EnPassant,
    ply: u32,
    replaceable: bool,
}

impl Line {
    fn new(board: Board, en_passant: EnPassant, ply: u32) -> Line {
        Line {
            before: board.clone(),
            now: board,
            en_passant,
            en_passant_before: en_passant,
            ply,
            replaceable: false,
        }
    }
}

/// The areas of a record, as far as the file has them.
pub(super) struct Areas<'a> {
    pub header: Header,
    pub texts: &'a [u8],
    pub moves: &'a [u8],
    pub comments: &'a [u8],
    /// The board, wholly there or not.
    pub board: &'a [u8],
    /// Whether everything is there.
    pub is_whole: bool,
}

impl<'a> Areas<'a> {
    /// Cuts a record into its areas; nothing where not even the header is there.
    pub(super) fn new(data: &'a [u8], offset: u64) -> Option<Areas<'a>> {
        let rest = data.get(usize::try_from(offset).ok()?..)?;
        let (bytes, mut rest) = rest.split_first_chunk::<HEADER_BYTES>()?;
        let header = Header::decrypt(*bytes);
        let mut take = |length: usize| {
            let (area, tail) = rest.split_at(length.min(rest.len()));
            rest = tail;
            (area, area.len() == length)
        };
        let (texts, a) = take(header.texts_len());
        let (moves, b) = take(header.moves_len().unwrap_or(0));
        let (comments, c) = take(header.comments_len());
        let (board, d) = take(if header.is_setup() { BOARD_BYTES } else { 0 });
        Some(Areas {
            header,
            texts,
            moves,
            comments,
            board,
            is_whole: a && b && c && d,
        })
    }

    /// The bytes that are there.
    pub(super) fn len(&self) -> usize {
        HEADER_BYTES + self.texts.len() + self.moves.len() + self.comments.len() + self.board.len()
    }

    /// Decrypts the texts into a buffer.
    pub(super) fn decrypt_texts(&self, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(self.texts);
        layout::crypt_texts(buffer, self.header.texts_len());
    }

    /// Decrypts the moves into a buffer.
    pub(super) fn decrypt_moves(&self, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(self.moves);
        layout::crypt_moves(buffer, self.header.moves_len().unwrap_or(0));
    }

    /// The start position with what is odd about it; nothing where the board is cut.
    fn setup(&self) -> Option<(Board, Problems, u32)> {
        let bytes: &[u8; BOARD_BYTES] = self.board.try_into().ok()?;
        let (setup, unknown) = layout::read_setup(&self.header, bytes);
        let (board, problems) = Board::from_setup(&setup);
        Some((board, problems, unknown))
    }

    /// The normal start or the set-up position.
    pub(super) fn start(&self) -> Option<(Board, EnPassant)> {
        if !self.header.is_setup() {
            return Some((Board::standard(), EnPassant::default()));
        }
        let (board, _, _) = self.setup()?;
        Some((board, EnPassant::new(self.header.en_passant_file())))
    }
}

/// What is decided once for a database.
#[derive(Copy, Clone)]
pub(super) struct Rules {
    pub charset: Charset,
    pub audit: bool,
}

/// The two players and the source of a decrypted text buffer.
pub(super) fn texts_of(header: Header, texts: &[u8]) -> (&[u8], &[u8]) {
    texts.split_at(header.players_len().min(texts.len()))
}

/// Reads the record at an offset into a game.
pub(super) fn read(
    data: &[u8],
    number: u64,
    offset: u64,
    rules: Rules,
    want: Want,
    scratch: &mut Scratch,
    game: &mut Game,
) {
    game.clear();
    game.origin = Origin {
        number,
        byte: offset,
        length: 0,
        line: 0,
    };
    let place = || Place {
        game: Some(number),
        byte: Some(offset),
        ..Place::default()
    };
    let Some(areas) = Areas::new(data, offset) else {
        let left = (data.len() as u64).saturating_sub(offset);
        let (code, message) = if left == 0 {
            let message = format!("the file ends at byte {}", data.len());
            (&codes::OFFSET, message)
        } else {
            let message = format!("only {left} bytes of the header are there; nothing was read");
            (&codes::RECORD_CUT, message)
        };
        game.diagnostics.report(code, place, || message);
        finish_empty(game);
        return;
    };
    let header = areas.header;
    game.origin.length = areas.len() as u64;
    if !areas.is_whole {
        game.diagnostics.report(&codes::RECORD_CUT, place, || {
            format!(
                "{} of {} bytes are there (texts {} of {}, moves {} of {}, comments {} of {}, board {})",
                areas.len(),
                header.record_len(),
                areas.texts.len(),
                header.texts_len(),
                areas.moves.len(),
                header.moves_len().unwrap_or(0),
                areas.comments.len(),
                header.comments_len(),
                if !header.is_setup() {
                    "none"
                } else if areas.board.len() == BOARD_BYTES {
                    "there"
                } else {
                    "cut"
                },
            )
        });
    }
    if header.checksum() == Checksum::Wrong {
        game.diagnostics
            .report(&codes::CHECKSUM, place, || "read as it is".to_owned());
    }
    if header.moves_len().is_none() {
        game.diagnostics.report(&codes::HEADER, place, || {
            "the length of the moves is 0; read as a game without moves".to_owned()
        });
    }
    areas.decrypt_texts(&mut scratch.texts);
    let start = read_start(&areas, game, &place);
    read_tags(header, &scratch.texts, rules, game, &place);
    if !want.moves {
        return;
    }
    areas.decrypt_moves(&mut scratch.moves);
    let Some((board, en_passant)) = start else {
        if !scratch.moves.is_empty() {
            game.tape.push_extension(MOVES_EXTENSION, &scratch.moves);
        }
        if areas.comments.len() > 1 {
            game.tape.push_extension(COMMENTS_EXTENSION, areas.comments);
        }
        return;
    };
    let (comments, begins_well) = Comments::new(areas.comments);
    if !begins_well && want.annotations {
        game.diagnostics.report(&codes::COMMENTS, place, || {
            "the comments do not begin with their mark".to_owned()
        });
    }
    scratch.outer.clear();
    let movetext = Movetext {
        area: &scratch.moves,
        comments,
        rules,
        want,
        place: &place,
        game,
        outer: &mut scratch.outer,
        missing: 0,
        has_variations: memchr::memchr(BEGIN, &scratch.moves).is_some(),
    };
    movetext.read(board, en_passant, &mut scratch.quick);
    if rules.audit {
        let moves = game.tape.plies().div_ceil(2);
        let expected = u8::try_from(moves).unwrap_or(u8::MAX);
        if expected != header.move_count() {
            game.diagnostics.report(&codes::MOVE_COUNT, place, || {
                format!("{} where the main line has {moves}", header.move_count())
            });
        }
    }
}

/// A game of which nothing is known.
fn finish_empty(game: &mut Game) {
    for name in tabiya_model::tags::ROSTER {
        game.tags
            .push(name, tabiya_model::tag_name::missing_value(name));
    }
    game.outcome = Some(Outcome::Unknown);
}

/// Reads the set-up position; nothing where it is not there.
fn read_start(
    areas: &Areas<'_>,
    game: &mut Game,
    place: &impl Fn() -> Place,
) -> Option<(Board, EnPassant)> {
    if !areas.header.is_setup() {
        return Some((Board::standard(), EnPassant::default()));
    }
    let (board, problems, unknown) = areas.setup()?;
    let odd = Problems::BAD_CASTLING | Problems::BAD_EN_PASSANT;
    let corrected = problems != problems.without(odd);
    if unknown != 0 || corrected || areas.header.en_passant_file() > 8 {
        game.diagnostics.report(&codes::SETUP, place, || {
            let mut message = problems.to_string();
            if unknown != 0 {
                let _ = write!(message, "; squares that hold no man: {unknown}");
            }
            if areas.header.en_passant_file() > 8 {
                let file = areas.header.en_passant_file();
                let _ = write!(message, "; en passant file {file}");
            }
            message.trim_start_matches("; ").to_owned()
        });
    }
    let en_passant = EnPassant::new(areas.header.en_passant_file());
    game.start = Start::Setup(Box::new(board.clone()), problems);
    Some((board, en_passant))
}

/// Adds the tags that the header and the texts give.
fn read_tags(
    header: Header,
    texts: &[u8],
    rules: Rules,
    game: &mut Game,
    place: &impl Fn() -> Place,
) {
    let charset = rules.charset;
    let (players, source) = texts_of(header, texts);
    let (white, black) = split_players(players);
    let (event, round) = split_source(source);
    let tags = &mut game.tags;
    let known = |value: &'static str, text: &[u8]| {
        if text.is_empty() { Some(value) } else { None }
    };
    match known("?", &event) {
        Some(unknown) => tags.push("Event", unknown),
        None => tags.push_bytes(b"Event", &event, charset),
    }
    tags.push("Site", "?");
    match header.year() {
        None => tags.push("Date", "????.??.??"),
        Some(year) => {
            let mut date = *b"0000.??.??";
            digits(year, &mut date[..4]);
            tags.push("Date", std::str::from_utf8(&date).unwrap_or("????.??.??"));
        }
    }
    tags.push("Round", if round.is_empty() { "?" } else { &round });
    for (tag, name) in [("White", white), ("Black", black)] {
        match (known("?", name), decode_name(name, charset)) {
            (Some(unknown), _) => tags.push(tag, unknown),
            (None, Some(text)) => tags.push_decoded(tag, &text, name, charset),
            (None, None) => tags.push_bytes(tag.as_bytes(), name, charset),
        }
    }
    let outcome = match header.result() {
        0 => Outcome::BlackWins,
        1 => Outcome::Draw,
        2 => Outcome::WhiteWins,
        _ => Outcome::Unknown,
    };
    tags.push("Result", outcome.as_pgn());
    game.outcome = Some(outcome);
    for (color, tag) in [(Color::White, "WhiteElo"), (Color::Black, "BlackElo")] {
        if let Some(elo) = header.elo(color) {
            let mut text = *b"0000";
            digits(elo, &mut text);
            tags.push(tag, std::str::from_utf8(&text).unwrap_or(""));
        }
    }
    let eco_is_odd = read_eco(header, tags);
    if let Start::Setup(board, _) = &game.start {
        tags.push("FEN", &board.to_fen());
        tags.push("SetUp", "1");
    }
    match (header.is_deleted(), header.is_marked()) {
        (true, true) => tags.push(FLAGS_TAG, "DU"),
        (true, false) => tags.push(FLAGS_TAG, "D"),
        (false, true) => tags.push(FLAGS_TAG, "U"),
        (false, false) => {}
    }
    if let Some(symbol) = symbol_name(header.symbol()) {
        tags.push(RESULT_TAG, symbol);
    }
    if !header.version() {
        tags.push(VERSION_TAG, "0");
    }
    // The texts as they stand, where the names would be joined into others.
    if join_players(white, black) != players {
        tags.push_bytes(PLAYERS_TAG.as_bytes(), players, charset);
    }
    if join_source(&event, &round) != source {
        tags.push_bytes(SOURCE_TAG.as_bytes(), source, charset);
    }
    if eco_is_odd {
        let (main, sub) = header.eco();
        tags.push(ECO_TAG, &format!("{main}/{sub}"));
        game.diagnostics.report(&codes::ECO, place, || {
            format!("main number {main}, sub-code {sub}")
        });
    }
}

/// Adds the ECO tag; says whether the numbers are no code.
fn read_eco(header: Header, tags: &mut tabiya_model::Tags) -> bool {
    let (main, sub) = header.eco();
    let Some(index) = main.checked_sub(1) else {
        return sub != 0;
    };
    let (Some(eco), true) = (Eco::from_index(index), sub < 100) else {
        return true;
    };
    let mut text = *b"A00/00";
    text[0] = u8::try_from(eco.letter()).unwrap_or(b'?');
    digits(u16::from(eco.number()), &mut text[1..3]);
    digits(u16::from(sub), &mut text[4..]);
    let shown = if sub == 0 { &text[..3] } else { &text[..] };
    tags.push("ECO", std::str::from_utf8(shown).unwrap_or(""));
    false
}

/// Fills a field with a decimal number.
fn digits(mut number: u16, field: &mut [u8]) {
    for digit in field.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
}

/// The move area on its way to the tape.
struct Movetext<'a, P> {
    area: &'a [u8],
    comments: Comments<'a>,
    rules: Rules,
    want: Want,
    place: &'a P,
    game: &'a mut Game,
    outer: &'a mut Vec<Line>,
    /// Comments that were announced and are not there.
    missing: u32,
    has_variations: bool,
}

impl<P: Fn() -> Place> Movetext<'_, P> {
    fn read(mut self, board: Board, en_passant: EnPassant, quick: &mut Quick) {
        let comments = self.comments;
        if let Some(start) = Turned::new(&board, en_passant)
            && let Some(end) = self.read_quickly(start, quick)
        {
            if end < self.area.len() {
                self.after_end(end + 1);
            }
            self.finish_comments();
            return;
        }
        self.comments = comments;
        self.game.tape.clear();
        self.read_with_reasons(Line::new(board, en_passant, 0));
    }

    /// Reads the moves and gives the place of their end mark, if nothing at all is odd about them.
    fn read_quickly(&mut self, start: Turned, quick: &mut Quick) -> Option<usize> {
        let Quick { reach, outer } = quick;
        outer.clear();
        // The position before the last move stands only where a variation follows.
        let (mut now, mut before, mut replaceable) = (start.clone(), start, false);
        let mut at = 0;
        loop {
            let byte = self.area.get(at).copied().unwrap_or(0);
            at += 1;
            match byte {
                BEGIN => {
                    if self.area.get(at) == Some(&END) || !self.want.variations {
                        at = self.pass_over(at, false);
                    } else if replaceable {
                        outer.push((now, before.clone()));
                        now = before.clone();
                        replaceable = false;
                        self.game.tape.begin_variation();
                    } else {
                        return None;
                    }
                }
                END => {
                    if !now.is_sound() {
                        return None;
                    }
                    (now, before) = outer.pop()?;
                    replaceable = true;
                    self.game.tape.end_variation();
                }
                0 => break,
                byte => {
                    if self.area.get(at) == Some(&BEGIN) {
                        before = now.clone();
                        replaceable = true;
                    }
                    self.game.tape.push_move(now.advance(byte & 0x7f, reach)?);
                    if byte & 0x80 != 0 && self.want.annotations {
                        let comment = self.comments.next()?;
                        if !self.push_symbols(comment) {
                            return None;
                        }
                        self.push_comment(comment);
                    }
                }
            }
        }
        (outer.is_empty() && now.is_sound()).then_some(at - 1)
    }

    fn read_with_reasons(mut self, mut line: Line) {
        let mut at = 0;
        while let Some(&byte) = self.area.get(at) {
            at += 1;
            match byte {
                BEGIN => {
                    let is_empty = self.area.get(at) == Some(&END);
                    if is_empty || !self.want.variations {
                        at = self.pass_over(at, false);
                    } else if !line.replaceable {
                        self.variations(&line, "a variation stands where it replaces no move");
                        at = self.pass_over(at, true);
                    } else {
                        let inner = Line::new(
                            line.before.clone(),
                            line.en_passant_before,
                            line.ply.saturating_sub(1),
                        );
                        self.outer.push(std::mem::replace(&mut line, inner));
                        self.game.tape.begin_variation();
                    }
                }
                END => match self.outer.pop() {
                    Some(outer) => {
                        line = outer;
                        self.game.tape.end_variation();
                    }
                    None => self.variations(&line, "the end of a variation that was not opened"),
                },
                0 => {
                    self.after_end(at);
                    break;
                }
                byte => {
                    let number = u32::from(byte & 0x7f);
                    if let Err(why) = self.play(&mut line, number) {
                        let from = at - 1;
                        let end = self.line_end(from);
                        let rest = self.area.get(from..end).unwrap_or_default();
                        self.illegal(&line, from, &why, rest);
                        self.game.tape.push_extension(MOVES_EXTENSION, rest);
                        at = end;
                        self.pass_comments(rest);
                    } else if byte & 0x80 != 0 {
                        self.annotate();
                    }
                }
            }
        }
        if !self.outer.is_empty() {
            if self.area.len() <= at && self.area.last() != Some(&0) {
                self.variations(&line, "a variation is not closed");
            }
            while self.outer.pop().is_some() {
                self.game.tape.end_variation();
            }
        }
        self.finish_comments();
    }

    /// Plays the move of a number, or says why not.
    #[inline]
    fn play(&mut self, line: &mut Line, number: u32) -> Result<(), Why> {
        let m = match move_of(&line.now, line.en_passant, number) {
            Numbered::Move(m) => m,
            Numbered::Phantom => return Err(Why::Phantom(number)),
            Numbered::Beyond(count) => return Err(Why::Beyond(number, count)),
        };
        if m.is_castle() && self.want.verify {
            self.check_castle(line, m)?;
        }
        if self.has_variations {
            line.before.clone_from(&line.now);
            line.en_passant_before = line.en_passant;
        }
        if self.want.verify {
            line.now.play(m);
            if line.now.is_exposed() {
                return Err(Why::Check(m));
            }
        } else {
            line.now.play_legal(m);
        }
        line.en_passant = line.en_passant.after(m);
        line.ply = line.ply.saturating_add(1);
        line.replaceable = true;
        self.game.tape.push_move(m);
        Ok(())
    }

    #[inline(never)]
    fn check_castle(&mut self, line: &Line, m: Move) -> Result<(), Why> {
        let board = &line.now;
        if castle_is_attacked(board, m) {
            return Err(Why::Check(m));
        }
        let allowed = m.castling_side().and_then(|side| board.find_castle(side));
        if allowed != Some(m) {
            let (place, ply) = (self.place, line.ply);
            self.game.diagnostics.report(
                &codes::CASTLING_RIGHT,
                || place().at_ply(ply),
                || format!("{m:?} was kept"),
            );
        }
        Ok(())
    }

    /// Adds what the next comment record says.
    fn annotate(&mut self) {
        if !self.want.annotations {
            return;
        }
        let Some(comment) = self.comments.next() else {
            self.missing += 1;
            return;
        };
        if !self.push_symbols(comment) {
            self.game
                .tape
                .push_extension(SYMBOLS_EXTENSION, &comment.symbols);
            self.game
                .diagnostics
                .report(&codes::SYMBOL, self.place, || {
                    format!("codes {:?}", comment.symbols)
                });
        }
        self.push_comment(comment);
    }

    /// Adds the NAGs of a comment's symbols; says whether all of them are known.
    fn push_symbols(&mut self, comment: Comment<'_>) -> bool {
        let mut known = true;
        for (symbol, code) in comment.symbols.into_iter().enumerate() {
            match nag_of(symbol, code) {
                Some(nag) => self.game.tape.push_nag(nag),
                None => known &= code == 0,
            }
        }
        known
    }

    fn push_comment(&mut self, comment: Comment<'_>) {
        if comment.text.is_empty() {
            return;
        }
        let charset = self.rules.charset;
        let tape = &mut self.game.tape;
        match decode_comment(comment.text, charset) {
            None => tape.push_comment_bytes(comment.text, charset),
            Some(text) => tape.push_comment_decoded(&text, comment.text, charset),
        };
    }

    /// The index after the end mark of the line at `at`, or the index of the mark where `at` is in a variation.
    fn line_end(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for (index, byte) in self.area.iter().enumerate().skip(at) {
            match *byte {
                BEGIN => depth += 1,
                END if depth == 0 && !self.outer.is_empty() => return index,
                END => depth = depth.saturating_sub(1),
                0 => return index,
                _ => {}
            }
        }
        self.area.len()
    }

    /// Passes over a variation whose begin mark stands before `at`; kept as an extension or not.
    fn pass_over(&mut self, at: usize, keep: bool) -> usize {
        let mut depth = 1_usize;
        let mut end = self.area.len();
        for (index, byte) in self.area.iter().enumerate().skip(at) {
            match *byte {
                BEGIN => depth += 1,
                END => depth -= 1,
                0 => depth = 0,
                _ => {}
            }
            if depth == 0 {
                end = index + usize::from(*byte == END);
                break;
            }
        }
        let passed = self.area.get(at..end).unwrap_or_default();
        if keep {
            // The mark belongs to what could not be placed.
            let all = self.area.get(at - 1..end).unwrap_or_default();
            self.game.tape.push_extension(MOVES_EXTENSION, all);
            self.pass_comments(passed);
        } else if self.want.annotations {
            for _ in passed.iter().filter(|byte| is_commented(**byte)) {
                self.comments.next();
            }
        }
        end
    }

    /// Keeps the comments of moves that were not read.
    fn pass_comments(&mut self, moves: &[u8]) {
        if !self.want.annotations {
            return;
        }
        let before = self.comments.rest();
        for _ in moves.iter().filter(|byte| is_commented(**byte)) {
            self.comments.next();
        }
        let passed = before.len() - self.comments.rest().len();
        if let Some(bytes) = before.get(..passed).filter(|bytes| !bytes.is_empty()) {
            self.game.tape.push_extension(COMMENTS_EXTENSION, bytes);
        }
    }

    fn finish_comments(&mut self) {
        if !self.want.annotations {
            return;
        }
        let (missing, left) = (self.missing, self.comments.rest());
        if !left.is_empty() {
            self.game.tape.push_extension(COMMENTS_EXTENSION, left);
        }
        if missing > 0 || !left.is_empty() {
            self.game
                .diagnostics
                .report(&codes::COMMENTS, self.place, || {
                    format!(
                        "comments missing: {missing}; bytes left over: {} ({})",
                        left.len(),
                        hex(left)
                    )
                });
        }
    }

    #[inline(never)]
    fn illegal(&mut self, line: &Line, at: usize, why: &Why, rest: &[u8]) {
        let (place, ply) = (self.place, line.ply);
        self.game.diagnostics.report(
            &codes::ILLEGAL_MOVE,
            || place().at_ply(ply),
            || {
                format!(
                    "byte {at} of the moves: {}; {} bytes of the {} were not read: {}",
                    why.text(),
                    rest.len(),
                    if self.outer.is_empty() {
                        "main line"
                    } else {
                        "variation"
                    },
                    hex(rest)
                )
            },
        );
    }

    #[inline(never)]
    fn variations(&mut self, line: &Line, what: &str) {
        let (place, ply) = (self.place, line.ply);
        self.game.diagnostics.report(
            &codes::VARIATIONS,
            || place().at_ply(ply),
            || what.to_owned(),
        );
    }

    fn after_end(&mut self, at: usize) {
        let rest = self.area.get(at..).unwrap_or_default();
        if self.rules.audit && !rest.is_empty() {
            self.game
                .diagnostics
                .report(&codes::AFTER_END, self.place, || hex(rest));
        }
    }
}

/// Whether a byte of the move area is a move with a comment.
fn is_commented(byte: u8) -> bool {
    byte > END && byte != BEGIN
}

/// Whether a king that castles from home is attacked on its way.
pub(super) fn castle_is_attacked(board: &Board, m: Move) -> bool {
    let files: [u32; 3] = match m.castling_side() {
        Some(CastlingSide::KingSide) => [4, 5, 6],
        Some(CastlingSide::QueenSide) => [4, 3, 2],
        None => return false,
    };
    let rank = u32::from(m.from()) & !7;
    let them = !board.turn();
    board.king_of(board.turn()).is_some()
        && files.into_iter().any(|file| {
            let square = Square::new((rank | file) & 63);
            board.attackers_to(square, them, board.occupied()).any()
        })
}

/// Why a move cannot be played.
enum Why {
    Beyond(u32, u32),
    Phantom(u32),
    Check(Move),
}

impl Why {
    fn text(&self) -> String {
        match self {
            Why::Beyond(number, count) => format!("move {number} of only {count}"),
            Why::Phantom(number) => {
                format!("move {number} takes in passing what cannot be taken")
            }
            Why::Check(m) if m.role() == Role::King => format!("{m:?} is illegal"),
            Why::Check(m) => format!("{m:?} leaves the king in check"),
        }
    }
}

/// Bytes in hexadecimal, as many as a message takes.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(SHOWN_BYTES) {
        if !text.is_empty() {
            text.push(' ');
        }
        let _ = write!(text, "{byte:02x}");
    }
    if bytes.len() > SHOWN_BYTES {
        text.push_str(" …");
    }
    text
}

/// How well a decrypted move area plays, without making a game of it: for searching records in a damaged file.
pub(super) struct Trial {
    /// Moves that could be played.
    pub played: u32,
    /// Whether every byte makes sense.
    pub is_clean: bool,
    /// Moves that announce a comment.
    pub commented: u32,
}

/// Plays a move area on trial.
pub(super) fn try_moves(area: &[u8], start: &Board, en_passant: EnPassant) -> Trial {
    let mut trial = Trial {
        played: 0,
        is_clean: true,
        commented: 0,
    };
    let mut line = Line::new(start.clone(), en_passant, 0);
    let mut outer: Vec<Line> = Vec::new();
    for byte in area {
        match *byte {
            BEGIN if line.replaceable => {
                let inner = Line::new(line.before.clone(), line.en_passant_before, 0);
                outer.push(std::mem::replace(&mut line, inner));
            }
            END if !outer.is_empty() => {
                if let Some(back) = outer.pop() {
                    line = back;
                }
            }
            0 => return trial,
            BEGIN | END => {
                trial.is_clean = false;
                return trial;
            }
            byte => {
                let Numbered::Move(m) = move_of(&line.now, line.en_passant, u32::from(byte & 0x7f))
                else {
                    trial.is_clean = false;
                    return trial;
                };
                line.before.clone_from(&line.now);
                line.en_passant_before = line.en_passant;
                line.now.play(m);
                if line.now.is_exposed() {
                    trial.is_clean = false;
                    return trial;
                }
                line.en_passant = line.en_passant.after(m);
                line.replaceable = true;
                trial.played += 1;
                trial.commented += u32::from(byte & 0x80 != 0);
            }
        }
    }
    trial.is_clean = outer.is_empty();
    trial
}
