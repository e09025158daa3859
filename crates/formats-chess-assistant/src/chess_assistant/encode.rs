//! A game as a header, names and a record.

use shakmaty::{CastlingSide, Color, File, Rank, Role, Square};
use tabiya_model::canon_game::fold;
use tabiya_model::charset::Charset;
use tabiya_model::command::{CommentCommand, Evaluation, commands};
use tabiya_model::date::Date;
use tabiya_model::eco::EcoCode;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::tags::ROSTER;
use tabiya_model::text::{TextArena, TextId};
use tabiya_model::{Board, Game, LossKind, Losses, Tags, Tape, TapeOp};

use super::layout::{CaHeader, CaPlayer, RECORD_MAX, pack_date};
use super::losses;
use super::moves::{self, ABSENT, CaPieces, SETUP_BYTES, SETUP_PIECES};
use super::record::{
    COMMENT_EXTENSION, FOLDER_EXTENSION, JUDGEMENT_EXTENSION, MYSTERY_EXTENSION, SCORE_END,
    SCORE_EXTENSION, SCORE_MARK, comment_type, read_setup,
};
use super::tags::{CaGameNames, push_tags};
use super::text::{evaluation_byte, kind_number, outcome_byte, sex_byte, symbol_text};
use super::{BYTE_TAG, DATE_TAG, ECO_TAG, OUTCOME_TAG, PLAYER_TAGS, ROUND_TAG, TYPE_TAG};
use tabiya_codec::fact_losses::{ResultPair, StartTags, report_empty_tags};

/// The longest name: its length is one byte.
const NAME_MAX: usize = 255;
/// How much of a text a loss shows.
const SHOWN: usize = 60;

/// A game that is ready to be put into the files. Numbers of names and of the game are still missing.
#[derive(Clone, Default, Debug)]
pub(super) struct CaEncodedGame {
    /// The header.
    pub header: CaHeader,
    /// Names and titles of White and Black.
    pub players: [(Vec<u8>, Vec<u8>); 2],
    /// Other data about them.
    pub facts: [CaPlayer; 2],
    /// The event.
    pub event: Vec<u8>,
    /// The place.
    pub site: Vec<u8>,
    /// The annotator.
    pub annotator: Vec<u8>,
    /// The source.
    pub source: Vec<u8>,
    /// Whether ECO number 0 is A00.
    pub is_a00: bool,
    /// The record without its length.
    pub record: Vec<u8>,
    /// The number of the game in its source.
    pub number: u64,
}

impl CaEncodedGame {
    fn names(&self) -> CaGameNames<'_> {
        let [(white, white_title), (black, black_title)] = &self.players;
        CaGameNames {
            players: [white, black],
            titles: [white_title, black_title],
            facts: self.facts,
            event: &self.event,
            site: &self.site,
            annotator: &self.annotator,
            source: &self.source,
            is_a00: self.is_a00,
        }
    }
}

/// How much of a game goes into its record.
#[derive(Copy, Clone, PartialEq, Eq)]
enum CaRecordScope {
    Everything,
    Moves,
    MainLine,
}

/// Encodes a game; `None` if it cannot be stored at all.
pub(super) fn encode(game: &Game, charset: Charset, losses: &mut Losses) -> Option<CaEncodedGame> {
    let number = game.origin.number;
    let Some(start) = start_of(game, losses) else {
        losses.report(
            &losses::GAME,
            number,
            "the pieces of the custom starting position have no numbers",
        );
        return None;
    };
    let mut encoded = CaEncodedGame {
        number,
        ..CaEncodedGame::default()
    };
    let evaluation = header(game, charset, &mut encoded, losses);
    let mut kept = Losses::default();
    for keep in [
        CaRecordScope::Everything,
        CaRecordScope::Moves,
        CaRecordScope::MainLine,
    ] {
        kept.clear();
        let mut record = CaRecordWriter {
            tape: &game.tape,
            number,
            charset,
            keep,
            skipped: evaluation,
            joined: None,
            out: start
                .bytes
                .map(|bytes| {
                    let mut out = vec![moves::SETUP];
                    out.extend(bytes);
                    out
                })
                .unwrap_or_default(),
            losses: &mut kept,
        };
        record.write(start.board.clone(), start.pieces.clone());
        encoded.record = record.out;
        if encoded.record.len() > RECORD_MAX {
            continue;
        }
        if keep != CaRecordScope::Everything {
            losses.report(&losses::ANNOTATIONS, number, "the record is too long");
            losses.report(&losses::NAGS, number, "the record is too long");
            if game.tape.extensions().iter().len() > 0 {
                losses.report(&losses::EXTENSION, number, "the record is too long");
            }
        }
        if keep == CaRecordScope::MainLine {
            losses.report(&losses::VARIATIONS, number, "the record is too long");
        }
        losses.append(&mut kept);
        return Some(encoded);
    }
    losses.report(&losses::GAME, number, "the main line alone is too long");
    None
}

/// The starting position of a game, as it will be read.
struct CaStartPosition {
    board: Board,
    pieces: CaPieces,
    bytes: Option<[u8; SETUP_BYTES]>,
}

fn start_of(game: &Game, losses: &mut Losses) -> Option<CaStartPosition> {
    let number = game.origin.number;
    if game.variant != Variant::Standard {
        losses.report(&losses::CASTLING, number, "the rules of another variant");
    }
    let board = match &game.start {
        StartingPosition::Standard => {
            return Some(CaStartPosition {
                board: Board::standard(),
                pieces: CaPieces::standard().clone(),
                bytes: None,
            });
        }
        StartingPosition::Setup(board, _) => board,
    };
    let bytes = setup_bytes(board)?;
    let (read, pieces, ..) = read_setup(&bytes);
    if read.to_fen() != board.to_fen() {
        let kind = if read.castling_rooks() == board.castling_rooks() {
            &losses::START
        } else {
            &losses::CASTLING
        };
        losses.report(kind, number, board.to_fen());
    }
    Some(CaStartPosition {
        board: read,
        pieces,
        bytes: Some(bytes),
    })
}

/// The bytes of a custom starting position; `None` if it has too many pieces.
fn setup_bytes(board: &Board) -> Option<[u8; SETUP_BYTES]> {
    let mut bytes = Vec::with_capacity(SETUP_BYTES);
    for color in [Color::White, Color::Black] {
        let mut pieces: [[u8; 2]; SETUP_PIECES] = [ABSENT; SETUP_PIECES];
        for (square, number) in numbers(board, color)? {
            let role = board.role_at(square)?;
            *pieces.get_mut(usize::from(number))? =
                [moves::coordinate(square), moves::type_of(role)];
        }
        bytes.extend(pieces.into_iter().flatten());
    }
    // Other losses are found by comparing the game with what will be read.
    let played = board.ply_number();
    let played = u16::try_from(played).unwrap_or(if played.is_multiple_of(2) {
        u16::MAX - 1
    } else {
        u16::MAX
    });
    bytes.extend(played.to_le_bytes());
    let right = |color, side, bit: u8| {
        let home = Rank::First;
        let rook = board.castling_rook(color, side)?;
        let king = board.king_of(color)?;
        let corner = match side {
            CastlingSide::KingSide => File::H,
            CastlingSide::QueenSide => File::A,
        };
        let rank = color.fold_wb(home, Rank::Eighth);
        let is_usual =
            rook == Square::from_coords(corner, rank) && king == Square::from_coords(File::E, rank);
        is_usual.then_some(bit)
    };
    let mask = [
        right(Color::Black, CastlingSide::QueenSide, 8),
        right(Color::Black, CastlingSide::KingSide, 4),
        right(Color::White, CastlingSide::QueenSide, 2),
        right(Color::White, CastlingSide::KingSide, 1),
    ];
    bytes.push(mask.into_iter().flatten().sum());
    bytes.push(board.ep_square().map_or(0, moves::coordinate));
    bytes.try_into().ok()
}

/// Gives each piece of a colour a number: pawns by their files, the others their own, then 16 and 17, then those of missing
/// pawns; `None` if there are too many pieces.
fn numbers(board: &Board, color: Color) -> Option<Vec<(Square, u8)>> {
    let mut given = Vec::new();
    let mut free = [true; SETUP_PIECES];
    let mut take = |candidates: &[u8]| {
        let number = candidates
            .iter()
            .copied()
            .find(|n| free.get(usize::from(*n)).copied().unwrap_or(false))?;
        *free.get_mut(usize::from(number))? = false;
        Some(number)
    };
    let mut squares: Vec<Square> = board.by_color(color).into_iter().collect();
    squares.sort_by_key(|square| (square.file(), square.rank()));
    let is_pawn = |square: &Square| board.role_at(*square) == Some(Role::Pawn);
    let (pawns, officers): (Vec<_>, Vec<_>) = squares.into_iter().partition(is_pawn);
    let mut crowded = Vec::new();
    for square in pawns {
        match take(&[u8::try_from(u32::from(square.file())).ok()?]) {
            Some(number) => given.push((square, number)),
            None => crowded.push(square),
        }
    }
    let pawn_numbers = moves::own_numbers(Role::Pawn);
    for square in crowded {
        given.push((square, take(pawn_numbers)?));
    }
    for square in officers {
        let role = board.role_at(square)?;
        let number = take(moves::own_numbers(role))
            .or_else(|| take(&moves::EXTRA))
            .or_else(|| take(pawn_numbers))?;
        given.push((square, number));
    }
    Some(given)
}

/// The bytes of a text in the charset of the database, or the original ones if they are in that charset, and whether
/// characters were lost.
fn bytes_of(texts: &TextArena, id: TextId, charset: Charset) -> (Vec<u8>, bool) {
    if texts.provenance(id).is_some_and(|p| p.charset == charset) {
        let original = texts.original(id);
        // Bytes of which only a part was in the charset would be read differently here.
        if charset.decode(&original) == texts.get(id) {
            return (original.into_owned(), false);
        }
    }
    let (bytes, replaced) = charset.encode_lossy(texts.get(id));
    (bytes, replaced > 0)
}

fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Fills in the header and the names, and reports every tag that will not be read unchanged. The result is the place of the
/// NAG that an evaluation instead of the result makes anyway.
fn header(
    game: &Game,
    charset: Charset,
    encoded: &mut CaEncodedGame,
    losses: &mut Losses,
) -> Option<usize> {
    let number = game.origin.number;
    let tags = &game.tags;
    let mut name = |tag: &str| -> Vec<u8> {
        let Some(index) = tags.position(tag) else {
            return Vec::new();
        };
        let id = TextId(u32::try_from(index * 2 + 1).unwrap_or(u32::MAX));
        let text = tags.texts().get(id);
        if text == "?" && ROSTER.contains(&tag) {
            return Vec::new();
        }
        let (mut bytes, is_lossy) = bytes_of(tags.texts(), id, charset);
        if is_lossy {
            losses.report(
                &losses::TAG_CHARSET,
                number,
                format!("{tag} {}", shown(text)),
            );
        }
        if bytes.len() > NAME_MAX {
            losses.report(&losses::NAME_CUT, number, format!("{tag} {}", shown(text)));
            bytes.truncate(NAME_MAX);
        }
        bytes
    };
    encoded.players = ["White", "Black"].map(|color| (name(color), name(&format!("{color}Title"))));
    encoded.event = name("Event");
    encoded.site = name("Site");
    encoded.annotator = name("Annotator");
    encoded.source = name("Source");
    let date = |tag: &str| {
        let date = Date::parse(tags.get(tag)?)?;
        pack_date(
            date.year.unwrap_or(0),
            date.month.unwrap_or(0),
            date.day.unwrap_or(0),
        )
    };
    let parse = |tag: &str| tags.number(tag);
    encoded.facts = ["White", "Black"].map(|color| {
        let [_, fide, rating, birth, sex] = PLAYER_TAGS.map(|end| format!("{color}{end}"));
        CaPlayer {
            rating: parse(&rating)
                .and_then(|n| u16::try_from(n).ok())
                .unwrap_or(0),
            fide: parse(&fide).unwrap_or(0),
            birth: date(&birth).unwrap_or(0),
            sex: tags.get(&sex).and_then(sex_byte).unwrap_or(0),
        }
    });
    let elo = |tag| parse(tag).and_then(|n| u16::try_from(n).ok()).unwrap_or(0);
    let small = |tag| parse(tag).and_then(|n| u8::try_from(n).ok());
    let outcome = game.result();
    let header = &mut encoded.header;
    header.white_elo = elo("WhiteElo");
    header.black_elo = elo("BlackElo");
    header.outcome = outcome_byte(outcome);
    header.date = date("Date").unwrap_or(0);
    if let Some(packed) = parse(DATE_TAG).filter(|packed| *packed <= super::layout::ID_MAX) {
        header.date = packed;
    }
    header.kind = tags.get(TYPE_TAG).and_then(kind_number).unwrap_or(0);
    header.unknown = small(BYTE_TAG).unwrap_or(0);
    header.round = small("Round")
        .and_then(|round| round.checked_mul(2))
        .unwrap_or(0);
    if let Some(byte) = small(ROUND_TAG).filter(|byte| byte & !1 == header.round) {
        header.round = byte;
    }
    header.eco = tags
        .get("ECO")
        .and_then(EcoCode::parse)
        .map_or(0, EcoCode::index);
    if header.eco == 0
        && let Some(eco) = parse(ECO_TAG).and_then(|eco| u16::try_from(eco).ok())
    {
        header.eco = eco;
    }
    encoded.is_a00 = header.eco == 0 && tags.get("ECO").and_then(EcoCode::parse).is_some();
    let mut place = None;
    if outcome == Outcome::Unknown {
        match tags.get(OUTCOME_TAG).and_then(evaluation_byte) {
            Some((byte, nag)) => {
                place = evaluation_place(&game.tape, nag);
                if place.is_some() {
                    header.outcome = byte;
                }
            }
            None => header.outcome = small(OUTCOME_TAG).unwrap_or(header.outcome),
        }
    }
    tell_differences(game, charset, encoded, losses);
    place
}

/// The place of the NAG that reading adds for an evaluation, after the last move of the main line.
fn evaluation_place(tape: &Tape, nag: Nag) -> Option<usize> {
    let mut at = 0;
    let mut run = 0;
    while let Some(op) = tape.get(at) {
        if matches!(op, TapeOp::Move(_)) {
            run = at + 1;
        }
        at = tape.skip(at);
    }
    let mut last = None;
    while let Some(TapeOp::Nag(found)) = tape.get(run) {
        last = Some((run, found));
        run += 1;
    }
    last.filter(|(_, found)| *found == nag).map(|(at, _)| at)
}

/// Compares the tags of a game with those that will be read.
fn tell_differences(game: &Game, charset: Charset, encoded: &CaEncodedGame, losses: &mut Losses) {
    let mut read = Tags::default();
    push_tags(
        &encoded.header,
        &encoded.names(),
        charset,
        &mut read,
        |_, _| {},
    );
    let results = ResultPair::of(game);
    if results.other_tag().is_some() {
        losses.report(&losses::TAG_VALUE, game.origin.number, results.both());
    }
    if results.other_ending().is_some() {
        losses.report(&losses::ENDING, game.origin.number, results.both());
    }
    let start = StartTags {
        fen: Some(&game.start_board().to_fen()),
        setup: true,
        variant: true,
    };
    start.report(game, losses);
    report_empty_tags(game, false, losses);
    let mut used = vec![false; read.len()];
    // The first Result is compared above; further ones have no field.
    if let Some(used) = (read.position("Result")).and_then(|at| used.get_mut(at)) {
        *used = true;
    }
    let result = game.tags.position("Result");
    for (index, tag) in game.tags.iter().enumerate() {
        if Some(index) == result || game.is_start_tag(index) {
            continue;
        }
        let mut value = fold(tag.value);
        if value.is_empty() && ROSTER.contains(&tag.name) {
            value = tabiya_model::tag_name::missing_value(tag.name).to_owned();
        }
        let same = read.iter().enumerate().find(|(at, other)| {
            !used.get(*at).copied().unwrap_or(true)
                && other.name == tag.name
                && fold(other.value) == value
        });
        if let Some((at, other)) = same {
            // An empty tag is reported elsewhere.
            if other.value != tag.value && !tag.value.is_empty() {
                losses.report(&losses::TAG_LAYOUT, game.origin.number, tag.name);
            }
            if let Some(used) = used.get_mut(at) {
                *used = true;
            }
            continue;
        }
        let is_known = read.position(tag.name).is_some() || is_field(tag.name);
        let kind: &'static LossKind = if is_known {
            &losses::TAG_VALUE
        } else {
            &losses::TAG
        };
        let detail = format!("{} {}", tag.name, shown(tag.value));
        losses.report(kind, game.origin.number, detail);
    }
}

/// Whether a header has a field for a tag.
fn is_field(name: &str) -> bool {
    let rest = name
        .strip_prefix("White")
        .or_else(|| name.strip_prefix("Black"));
    ROSTER.contains(&name)
        || ["ECO", "Annotator", "Source"].contains(&name)
        || name.starts_with("Ca")
        || rest.is_some_and(|rest| rest == "Elo" || PLAYER_TAGS.contains(&rest))
}

/// Items still to be written, the next one last.
enum CaRecordTask {
    /// A line from an operation on.
    Line(usize),
    /// A move, and the place of the record where its variations and everything after it begin.
    Play(usize, usize),
    /// A variation by its `Begin`.
    Variation(usize),
    /// The end of a variation, with the position that it started from.
    Restore(Box<(Board, CaPieces)>),
}

/// A record that is being written.
struct CaRecordWriter<'a> {
    tape: &'a Tape,
    number: u64,
    charset: Charset,
    keep: CaRecordScope,
    /// An operation that is left out because reading creates it.
    skipped: Option<usize>,
    /// An extension that was written with the comment before it.
    joined: Option<usize>,
    out: Vec<u8>,
    losses: &'a mut Losses,
}

impl CaRecordWriter<'_> {
    fn lose(&mut self, kind: &'static LossKind, detail: impl Into<String>) {
        self.losses.report(kind, self.number, detail);
    }

    fn write(&mut self, mut board: Board, mut pieces: CaPieces) {
        let mut work = vec![CaRecordTask::Line(0)];
        while let Some(item) = work.pop() {
            match item {
                CaRecordTask::Line(at) => self.line(at, &mut work),
                CaRecordTask::Variation(begin) => {
                    self.out.push(moves::BEGIN);
                    work.push(CaRecordTask::Restore(Box::new((
                        board.clone(),
                        pieces.clone(),
                    ))));
                    work.push(CaRecordTask::Line(begin + 1));
                }
                CaRecordTask::Restore(state) => {
                    self.out.push(moves::END);
                    (board, pieces) = *state;
                }
                CaRecordTask::Play(at, start) => {
                    let Some(TapeOp::Move(m)) = self.tape.get(at) else {
                        continue;
                    };
                    let is_possible = m.is_null() || board.is_pseudo_legal(m);
                    let new = if is_possible {
                        pieces.encode(&board, m, &mut self.out)
                    } else {
                        None
                    };
                    let Some(new) = new else {
                        // Variations precede the move that they replace; without it they would be the line.
                        let more = match self.out.len() > start {
                            true => ", with its variations",
                            false => "",
                        };
                        self.out.truncate(start);
                        let (from, to, at) = (m.from(), m.to(), board.to_fen());
                        self.lose(&losses::MOVE, format!("from {from} to {to} in {at}{more}"));
                        continue;
                    };
                    pieces.follow(board.turn(), m, new);
                    board.play(m);
                    let next = self.write_until_move(at + 1, true);
                    work.push(CaRecordTask::Line(next));
                }
            }
            // A record that is already too long is not completed.
            if self.out.len() > RECORD_MAX {
                return;
            }
        }
    }

    /// Continues a line: everything before its next move, then the variations of that move, then the move.
    fn line(&mut self, at: usize, work: &mut Vec<CaRecordTask>) {
        let at = self.write_until_move(at, false);
        if !matches!(self.tape.get(at), Some(TapeOp::Move(_))) {
            return;
        }
        work.push(CaRecordTask::Play(at, self.out.len()));
        let first = work.len();
        let mut next = at + 1;
        loop {
            match self.tape.get(next) {
                None | Some(TapeOp::Move(_) | TapeOp::End) => break,
                Some(TapeOp::Begin(_)) if self.keep != CaRecordScope::MainLine => {
                    work.push(CaRecordTask::Variation(next));
                }
                Some(_) => {}
            }
            next = self.tape.skip(next);
        }
        if let Some(variations) = work.get_mut(first..) {
            variations.reverse();
        }
    }

    /// Writes everything from a place up to the next move or the end of the line, and returns that place. `moved` means that
    /// it is after a move; variations are skipped.
    fn write_until_move(&mut self, mut at: usize, moved: bool) -> usize {
        let mut passed = false;
        let mut last = None;
        while let Some(op) = self.tape.get(at) {
            let here = at;
            at = self.tape.skip(at);
            match op {
                TapeOp::Move(_) | TapeOp::End => return here,
                TapeOp::Begin(_) => {
                    if !moved {
                        self.lose(&losses::MOVE, "a variation without a move");
                    }
                    passed = true;
                }
                TapeOp::Raw(id) => {
                    let text = shown(self.tape.text(id));
                    self.lose(&losses::RAW, text);
                }
                TapeOp::Outcome(outcome) => self.lose(&losses::OUTCOME, outcome.as_pgn()),
                _ if self.keep != CaRecordScope::Everything || self.skipped == Some(here) => {}
                TapeOp::Nag(nag) => self.nag(nag, passed),
                TapeOp::Comment(id) => {
                    if passed && here < *last.get_or_insert_with(|| self.last_variation(here)) {
                        // It will be read after the last variation.
                        self.lose(&losses::COMMENT_ORDER, shown(self.tape.text(id)));
                    }
                    self.comment(id, (at, passed || !moved), passed);
                }
                TapeOp::Ext(_) if self.joined == Some(here) => {}
                TapeOp::Ext(index) => self.extension(index, passed),
            }
        }
        at
    }

    /// The place of the last variation before the next move of a line or its end; 0 if none follows.
    fn last_variation(&self, mut at: usize) -> usize {
        let mut last = 0;
        while let Some(op) = self.tape.get(at) {
            match op {
                TapeOp::Move(_) | TapeOp::End => break,
                TapeOp::Begin(_) => last = at,
                _ => {}
            }
            at = self.tape.skip(at);
        }
        last
    }

    fn misplaced(&mut self, passed: bool, kind: &'static LossKind, what: &str) {
        if passed {
            self.lose(&losses::COMMENT_ORDER, what);
            if kind != &losses::COMMENT_ORDER {
                self.lose(kind, what);
            }
        }
    }

    fn nag(&mut self, nag: Nag, passed: bool) {
        if nag == Nag::NULL {
            return self.lose(&losses::NULL_NAG, "$0");
        }
        if nag == Nag::DIAGRAM {
            let kind = if passed {
                comment_type::DIAGRAM_BEFORE
            } else {
                comment_type::DIAGRAM
            };
            self.out.extend([moves::COMMENT, 1, kind]);
            return;
        }
        let text = symbol_text(nag);
        self.misplaced(passed, &losses::NAG_ORDER, &text);
        if let [byte] = text.as_bytes() {
            self.out
                .extend([moves::SYMBOL, comment_type::SYMBOL, *byte]);
        } else {
            self.text(comment_type::SYMBOL, text.as_bytes());
        }
    }

    /// Data specific to Chess Assistant about the comment before a place.
    fn of_comment(&self, at: usize) -> Option<(&str, &[u8])> {
        let Some(TapeOp::Ext(index)) = self.tape.get(at) else {
            return None;
        };
        let extension = self.tape.extensions().get(index as usize)?;
        Some((&extension.name, &extension.data))
    }

    /// Writes a comment; `next` is the place after it.
    fn comment(&mut self, id: TextId, (next, is_before): (usize, bool), passed: bool) {
        let text = self.tape.text(id);
        if text.is_empty() {
            self.misplaced(passed, &losses::COMMENT_ORDER, "an empty comment");
        }
        if !passed && let Some((score, has_mark)) = score_of(text) {
            let mut data = score.to_le_bytes().to_vec();
            let odd = match self.of_comment(next) {
                Some((SCORE_EXTENSION, [comment_type::SCORE, odd @ ..])) => Some(odd.to_vec()),
                _ => None,
            };
            match odd.filter(|odd| !has_mark && odd.starts_with(&data)) {
                Some(odd) => {
                    self.joined = Some(next);
                    data = odd;
                }
                None => {
                    data.extend(SCORE_END);
                    data.extend(SCORE_MARK.bytes().filter(|_| has_mark));
                }
            }
            self.text(comment_type::SCORE, &data);
            return;
        }
        let (bytes, is_lossy) = bytes_of(self.tape.texts(), id, self.charset);
        if is_lossy {
            self.lose(&losses::COMMENT_CHARSET, shown(text));
        }
        let is_judgement = matches!(self.of_comment(next), Some((JUDGEMENT_EXTENSION, [])));
        let kind = if is_before {
            comment_type::TEXT_BEFORE
        } else if is_judgement {
            self.joined = Some(next);
            comment_type::JUDGEMENT
        } else {
            comment_type::TEXT
        };
        self.text(kind, &bytes);
    }

    fn extension(&mut self, index: u32, passed: bool) {
        let tape = self.tape;
        let Some(extension) = tape.extensions().get(index as usize) else {
            return;
        };
        let is_folder = |kind: &u8| comment_type::FOLDERS.contains(kind);
        let is_known = |kind: &u8| {
            let is_score = *kind == comment_type::SCORE && extension.data.len() > 2;
            (2..=9).contains(kind) || is_folder(kind) || is_score
        };
        match (extension.name.as_str(), extension.data.split_first()) {
            (FOLDER_EXTENSION, Some((kind, data))) if is_folder(kind) => self.text(*kind, data),
            (COMMENT_EXTENSION, Some((kind, data))) if !is_known(kind) => self.text(*kind, data),
            (MYSTERY_EXTENSION, Some((byte, []))) => self.out.extend([moves::MYSTERY, *byte]),
            (name, _) => {
                self.lose(&losses::EXTENSION, name);
                return;
            }
        }
        self.misplaced(passed, &losses::EXTENSION_ORDER, &extension.name);
    }

    /// A comment of any length.
    fn text(&mut self, kind: u8, data: &[u8]) {
        let length = data.len().saturating_add(1);
        match u8::try_from(length) {
            Ok(length) => self.out.extend([moves::COMMENT, length]),
            Err(_) => {
                self.out.push(moves::LONG_COMMENT);
                // A longer comment exceeds the record anyway.
                let length = u32::try_from(length).unwrap_or(u32::MAX);
                self.out.extend(length.to_le_bytes());
            }
        }
        self.out.push(kind);
        self.out.extend_from_slice(data);
    }
}

/// The score of a comment that is only an engine's score, and whether its mark follows.
fn score_of(text: &str) -> Option<(i16, bool)> {
    let marked = text
        .strip_suffix(SCORE_MARK)
        .and_then(|text| text.strip_suffix(' '));
    let bare = marked.unwrap_or(text);
    let mut all = commands(bare);
    let Some(CommentCommand::Eval(Evaluation::Centipawns(score), None)) = all.next() else {
        return None;
    };
    let score = i16::try_from(score).ok()?;
    let again = CommentCommand::Eval(Evaluation::Centipawns(i32::from(score)), None).to_string();
    (again == bare).then_some((score, marked.is_some()))
}
