//! The tags that the header and the two texts of a record give.

use shakmaty::Color;
use tabiya_model::eco::EcoCode;
use tabiya_model::game::{FLAGS_TAG, StartingPosition};
use tabiya_model::outcome::Outcome;
use tabiya_model::{Game, Location};

use super::super::charset::{CbfCharset, CbfTextKind};
use super::super::codes;
use super::super::comments::symbol_name;
use super::super::layout::{CbfChecksum, CbfHeader};
use super::super::tag_names::{
    ECO_TAG, PLAYERS_TAG, RESULT_BYTE_TAG, RESULT_TAG, SETUP_TAG, SOURCE_TAG, VERSION_TAG,
};
use super::super::text::CbfTexts;
use super::{CbfReadSettings, texts_of};

/// Adds the tags that the header and the texts give.
pub(super) fn read_tags(
    header: CbfHeader,
    texts: &[u8],
    rules: CbfReadSettings,
    odd_setup: Option<String>,
    game: &mut Game,
    place: &impl Fn() -> Location,
) {
    let letters = rules.letters;
    let (players, source) = texts_of(header, texts);
    let said = CbfTexts::read(players, source);
    let tags = &mut game.tags;
    push_name(tags, "Event", &said.event, letters);
    tags.push("Site", "?");
    match header.year() {
        None => tags.push("Date", "????.??.??"),
        Some(year) => {
            let mut date = *b"0000.??.??";
            digits(year, &mut date[..4]);
            tags.push("Date", std::str::from_utf8(&date).unwrap_or("????.??.??"));
        }
    }
    let round = said.round.as_str();
    tags.push("Round", if round.is_empty() { "?" } else { round });
    push_name(tags, "White", &said.white, letters);
    push_name(tags, "Black", &said.black, letters);
    let outcome = outcome_of(header);
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
    if let StartingPosition::Setup(board, _) = &game.start {
        tags.push("FEN", &board.to_fen());
        tags.push("SetUp", "1");
    }
    match (header.is_deleted(), header.is_marked()) {
        (true, true) => tags.push(FLAGS_TAG, "DU"),
        (true, false) => tags.push(FLAGS_TAG, "D"),
        (false, true) => tags.push(FLAGS_TAG, "U"),
        (false, false) => {}
    }
    if !said.annotator.is_empty() {
        push_name(tags, "Annotator", said.annotator, letters);
    }
    if let Some(symbol) = symbol_name(header.symbol()) {
        tags.push(RESULT_TAG, symbol);
    }
    if !header.has_plain_result() {
        let byte = header.result();
        tags.push(RESULT_BYTE_TAG, &byte.to_string());
        game.diagnostics.report(&codes::RESULT, place, || {
            let sign = symbol_name(header.symbol()).unwrap_or("none");
            format!("byte {byte}; its symbol is {sign}")
        });
    }
    match (header.version(), header.checksum()) {
        (true, CbfChecksum::A) => tags.push(VERSION_TAG, "A"),
        (false, CbfChecksum::A) => tags.push(VERSION_TAG, "0A"),
        (false, _) => tags.push(VERSION_TAG, "0"),
        (true, _) => {}
    }
    if let Some(bytes) = odd_setup {
        tags.push(SETUP_TAG, &bytes);
    }
    // The texts as they stand, where the names would be joined into others.
    if said.joined_players() != players {
        push_text(tags, PLAYERS_TAG, players, letters);
    }
    if said.joined_source() != source {
        push_text(tags, SOURCE_TAG, source, letters);
    }
    if eco_is_odd {
        let (main, sub) = header.eco();
        tags.push(ECO_TAG, &format!("{main}/{sub}"));
        game.diagnostics.report(&codes::ECO, place, || {
            format!("main number {main}, sub-code {sub}")
        });
    }
}

/// The result that a header says.
pub(in super::super) fn outcome_of(header: CbfHeader) -> Outcome {
    match header.result() {
        0 => Outcome::BlackWins,
        1 => Outcome::Draw,
        2 => Outcome::WhiteWins,
        _ => Outcome::Unknown,
    }
}

/// Adds a tag whose value may be unknown.
fn push_name(tags: &mut tabiya_model::Tags, name: &str, bytes: &[u8], letters: CbfCharset) {
    if bytes.is_empty() {
        tags.push(name, "?");
    } else {
        push_text(tags, name, bytes, letters);
    }
}

fn push_text(tags: &mut tabiya_model::Tags, name: &str, bytes: &[u8], letters: CbfCharset) {
    match letters.decode_special(bytes, CbfTextKind::Name) {
        Some(text) => tags.push_decoded(name, &text, bytes, letters.charset()),
        None => tags.push_bytes(name.as_bytes(), bytes, letters.charset()),
    }
}

/// Adds the ECO tag; says whether the numbers are no code.
fn read_eco(header: CbfHeader, tags: &mut tabiya_model::Tags) -> bool {
    let (main, sub) = header.eco();
    let Some(index) = main.checked_sub(1) else {
        return sub != 0;
    };
    let (Some(eco), true) = (EcoCode::from_index(index), sub < 100) else {
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
