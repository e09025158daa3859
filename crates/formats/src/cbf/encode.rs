//! One game to its record: tags to the header and the texts, the tape to moves and comments.

use tabiya_model::canon::fold;
use tabiya_model::charset::Charset;
use tabiya_model::date::Date;
use tabiya_model::eco::Eco;
use tabiya_model::game::{FLAGS_TAG, Start, Variant};
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Game, Losses, Tags};

use shakmaty::Color;

use super::layout::{self, Header, TEXT_MAX};
use super::losses::{LOST_DATE, LOST_ECO, LOST_ELO, LOST_FLAG, LOST_START, LOST_TAG, LOST_TEXT};
use super::moves::EnPassant;
use super::movetext::Movetext;
use super::text::{
    decode_name, encode_name, join_players, join_source, split_players, split_source, symbol_code,
    trim,
};
use super::{ECO_TAG, PLAYERS_TAG, RESULT_TAG, SOURCE_TAG, VERSION_TAG};

/// Encodes games one after the other and keeps its buffers.
pub(super) struct GameEncoder {
    charset: Charset,
    movetext: Movetext,
}

impl GameEncoder {
    pub(super) fn new(charset: Charset) -> GameEncoder {
        GameEncoder {
            charset,
            movetext: Movetext::new(charset),
        }
    }

    /// Appends the record of a game and reports what it does not hold.
    pub(super) fn encode(&mut self, game: &Game, record: &mut Vec<u8>, losses: &mut Losses) {
        let mut header = Header::default();
        header.0[11] = 0x40;
        let number = game.origin.number;
        let (start, board) = write_start(game, &mut header, losses);
        let mut tags = TagWriter {
            tags: &game.tags,
            charset: self.charset,
            number,
            losses,
            header: &mut header,
        };
        let (players, source) = tags.write(game);
        let en_passant = EnPassant::new(if board.is_some() {
            header.en_passant_file()
        } else {
            0
        });
        self.movetext.encode(game, start, en_passant, losses);
        let (moves, comments) = (&self.movetext.moves, &self.movetext.comments);
        header.set_lengths(players.len(), source.len(), moves.len(), comments.len());
        let full_moves = self.movetext.plies.div_ceil(2);
        header.0[12] = u8::try_from(full_moves).unwrap_or(u8::MAX);
        header.seal();

        record.extend_from_slice(&header.encrypt());
        let texts = record.len();
        record.extend_from_slice(&players);
        record.extend_from_slice(&source);
        if let Some(area) = record.get_mut(texts..) {
            layout::crypt_texts(area, players.len() + source.len());
        }
        let at = record.len();
        record.extend_from_slice(moves);
        if let Some(area) = record.get_mut(at..) {
            layout::crypt_moves(area, moves.len());
        }
        record.extend_from_slice(comments);
        if let Some(board) = board {
            record.extend_from_slice(&board);
        }
    }
}

/// Stores the start position; gives it as a reader will see it, and the board of the record.
fn write_start(
    game: &Game,
    header: &mut Header,
    losses: &mut Losses,
) -> (Board, Option<[u8; layout::BOARD_BYTES]>) {
    let number = game.origin.number;
    if game.variant != Variant::Standard {
        losses.report(&LOST_START, number, "the rules of another variant");
    }
    let Start::Setup(board, _) = &game.start else {
        return (Board::standard(), None);
    };
    let bytes = layout::write_setup(&board.to_setup(), header);
    let (setup, _) = layout::read_setup(header, &bytes);
    let (stored, _) = Board::from_setup(&setup);
    let (before, after) = (board.to_fen(), stored.to_fen());
    if before != after {
        losses.report(&LOST_START, number, format!("{before} as {after}"));
    }
    (stored, Some(bytes))
}

/// Tags on their way to the header and the texts.
struct TagWriter<'a> {
    tags: &'a Tags,
    charset: Charset,
    number: u64,
    losses: &'a mut Losses,
    header: &'a mut Header,
}

/// Every tag that has a place, by its bit in a set.
const STORED: [&str; 18] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "WhiteElo",
    "BlackElo",
    "ECO",
    "FEN",
    "SetUp",
    FLAGS_TAG,
    RESULT_TAG,
    VERSION_TAG,
    PLAYERS_TAG,
    SOURCE_TAG,
    ECO_TAG,
];

impl<'a> TagWriter<'a> {
    /// Fills the header and gives the two texts.
    fn write(&mut self, game: &Game) -> (Vec<u8>, Vec<u8>) {
        // One pass over the tags: the first of each name that has a place, and the rest is lost.
        let mut values = [None::<&'a str>; STORED.len()];
        let is_setup = self.header.is_setup();
        for tag in self.tags.iter() {
            if matches!(tag.name, "FEN" | "SetUp") && (is_setup || tag.value == "0") {
                continue;
            }
            let place = STORED.iter().position(|name| *name == tag.name);
            match place.and_then(|at| values.get_mut(at)) {
                Some(value @ None) if !matches!(tag.name, "FEN" | "SetUp") => {
                    *value = Some(tag.value);
                }
                _ => self.lost(&LOST_TAG, tag.name, tag.value),
            }
        }
        let [
            event,
            site,
            date,
            round,
            white,
            black,
            _,
            white_elo,
            black_elo,
            eco,
            _,
            _,
            flags,
            symbol,
            version,
            players_text,
            source_text,
            eco_numbers,
        ] = values;
        self.date(date.unwrap_or(""));
        self.result(game.result(), symbol);
        self.elo(Color::White, white_elo);
        self.elo(Color::Black, black_elo);
        self.eco(eco, eco_numbers);
        self.flags(flags);
        match version {
            Some("0") => self.header.0[11] &= !0x40,
            Some(value) => self.lost(&LOST_TAG, VERSION_TAG, value),
            None => {}
        }
        let players = self.players(known(white), known(black), players_text);
        let source = self.source(known(event), known(site), known(round), source_text);
        (players, source)
    }

    fn lost(&mut self, kind: &'static tabiya_model::LossKind, name: &str, value: &str) {
        self.losses
            .report(kind, self.number, format!("[{name} {value:?}]"));
    }

    fn date(&mut self, text: &str) {
        let date = Date::read(text).map_or(Date::UNKNOWN, |(date, _)| date);
        let fits = self.header.set_year(date.year);
        let exact = match self.header.year() {
            Some(year) => {
                let mut digits = year.to_string();
                digits.push_str(".??.??");
                digits == text
            }
            None => matches!(text, "" | "????.??.??"),
        };
        if !fits || !exact {
            self.lost(&LOST_DATE, "Date", text);
        }
    }

    fn result(&mut self, outcome: Outcome, symbol: Option<&str>) {
        self.header.0[1] = match outcome {
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            Outcome::Unknown => 3,
        };
        let Some(symbol) = symbol else { return };
        match symbol_code(symbol) {
            Some(code) if outcome == Outcome::Unknown => self.header.0[1] |= code << 2,
            _ => self.lost(&LOST_TAG, RESULT_TAG, symbol),
        }
    }

    fn elo(&mut self, color: Color, text: Option<&str>) {
        let Some(text) = text else { return };
        let stored = self.header.set_elo(color, text.trim().parse().ok());
        let exact = stored.is_some_and(|elo| text.parse() == Ok(elo) && text.len() == 4);
        if !exact {
            self.lost(&LOST_ELO, color.fold_wb("WhiteElo", "BlackElo"), text);
        }
    }

    fn eco(&mut self, text: Option<&str>, numbers: Option<&str>) {
        if let Some(text) = text {
            match Eco::read(text) {
                Some((eco, exact)) if !self.header.is_setup() => {
                    let sub = eco.sub().unwrap_or(0);
                    self.header.set_eco(eco.index() + 1, sub);
                    // A sub-code of 0 is none.
                    let length = if sub == 0 { 3 } else { 6 };
                    if !exact || text.len() != length {
                        self.lost(&LOST_ECO, "ECO", text);
                    }
                }
                _ => self.lost(&LOST_ECO, "ECO", text),
            }
        }
        let Some(numbers) = numbers else { return };
        let parsed = numbers
            .split_once('/')
            .and_then(|(main, sub)| Some((main.parse::<u16>().ok()?, sub.parse::<u8>().ok()?)));
        match parsed {
            Some((main @ 0..=511, sub @ 0..=127))
                if text.is_none()
                    && !self.header.is_setup()
                    && (main > 500 || sub > 99 || (main == 0 && sub > 0)) =>
            {
                self.header.set_eco(main, sub);
            }
            _ => self.lost(&LOST_TAG, ECO_TAG, numbers),
        }
    }

    fn flags(&mut self, text: Option<&str>) {
        let Some(text) = text else { return };
        let (deleted, marked) = (text.contains('D'), text.contains('U'));
        if deleted {
            self.header.0[10] |= 0x80;
        }
        if marked {
            self.header.0[10] |= 0x40;
        }
        let stored = match (deleted, marked) {
            (true, true) => "DU",
            (true, false) => "D",
            (false, true) => "U",
            (false, false) => "",
        };
        if stored != text || stored.is_empty() {
            self.lost(&LOST_FLAG, FLAGS_TAG, text);
        }
    }

    fn players(&mut self, white: &str, black: &str, text: Option<&str>) -> Vec<u8> {
        let charset = self.charset;
        let reads_back = |bytes: &[u8]| {
            let (w, b) = split_players(bytes);
            same(&decode(w, charset), white) && same(&decode(b, charset), black)
        };
        let [first, second] = [white, black].map(|name| encode_name(name, charset).0);
        // Spaces around a name would make of the joined text one that its names do not give back.
        let (first, second) = (trim(&first), trim(&second));
        let joined = join_players(first, second);
        if let Some(text) = text {
            let (bytes, replaced) = encode_name(text, charset);
            if replaced == 0 && bytes.len() <= TEXT_MAX && bytes != joined && reads_back(&bytes) {
                return bytes;
            }
            self.lost(&LOST_TAG, PLAYERS_TAG, text);
        }
        let joined = if joined.len() > TEXT_MAX {
            let separator = joined.len() - first.len() - second.len();
            let room = TEXT_MAX - separator.min(TEXT_MAX);
            let half = room / 2;
            // The shorter name is kept whole where it leaves room.
            let first_len = first.len().min(half.max(room.saturating_sub(second.len())));
            let second_len = second.len().min(room - first_len);
            let mut cut = join_players(
                trim(first.get(..first_len).unwrap_or_default()),
                trim(second.get(..second_len).unwrap_or_default()),
            );
            cut.truncate(TEXT_MAX);
            cut
        } else {
            joined
        };
        if !reads_back(&joined) {
            self.losses.report(
                &LOST_TEXT,
                self.number,
                format!("White {white:?}, Black {black:?}"),
            );
        }
        joined
    }

    fn source(&mut self, event: &str, site: &str, round: &str, text: Option<&str>) -> Vec<u8> {
        let charset = self.charset;
        let reads_back = |bytes: &[u8]| {
            let (e, r) = split_source(bytes);
            same(&charset.decode(&e), event) && r == round
        };
        let whole = match (event, site) {
            (event, "") => encode_name(event, charset).0,
            ("", site) => encode_name(site, charset).0,
            (event, site) => encode_name(&format!("{event}, {site}"), charset).0,
        };
        // A round that is no number stays readable within the text.
        let (round_bytes, _) = encode_name(if round == "-" { "" } else { round }, charset);
        let round_text: String = round_bytes
            .iter()
            .map(|byte| {
                if byte.is_ascii() {
                    char::from(*byte)
                } else {
                    '?'
                }
            })
            .take(TEXT_MAX / 2)
            .collect();
        let whole = trim(&whole);
        let mut joined = join_source(whole, &round_text);
        if let Some(text) = text {
            let (bytes, replaced) = encode_name(text, charset);
            let exact = replaced == 0 && bytes.len() <= TEXT_MAX && bytes != joined;
            if exact && site.is_empty() && reads_back(&bytes) {
                return bytes;
            }
            self.lost(&LOST_TAG, SOURCE_TAG, text);
        }
        if joined.len() > TEXT_MAX {
            let too_long = joined.len() - TEXT_MAX;
            let length = whole.len().saturating_sub(too_long);
            joined = join_source(trim(whole.get(..length).unwrap_or_default()), &round_text);
            joined.truncate(TEXT_MAX);
        }
        if !site.is_empty() || !reads_back(&joined) {
            self.losses.report(
                &LOST_TEXT,
                self.number,
                format!("Event {event:?}, Site {site:?}, Round {round:?}"),
            );
        }
        joined
    }
}

/// A value that says something.
fn known(value: Option<&str>) -> &str {
    match value {
        Some("?") | None => "",
        Some(value) => value,
    }
}

fn decode(name: &[u8], charset: Charset) -> std::borrow::Cow<'_, str> {
    match decode_name(name, charset) {
        Some(text) => text.into(),
        None => charset.decode(name),
    }
}

/// Whether two texts are the same but for white space.
fn same(a: &str, b: &str) -> bool {
    a == b || fold(a) == fold(b)
}
