//! Writing game records: extra tags, flags, starting position, moves, comments, and the derived fields of the index.

use shakmaty::{Color, Role};
use tabiya_model::board::Board;
use tabiya_model::game::{ENDING_TAG, FLAGS_TAG, StartingPosition, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::rating::RatingKind;
use tabiya_model::text::{TextArena, TextId};
use tabiya_model::{Game, LossKind, Losses, TapeOp};

use super::layout::{ScidEntry, ScidVersion, encode_count, event_date_to_relative, flag};
use super::losses;
use super::moves::{ScidHomePawns, ScidPieces, token};
use super::record::{COMMON_TAGS, FIRST_COMMON, flags};
use super::stored_lines::ScidLineTracker;
use super::tag_fields::{date_field, date_text, eco_field, flag_text};
use tabiya_codec::fact_losses::{ResultPair, StartTags, report_empty_fields};

/// The most bytes of a name: Scid itself stores no longer ones, and some versions crash when they show them.
pub const MAX_NAME: usize = 240;
/// The most bytes of the name of an extra tag.
const MAX_TAG_NAME: usize = 240;
/// The most bytes of the value of an extra tag.
const MAX_TAG_VALUE: usize = 255;
/// The most bytes of the name and the value of an extra tag in si4: Scid 4.7.4 crashes when it shows or exports a longer
/// one.
pub(super) const MAX_SI4_TAG: usize = 249;
/// The most NAGs of one move.
const MAX_NAGS: u32 = 7;
/// The highest rating that Scid accepts.
const MAX_RATING: u16 = 4000;

/// The fields derived from the moves and annotations of a game.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct ScidDerivedFields {
    /// Plies of the main line.
    pub plies: u32,
    /// The home pawns in the order in which they left.
    pub home: [u8; 8],
    /// The number of these pawns.
    pub home_count: u8,
    /// The material at the end of the main line.
    pub material: u32,
    /// The stored line with which the main line begins.
    pub stored_line: u8,
    /// Whether the main line has a promotion.
    pub promotion: bool,
    /// Whether the main line has a promotion to something other than a queen.
    pub under_promotion: bool,
    /// Variations of the whole game.
    pub variations: u32,
    /// Comments with text of the whole game.
    pub comments: u32,
    /// NAGs of the whole game.
    pub nags: u32,
}

impl ScidDerivedFields {
    /// Writes the fields into an entry.
    pub fn apply(&self, entry: &mut ScidEntry) {
        let [low, high, ..] = self.plies.to_le_bytes();
        entry.plies = u16::from_le_bytes([low, high]) & 1023;
        entry.home = self.home;
        entry.home_count = self.home_count;
        entry.material = self.material;
        entry.stored_line = self.stored_line;
        entry.variations = encode_count(self.variations);
        entry.comments = encode_count(self.comments);
        entry.nags = encode_count(self.nags);
        for (set, bit) in [
            (self.promotion, flag::PROMOTION),
            (self.under_promotion, flag::UNDER_PROMOTION),
        ] {
            entry.flags = if set {
                entry.flags | bit
            } else {
                entry.flags & !bit
            };
        }
    }

    /// Adds a move of the main line.
    #[inline]
    fn follow(&mut self, m: tabiya_model::Move, line: &mut Option<ScidMainLine>) {
        self.plies = self.plies.saturating_add(1);
        if let Some(role) = m.promotion() {
            self.promotion = true;
            self.under_promotion |= role != Role::Queen;
        }
        if let Some(line) = line {
            line.stored.play(m);
            if let Some(number) = line.home.play(m) {
                let at = usize::from(self.home_count >> 1) & 7;
                if let Some(byte) = self.home.get_mut(at).filter(|_| self.home_count < 16) {
                    *byte |= if self.home_count & 1 == 0 {
                        number << 4
                    } else {
                        number
                    };
                    self.home_count += 1;
                }
            }
        }
    }

    fn finish(&mut self, pieces: &ScidPieces, line: Option<ScidMainLine>) {
        self.material = pieces.material();
        self.stored_line = line.map_or(0, |line| line.stored.code());
    }

    /// The fields of a game that was read.
    pub fn of(game: &Game) -> ScidDerivedFields {
        let mut derived = ScidDerivedFields::default();
        let (mut pieces, mut line) = match start_of(game) {
            Ok(start) => start,
            Err(_) => return derived,
        };
        for m in game.tape.main_line() {
            derived.follow(m, &mut line);
            pieces.play(m);
        }
        derived.finish(&pieces, line);
        for op in game.tape.ops() {
            match op {
                TapeOp::Begin(_) => derived.variations += 1,
                TapeOp::Nag(_) => derived.nags += 1,
                TapeOp::Comment(id) if !game.tape.text(id).is_empty() => derived.comments += 1,
                _ => {}
            }
        }
        derived
    }
}

/// Tracked only from the normal start.
#[derive(Debug)]
struct ScidMainLine {
    stored: ScidLineTracker,
    home: ScidHomePawns,
}

/// The pieces at the start of a game, and the tracked data if it is the normal start.
fn start_of(game: &Game) -> Result<(ScidPieces, Option<ScidMainLine>), String> {
    match &game.start {
        StartingPosition::Standard => {
            let line = ScidMainLine {
                stored: ScidLineTracker::new(),
                home: ScidHomePawns::ALL,
            };
            Ok((ScidPieces::STANDARD, Some(line)))
        }
        StartingPosition::Setup(board, _) => match ScidPieces::from_board(board) {
            Ok(pieces) => Ok((pieces, None)),
            Err(error) => Err(error.to_string()),
        },
    }
}

/// The variant that a reader will derive from the tags and the position.
fn variant_as_read(game: &Game, chess960: bool) -> Variant {
    if game.variant == Variant::Standard && !chess960 {
        // A tag with another variant would have changed it.
        return Variant::Standard;
    }
    let first = |name: &str| {
        let mut tags = game.tags.iter();
        let found = tags.find(|tag| tag.name.eq_ignore_ascii_case(name));
        found.map(|tag| tag.value)
    };
    match first("Variant").map(Variant::from_name) {
        _ if chess960 => Variant::Chess960,
        _ if game.start == StartingPosition::Standard
            && first("FEN").is_some_and(is_invalid_fen) =>
        {
            Variant::Other
        }
        Some(named) => named,
        None => Variant::Standard,
    }
}

/// Whether the value of a FEN tag is not a position, so that the meaning of the moves is unknown.
pub(super) fn is_invalid_fen(fen: &str) -> bool {
    !fen.trim().is_empty() && Board::from_fen(fen).is_err()
}

/// Why Scid refuses to start from a position, if it does.
fn refusal(board: &Board) -> Option<&'static str> {
    if Color::ALL
        .iter()
        .any(|color| board.king_of(*color).is_none())
    {
        Some("a side does not have exactly one king")
    } else if board.is_exposed() {
        Some("the side not to move is in check")
    } else if Color::ALL
        .iter()
        .any(|color| board.by_color(*color).count() > 16)
    {
        Some("a side has more than 16 pieces")
    } else {
        None
    }
}

/// Whether the text of a FEN tag is the same apart from an en passant square that no pawn has passed; Scid keeps those.
fn differs_in_en_passant(tag: &str, fen: &str) -> bool {
    let square = |text: &str| matches!(text.as_bytes(), [b'a'..=b'h', b'3' | b'6']);
    let mut count = 0;
    let same = tag.split(' ').zip(fen.split(' ')).all(|(a, b)| {
        count += 1;
        a == b || (count == 4 && square(a))
    });
    same && count == 6 && tag.split(' ').count() == 6
}

/// The tags that are names, by their index among the tags of a game.
#[derive(Clone, Copy, Default, Debug)]
pub struct ScidNameTags {
    /// Event, site, round, White, Black: the order in which Scid numbers them.
    pub at: [Option<usize>; 5],
}

/// Encodes games; reuse it for its buffers.
#[derive(Debug)]
pub struct ScidRecordWriter {
    version: ScidVersion,
    /// Texts that were not UTF-8 are written with their original bytes.
    original_bytes: bool,
    texts: Vec<u8>,
    outer: Vec<ScidWriterFrame>,
    bytes: Vec<u8>,
    word: String,
}

/// A line that is interrupted by a variation.
#[derive(Debug)]
struct ScidWriterFrame {
    now: ScidPieces,
    before: ScidPieces,
    has_comment: bool,
    nags: u32,
}

impl ScidRecordWriter {
    /// Encodes games for a version.
    pub fn new(version: ScidVersion, original_bytes: bool) -> ScidRecordWriter {
        ScidRecordWriter {
            version,
            original_bytes,
            texts: Vec::new(),
            outer: Vec::new(),
            bytes: Vec::new(),
            word: String::new(),
        }
    }

    /// Appends the record of a game and returns its entry, without offset and names. A game that cannot be stored is
    /// reported, and nothing is appended.
    pub fn write(
        &mut self,
        game: &Game,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Option<(ScidEntry, ScidNameTags)> {
        let number = game.origin.number;
        let mut entry = ScidEntry::default();
        if let StartingPosition::Setup(board, _) = &game.start {
            if let Some(why) = refusal(board) {
                losses.report(&losses::LOST_POSITION, number, why);
                return None;
            }
            entry.flags |= flag::SETUP;
            let is_chess960 = board.is_chess960();
            // A game of another variant is not Chess960, whatever its position.
            entry.chess960 = is_chess960 && game.variant != Variant::Other;
            if is_chess960 && self.version != ScidVersion::Si5 {
                losses.report(&losses::LOST_CHESS960, number, board.to_fen());
                return None;
            }
        }
        if variant_as_read(game, entry.chess960) != game.variant {
            losses.report(&losses::VARIANT, number, format!("{:?}", game.variant));
        }
        let read = StartTags {
            fen: None,
            setup: false,
            variant: entry.chess960,
        };
        read.report(game, losses);
        let start = out.len();
        let names = self.tags(game, &mut entry, out, losses);
        let after_tags = out.len();
        let reported = losses.len();
        self.rest(game, &mut entry, true, out, losses);
        if out.len() - start > super::layout::MAX_RECORD {
            let length = out.len() - start;
            losses.truncate(reported);
            out.truncate(after_tags);
            self.rest(game, &mut entry, false, out, losses);
            if out.len() - start > super::layout::MAX_RECORD {
                out.truncate(start);
                losses.report(&losses::LOST_LONG_GAME, number, format!("{length} bytes"));
                return None;
            }
            for kind in [
                &losses::CUT_VARIATIONS,
                &losses::CUT_COMMENTS,
                &losses::CUT_NAGS,
            ] {
                losses.report(kind, number, format!("{length} bytes"));
            }
        }
        entry.length = u32::try_from(out.len() - start).unwrap_or(u32::MAX);
        Some((entry, names))
    }

    /// Flags, custom starting position, moves and comments.
    fn rest(
        &mut self,
        game: &Game,
        entry: &mut ScidEntry,
        annotations: bool,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) {
        let flags_at = out.len();
        out.push(0);
        let mut bits = 0;
        if let StartingPosition::Setup(board, _) = &game.start {
            bits |= flags::FEN;
            let fen = board.to_fen();
            let tag = game.tags.get("FEN");
            let kept = tag.filter(|tag| differs_in_en_passant(tag, &fen));
            if let Some(tag) = tag
                && *tag != *kept.unwrap_or(&fen)
            {
                let kind = match game.fen_says_more() {
                    true => &losses::FEN_TEXT,
                    false => &losses::FEN_FORM,
                };
                losses.report(kind, game.origin.number, tag);
            }
            out.extend_from_slice(kept.unwrap_or(&fen).as_bytes());
            out.push(0);
        }
        let derived = self.moves(game, annotations, out, losses);
        derived.apply(entry);
        if derived.promotion {
            bits |= flags::PROMOTION;
        }
        if derived.under_promotion {
            bits |= flags::UNDER_PROMOTION;
        }
        if let Some(byte) = out.get_mut(flags_at) {
            *byte = bits;
        }
    }

    /// Divides the tags among entry, names and the record.
    fn tags(
        &mut self,
        game: &Game,
        entry: &mut ScidEntry,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> ScidNameTags {
        let mut names = ScidNameTags::default();
        let (mut date, mut result, mut eco, mut event_date, mut flag_tag) =
            (None, None, None, None, None);
        let mut ratings = [false; 2];
        let results = ResultPair::of(game);
        // Tags after the first one are checked when they are reached.
        let spells_result = |index: usize| {
            let is_result = |tag: tabiya_model::tags::Tag<'_>| tag.name == "Result";
            let mut later = index + 1..game.tags.len();
            results.other_tag().is_some() || later.any(|at| game.tags.at(at).is_some_and(is_result))
        };
        report_empty_fields(game, losses);
        let is_setup = game.start != StartingPosition::Standard;
        let tags = &game.tags;
        // Event dates in si3 and si4 are stored relative to the date, which may follow.
        let date_bits = date_field(tags.value("Date"));
        let first = |slot: &mut Option<usize>, index: usize| {
            slot.is_none() && slot.replace(index).is_none()
        };
        // A reader takes an inexact text for the one that the index could not hold.
        let second = |losses: &mut Losses, same: bool, value: &str| {
            if same {
                losses.report(&losses::SECOND_TAG, game.origin.number, value);
            }
            false
        };
        for index in 0..tags.len() {
            let Some(tag) = tags.at(index) else { continue };
            let kept = match tag.name {
                "Event" => first(&mut names.at[0], index),
                "Site" => first(&mut names.at[1], index),
                "Round" => first(&mut names.at[2], index),
                "White" => first(&mut names.at[3], index),
                "Black" => first(&mut names.at[4], index),
                // A result that the field cannot hold is written as a tag.
                "Result" => first(&mut result, index) && !spells_result(index),
                "Date" if first(&mut date, index) => {
                    entry.date = date_bits;
                    tag.value.is_empty() || date_text(date_bits, &mut self.word) == tag.value
                }
                "Date" => second(losses, date_field(tag.value) == date_bits, tag.value),
                "ECO" if first(&mut eco, index) => {
                    entry.eco = eco_field(tag.value);
                    let read = tabiya_model::eco::EcoCode::read(tag.value);
                    read.is_some_and(|(eco, exact)| exact && eco.sub().is_none())
                }
                "ECO" => second(losses, eco_field(tag.value) == entry.eco, tag.value),
                "EventDate" if first(&mut event_date, index) => {
                    self.event_date(tag.value, date_bits, entry)
                }
                "EventDate" => second(losses, date_field(tag.value) == entry.event_date, tag.value),
                FLAGS_TAG => {
                    if first(&mut flag_tag, index) {
                        self.flags(tag.value, entry, game.origin.number, losses);
                    } else {
                        losses.report(&losses::FLAGS, game.origin.number, tag.value);
                    }
                    true
                }
                // The custom starting position contains it.
                "FEN" if is_setup => {
                    if tags.position("FEN") != Some(index) {
                        losses.report(&losses::SECOND_TAG, game.origin.number, tag.value);
                    }
                    true
                }
                ENDING_TAG if ends_itself(game, index) => {
                    // A reader takes the last one for the end of the movetext.
                    losses.report(
                        &losses::SECOND_TAG,
                        game.origin.number,
                        format!("{ENDING_TAG} {}", tag.value),
                    );
                    true
                }
                name if name.starts_with("White") || name.starts_with("Black") => {
                    rating(name, tag.value, &mut ratings, entry)
                }
                _ => false,
            };
            if !kept {
                self.extra_tag(game, index, out, losses);
            }
        }
        if let Some(ending) = results.other_ending() {
            push_tag(ENDING_TAG.as_bytes(), ending.as_pgn().as_bytes(), out);
        }
        out.push(0);
        entry.outcome = results.field.to_scid();
        names
    }

    /// Puts an event date into the entry; false if it cannot be stored there unchanged.
    fn event_date(&mut self, value: &str, date: u32, entry: &mut ScidEntry) -> bool {
        let bits = date_field(value);
        // An unknown year cannot be distinguished from a missing event date.
        if bits >> 9 == 0 {
            return false;
        }
        if self.version != ScidVersion::Si5 && event_date_to_relative(bits, date).is_none() {
            return false;
        }
        entry.event_date = bits;
        date_text(bits, &mut self.word) == value
    }

    fn flags(&mut self, value: &str, entry: &mut ScidEntry, number: u64, losses: &mut Losses) {
        for letter in value.bytes() {
            let bit = flag::LETTERS.iter().position(|known| *known == letter);
            if let Some(bit) = bit
                .map(|bit| 1_u32 << bit)
                .filter(|bit| bit & flag::DERIVED == 0)
            {
                entry.flags |= bit;
            }
        }
        // Without any flag, a reader makes no tag.
        if value.is_empty() || flag_text(entry.flags, &mut self.word) != value {
            losses.report(&losses::FLAGS, number, value);
        }
    }

    /// The bytes of a text.
    fn text<'a>(&'a mut self, texts: &'a TextArena, id: TextId) -> &'a [u8] {
        if self.original_bytes && texts.provenance(id).is_some() {
            self.bytes.clear();
            self.bytes.extend_from_slice(&texts.original(id));
            return &self.bytes;
        }
        texts.get(id).as_bytes()
    }

    fn extra_tag(&mut self, game: &Game, index: usize, out: &mut Vec<u8>, losses: &mut Losses) {
        let Some(tag) = game.tags.at(index) else {
            return;
        };
        let cut_loss = |losses: &mut Losses, what: &str| {
            losses.report(
                &losses::LONG_TAG_CUT,
                game.origin.number,
                format!("{what} of {}", tag.name),
            );
        };
        match COMMON_TAGS.iter().position(|common| *common == tag.name) {
            Some(at) => out.push(FIRST_COMMON + at.to_le_bytes()[0]),
            None => {
                let name = cut(tag.name.as_bytes(), MAX_TAG_NAME);
                if name.len() < tag.name.len() || name.is_empty() {
                    cut_loss(losses, "the name");
                }
                if name.is_empty() {
                    return;
                }
                out.push(name.len().to_le_bytes()[0]);
                out.extend_from_slice(name);
            }
        }
        let most = match self.version {
            ScidVersion::Si5 => MAX_TAG_VALUE,
            ScidVersion::Si3 | ScidVersion::Si4 => {
                MAX_SI4_TAG.saturating_sub(tag.name.len().min(MAX_TAG_NAME))
            }
        };
        let id = TextId(u32::try_from(index * 2 + 1).unwrap_or(u32::MAX));
        let bytes = self.text(game.tags.texts(), id);
        let value = cut(bytes, most);
        if value.len() < bytes.len() {
            cut_loss(losses, "the value");
        }
        out.push(value.len().to_le_bytes()[0]);
        out.extend_from_slice(value);
    }

    /// The bytes of a name for the name file; `?` if the game has no such tag.
    pub fn name<'a>(
        &'a mut self,
        game: &'a Game,
        tag: Option<usize>,
        losses: &mut Losses,
    ) -> &'a [u8] {
        let Some(index) = tag else { return b"?" };
        let number = game.origin.number;
        let id = TextId(u32::try_from(index * 2 + 1).unwrap_or(u32::MAX));
        let texts = game.tags.texts();
        let bytes = self.text(texts, id);
        if bytes.len() <= MAX_NAME && memchr::memchr(0, bytes).is_none() {
            return bytes;
        }
        let whole = bytes.len();
        let short = cut(bytes, MAX_NAME)
            .split(|b| *b == 0)
            .next()
            .unwrap_or(&[]);
        losses.report(
            &losses::LONG_NAME_CUT,
            number,
            format!(
                "{}: {whole} bytes, {} are kept",
                game.tags.at(index).map_or("", |tag| tag.name),
                short.len()
            ),
        );
        short
    }

    /// The move list and the comments.
    fn moves(
        &mut self,
        game: &Game,
        annotations: bool,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> ScidDerivedFields {
        let number = game.origin.number;
        let tape = &game.tape;
        let mut derived = ScidDerivedFields::default();
        self.texts.clear();
        self.outer.clear();
        let Ok((mut now, mut line)) = start_of(game) else {
            // Such positions were refused before.
            out.push(token::STOP);
            return derived;
        };
        let mut before: Option<ScidPieces> = None;
        let (mut has_comment, mut nags) = (false, 0_u32);
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                TapeOp::Move(m) => {
                    if let Err(fault) = now.encode(m, out) {
                        let ply = derived.plies;
                        losses.report(
                            &losses::MOVE,
                            number,
                            format!("{m:?} after ply {ply} of the main line: {fault}"),
                        );
                        at = end_of_line(game, at);
                        continue;
                    }
                    before = match tape.get(at) {
                        None | Some(TapeOp::Move(_) | TapeOp::End) => None,
                        Some(_) => Some(now.clone()),
                    };
                    if self.outer.is_empty() {
                        derived.follow(m, &mut line);
                    }
                    now.play(m);
                    (has_comment, nags) = (false, 0);
                }
                TapeOp::Begin(_) if !annotations => at = tape.skip(at - 1),
                TapeOp::Begin(_) => {
                    let Some(pieces) = before.clone() else {
                        losses.report(&losses::MOVE, number, "a variation has no move to replace");
                        at = tape.skip(at - 1);
                        continue;
                    };
                    derived.variations = derived.variations.saturating_add(1);
                    out.push(token::BEGIN);
                    let frame = ScidWriterFrame {
                        now: std::mem::replace(&mut now, pieces.clone()),
                        before: pieces,
                        has_comment,
                        nags,
                    };
                    self.outer.push(frame);
                    before = None;
                    (has_comment, nags) = (false, 0);
                }
                TapeOp::End => {
                    if let Some(frame) = self.outer.pop() {
                        out.push(token::END);
                        now = frame.now;
                        before = Some(frame.before);
                        (has_comment, nags) = (frame.has_comment, frame.nags);
                    }
                }
                TapeOp::Ext(index) => {
                    let name = tape
                        .extensions()
                        .get(index as usize)
                        .map_or("", |extension| &extension.name);
                    losses.report(&losses::EXTENSION, number, name);
                }
                TapeOp::Outcome(outcome) => {
                    losses.report(&losses::INNER_OUTCOME, number, outcome.as_pgn());
                }
                _ if !annotations => {}
                TapeOp::Nag(Nag(value)) => match u8::try_from(value) {
                    Err(_) => losses.report(&losses::HIGH_NAG, number, format!("${value}")),
                    Ok(_) if nags >= MAX_NAGS => {
                        losses.report(&losses::MANY_NAGS_CUT, number, format!("${value}"));
                    }
                    Ok(value) => {
                        nags += 1;
                        derived.nags = derived.nags.saturating_add(1);
                        out.extend_from_slice(&[token::NAG, value]);
                    }
                },
                TapeOp::Comment(_) | TapeOp::Raw(_) => {
                    if let TapeOp::Raw(id) = op {
                        losses.report(&losses::RAW, number, tape.text(id));
                    }
                    if has_comment {
                        // It was written together with the first one at its place.
                        continue;
                    }
                    has_comment = true;
                    out.push(token::COMMENT);
                    let start = self.texts.len();
                    self.comments(game, at - 1, losses);
                    if self.texts.len() > start {
                        derived.comments = derived.comments.saturating_add(1);
                    }
                    self.texts.push(0);
                }
            }
        }
        while let Some(frame) = self.outer.pop() {
            out.push(token::END);
            now = frame.now;
        }
        out.push(token::STOP);
        out.extend_from_slice(&self.texts);
        derived.finish(&now, line);
        derived
    }

    /// Joins the comment at `at` and all others at its place into one text.
    fn comments(&mut self, game: &Game, mut at: usize, losses: &mut Losses) {
        let number = game.origin.number;
        let tape = &game.tape;
        let mut count = 0;
        while let Some(op) = tape.get(at) {
            match op {
                TapeOp::Move(_) | TapeOp::End => break,
                TapeOp::Begin(_) => {
                    at = tape.skip(at);
                    continue;
                }
                TapeOp::Comment(id) | TapeOp::Raw(id) => {
                    count += 1;
                    if count == 2 {
                        losses.report(&losses::COMMENTS_JOINED, number, tape.text(id));
                    }
                    if count > 1 {
                        self.texts.push(b' ');
                    }
                    let mut texts = std::mem::take(&mut self.texts);
                    let text = self.text(tape.texts(), id);
                    if memchr::memchr(0, text).is_some() {
                        losses.report(&losses::NUL, number, tape.text(id).replace('\0', "\\0"));
                    }
                    texts.extend(text.iter().map(|b| if *b == 0 { b' ' } else { *b }));
                    self.texts = texts;
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// The index of the end of the line that continues at `at`: its `End`, or the end of the tape.
fn end_of_line(game: &Game, mut at: usize) -> usize {
    while let Some(op) = game.tape.get(at) {
        match op {
            TapeOp::End => break,
            TapeOp::Begin(_) => at = game.tape.skip(at),
            _ => at += 1,
        }
    }
    at
}

/// Whether a tag would be taken for the end of the movetext, although the movetext of the game ends with another result.
fn ends_itself(game: &Game, index: usize) -> bool {
    let later = (game.tags.iter().skip(index + 1)).any(|tag| tag.name == ENDING_TAG);
    let value = game.tags.at(index).map_or("", |tag| tag.value);
    let results = ResultPair::of(game);
    !later
        && results.other_ending().is_none()
        && other_ending(value.as_bytes(), results.field).is_some()
}

/// The result at the end of the movetext given by a tag of the record, if it differs from that of the field.
pub(super) fn other_ending(value: &[u8], field: Outcome) -> Option<Outcome> {
    let told = Outcome::from_pgn(std::str::from_utf8(value).ok()?)?;
    (field.is_definite() && told != field).then_some(told)
}

/// A tag whose name is not a common one.
fn push_tag(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.push(name.len().to_le_bytes()[0]);
    out.extend_from_slice(name);
    out.push(value.len().to_le_bytes()[0]);
    out.extend_from_slice(value);
}

/// Puts a rating into the entry; false if it remains an ordinary tag.
fn rating(name: &str, value: &str, taken: &mut [bool; 2], entry: &mut ScidEntry) -> bool {
    let Some((color, kind)) = RatingKind::from_tag_name(name) else {
        return false;
    };
    // The text must be read back unchanged: no spaces, signs or leading zeros, and the current name.
    let exact =
        value.starts_with(|c: char| ('1'..='9').contains(&c)) && kind.tag_name(color) == name;
    let slot = &mut taken[usize::from(color == Color::Black)];
    // The first tag of a name stays the first: if it does not fit into the field, later ones are not stored there either.
    let is_first = !std::mem::replace(slot, true);
    let (Some(code), Ok(number)) = (kind.to_scid(), value.parse::<u16>()) else {
        return false;
    };
    if !exact || number > MAX_RATING || !is_first {
        return false;
    }
    match color {
        Color::White => (entry.white_rating, entry.white_rating_kind) = (number, code),
        Color::Black => (entry.black_rating, entry.black_rating_kind) = (number, code),
    }
    true
}

/// At most `most` bytes, without half a character if the bytes are UTF-8.
fn cut(bytes: &[u8], most: usize) -> &[u8] {
    let Some(short) = bytes.get(..most) else {
        return bytes;
    };
    if bytes.len() == most {
        return bytes;
    }
    match std::str::from_utf8(short) {
        Err(error) if error.error_len().is_none() => {
            short.get(..error.valid_up_to()).unwrap_or(short)
        }
        _ => short,
    }
}

/// All kinds of loss that writing can report, for tables.
pub static LOSSES: &[&LossKind] = &[
    &losses::LOST_CHESS960,
    &losses::LOST_POSITION,
    &losses::LOST_LONG_GAME,
    &losses::LOST_FULL,
    &losses::CUT_VARIATIONS,
    &losses::CUT_COMMENTS,
    &losses::CUT_NAGS,
    &losses::LONG_NAME_CUT,
    &losses::LONG_TAG_CUT,
    &losses::FLAGS,
    &losses::SECOND_TAG,
    &losses::MANY_NAGS_CUT,
    &losses::HIGH_NAG,
    &losses::COMMENTS_JOINED,
    &losses::NUL,
    &losses::RAW,
    &losses::MOVE,
    &losses::EXTENSION,
    &losses::INNER_OUTCOME,
];
