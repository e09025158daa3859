//! A game's tags to the header and the two texts.

use shakmaty::Color;
use tabiya_model::canon_game::fold;
use tabiya_model::date::Date;
use tabiya_model::eco::EcoCode;
use tabiya_model::game::FLAGS_TAG;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Game, LossKind, Losses, Tags};

use super::super::charset::{CbfCharset, CbfTextKind};
use super::super::comments::symbol_code;
use super::super::layout::{CbfChecksum, CbfHeader, TEXT_MAX};
use super::super::losses::{
    LOST_DATE, LOST_ECO, LOST_ELO, LOST_ENDING, LOST_FLAG, LOST_LAYOUT, LOST_TAG, LOST_TEXT,
};
use super::super::tag_names::{
    ECO_TAG, PLAYERS_TAG, RESULT_BYTE_TAG, RESULT_TAG, SETUP_TAG, SOURCE_TAG, VERSION_TAG,
};
use super::super::text::{CbfTexts, join_players, join_source, trim};

use tabiya_codec::fact_losses::{ResultPair, StartTags, report_empty_tags};

/// Tags on their way to the header and the texts.
pub(super) struct CbfTagWriter<'a> {
    pub(super) tags: &'a Tags,
    pub(super) letters: CbfCharset,
    pub(super) number: u64,
    pub(super) losses: &'a mut Losses,
    pub(super) header: &'a mut CbfHeader,
    /// The formula of the checksum that the record is to have.
    pub(super) formula: CbfChecksum,
    /// Whether the set-up was stored as a file of this format had it.
    pub(super) keeps_setup: bool,
}

/// Every tag that has a place, by its bit in a set.
const STORED: [&str; 21] = [
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
    "Annotator",
    RESULT_BYTE_TAG,
    SETUP_TAG,
];

impl<'a> CbfTagWriter<'a> {
    /// Fills the header and gives the two texts.
    pub(super) fn write(&mut self, game: &Game) -> (Vec<u8>, Vec<u8>) {
        // One pass over the tags: the first of each name that has a place, and the rest is lost.
        let mut values = [None::<&'a str>; STORED.len()];
        for (index, tag) in game.tags.iter().enumerate() {
            let is_start = matches!(tag.name, "FEN" | "SetUp");
            if game.is_start_tag(index) {
                continue;
            }
            let place = STORED.iter().position(|name| *name == tag.name);
            match place.and_then(|at| values.get_mut(at)) {
                Some(value @ None) if !is_start => {
                    *value = Some(tag.value);
                }
                _ => self.report_loss(&LOST_TAG, tag.name, tag.value),
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
            annotator,
            result_byte,
            setup,
        ] = values;
        self.date(date.unwrap_or(""));
        let results = ResultPair::of(game);
        if results.other_tag().is_some() {
            self.losses.report(&LOST_TAG, self.number, results.both());
        }
        if results.other_ending().is_some() {
            self.losses
                .report(&LOST_ENDING, self.number, results.both());
        }
        let read = StartTags {
            fen: Some(&game.start_board().to_fen()),
            setup: true,
            variant: true,
        };
        read.report(game, self.losses);
        report_empty_tags(game, true, self.losses);
        self.result(results.field, symbol, result_byte);
        self.elo(Color::White, white_elo);
        self.elo(Color::Black, black_elo);
        self.eco(eco, eco_numbers);
        self.flags(flags);
        self.version(version);
        if let Some(setup) = setup.filter(|_| !self.keeps_setup) {
            self.report_loss(&LOST_TAG, SETUP_TAG, setup);
        }
        // The source text without an annotator is read as no tag at all.
        if let Some(text) = annotator.filter(|_| fold(known_value(annotator)).is_empty()) {
            self.report_loss(&LOST_TAG, "Annotator", text);
        }
        self.texts(&CbfTextValues {
            white: known_value(white),
            black: known_value(black),
            event: known_value(event),
            site: known_value(site),
            round: known_value(round),
            annotator: known_value(annotator),
            players: players_text,
            source: source_text,
        })
    }

    fn report_loss(&mut self, kind: &'static LossKind, name: &str, value: &str) {
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
            self.report_loss(&LOST_DATE, "Date", text);
        }
    }

    fn result(&mut self, outcome: Outcome, symbol: Option<&str>, byte: Option<&str>) {
        self.header.0[1] = match outcome {
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            Outcome::Unknown => 3,
        };
        let code = symbol.and_then(symbol_code);
        if let Some(symbol) = symbol {
            match code {
                Some(code) if outcome == Outcome::Unknown => self.header.0[1] |= code << 2,
                _ => self.report_loss(&LOST_TAG, RESULT_TAG, symbol),
            }
        }
        let Some(text) = byte else { return };
        let mut kept = *self.header;
        if let (Ok(byte @ 4..), Outcome::Unknown) = (text.parse(), outcome) {
            kept.0[1] = byte;
        }
        let says_the_same = kept.symbol() == self.header.symbol();
        if says_the_same && !kept.has_plain_result() && text == kept.result().to_string() {
            *self.header = kept;
        } else {
            self.report_loss(&LOST_TAG, RESULT_BYTE_TAG, text);
        }
    }

    fn version(&mut self, text: Option<&str>) {
        match text {
            None => {}
            Some("0") => self.header.0[11] &= !0x40,
            Some("A") => self.formula = CbfChecksum::A,
            Some("0A") => {
                self.header.0[11] &= !0x40;
                self.formula = CbfChecksum::A;
            }
            Some(value) => self.report_loss(&LOST_TAG, VERSION_TAG, value),
        }
    }

    fn elo(&mut self, color: Color, text: Option<&str>) {
        // An empty rating says what a missing one does.
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return;
        };
        let stored = self.header.set_elo(color, text.trim().parse().ok());
        let exact = stored.is_some_and(|elo| text.parse() == Ok(elo) && text.len() == 4);
        if !exact {
            self.report_loss(&LOST_ELO, color.fold_wb("WhiteElo", "BlackElo"), text);
        }
    }

    fn eco(&mut self, text: Option<&str>, numbers: Option<&str>) {
        if let Some(text) = text {
            match EcoCode::read(text) {
                Some((eco, exact)) if !self.header.is_setup() => {
                    let sub = eco.sub().unwrap_or(0);
                    self.header.set_eco(eco.index() + 1, sub);
                    // A sub-code of 0 is none.
                    let length = if sub == 0 { 3 } else { 6 };
                    if !exact || text.len() != length {
                        self.report_loss(&LOST_ECO, "ECO", text);
                    }
                }
                _ => self.report_loss(&LOST_ECO, "ECO", text),
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
            _ => self.report_loss(&LOST_TAG, ECO_TAG, numbers),
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
            self.report_loss(&LOST_FLAG, FLAGS_TAG, text);
        }
    }

    /// The bytes of a tag's value: its own where they mean the same here.
    fn bytes(&self, name: &str, value: &str) -> (Vec<u8>, usize) {
        let original = self.tags.position(name).map(|at| self.tags.original(at));
        let original = original.as_deref().unwrap_or_default();
        self.letters.bytes_of(value, original, CbfTextKind::Name)
    }

    /// The player text and the source text.
    fn texts(&mut self, wanted: &CbfTextValues<'_>) -> (Vec<u8>, Vec<u8>) {
        let [white, black, event, site, annotator] = [
            ("White", wanted.white),
            ("Black", wanted.black),
            ("Event", wanted.event),
            ("Site", wanted.site),
            ("Annotator", wanted.annotator),
        ]
        // Spaces around a name would make of the joined text one that its names do not give back.
        .map(|(name, value)| trim(&self.bytes(name, value).0).to_vec());
        let players = joined_players(&white, &black);
        let whole = match (&event[..], &site[..]) {
            (event, []) => event.to_vec(),
            ([], site) => site.to_vec(),
            // An event with which the site begins is not said twice.
            (event, site) if site.starts_with(event) => site.to_vec(),
            (event, site) => [event, b", ", site].concat(),
        };
        let source = joined_source(&whole, &self.round(wanted.round), &annotator);

        // The texts as a file of this format had them, where they say the same.
        let kept = |tag: Option<&str>, name, joined: &Vec<u8>| {
            let (bytes, replaced) = self.bytes(name, tag?);
            (replaced == 0 && bytes.len() <= TEXT_MAX && bytes != *joined).then_some(bytes)
        };
        let kept_players = kept(wanted.players, PLAYERS_TAG, &players);
        let kept_source = kept(wanted.source, SOURCE_TAG, &source);
        let tries = [
            (kept_players.as_ref(), kept_source.as_ref()),
            (kept_players.as_ref(), Some(&source)),
            (Some(&players), kept_source.as_ref()),
        ];
        let is_read = |(players, source): &(&Vec<u8>, &Vec<u8>)| {
            wanted.differences(&CbfTexts::read(players, source), self.letters)
                == CbfTextDifferences::default()
        };
        let found = tries
            .into_iter()
            .filter_map(|(players, source)| Some((players?, source?)))
            .find(is_read);
        let (players, source) = match found {
            Some((players, source)) => (players.clone(), source.clone()),
            None => (players, source),
        };
        for (tag, name, bytes, kept) in [
            (wanted.players, PLAYERS_TAG, &players, &kept_players),
            (wanted.source, SOURCE_TAG, &source, &kept_source),
        ] {
            if let Some(text) = tag
                && Some(bytes) != kept.as_ref()
            {
                self.report_loss(&LOST_TAG, name, text);
            }
        }
        let differences = wanted.differences(&CbfTexts::read(&players, &source), self.letters);
        let CbfTextValues {
            white,
            black,
            event,
            site,
            round,
            annotator,
            ..
        } = *wanted;
        if differences.players {
            let detail = format!("White {white:?}, Black {black:?}");
            self.losses.report(&LOST_TEXT, self.number, detail);
        }
        if differences.source {
            let detail = format!("Event {event:?}, Site {site:?}, Round {round:?}");
            self.losses.report(&LOST_TEXT, self.number, detail);
        }
        if differences.annotator {
            self.report_loss(&LOST_TAG, "Annotator", annotator);
        }
        if let Some(name) = wanted.laid_out_anew(&CbfTexts::read(&players, &source), self.letters) {
            self.losses.report(&LOST_LAYOUT, self.number, name);
        }
        (players, source)
    }

    /// The round as it stands in parentheses. One that is no number stays readable there.
    fn round(&self, round: &str) -> String {
        let (bytes, _) = self.bytes("Round", if round == "-" { "" } else { round });
        let chars = bytes.iter().map(|byte| match byte.is_ascii() {
            true => char::from(*byte),
            false => '?',
        });
        chars.take(TEXT_MAX / 2).collect()
    }
}

/// A player text of two names, cut to what the field holds.
fn joined_players(first: &[u8], second: &[u8]) -> Vec<u8> {
    let joined = join_players(first, second);
    if joined.len() <= TEXT_MAX {
        return joined;
    }
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
}

/// A source text, cut to what the field holds: the annotator goes first, then the end of event and site.
fn joined_source(whole: &[u8], round: &str, annotator: &[u8]) -> Vec<u8> {
    let whole = trim(whole);
    let mut joined = join_source(whole, round, annotator);
    if joined.len() > TEXT_MAX {
        joined = join_source(whole, round, b"");
    }
    if joined.len() > TEXT_MAX {
        let length = whole.len().saturating_sub(joined.len() - TEXT_MAX);
        joined = join_source(trim(whole.get(..length).unwrap_or_default()), round, b"");
        joined.truncate(TEXT_MAX);
    }
    joined
}

/// What the two texts are to say; empty where it is not known.
struct CbfTextValues<'a> {
    white: &'a str,
    black: &'a str,
    event: &'a str,
    site: &'a str,
    round: &'a str,
    annotator: &'a str,
    /// The texts as a file of this format had them.
    players: Option<&'a str>,
    source: Option<&'a str>,
}

/// What two texts say otherwise than they should.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
struct CbfTextDifferences {
    players: bool,
    source: bool,
    annotator: bool,
}

impl CbfTextValues<'_> {
    fn differences(&self, read: &CbfTexts<'_>, letters: CbfCharset) -> CbfTextDifferences {
        let is = |bytes: &[u8], value: &str| same(&letters.decode(bytes, CbfTextKind::Name), value);
        CbfTextDifferences {
            players: !is(&read.white, self.white) || !is(&read.black, self.black),
            source: !self.site.is_empty()
                || !is(&read.event, self.event)
                || read.round != self.round,
            annotator: !is(read.annotator, self.annotator),
        }
    }

    /// The first tag that differs in white space alone.
    fn laid_out_anew(&self, read: &CbfTexts<'_>, letters: CbfCharset) -> Option<&'static str> {
        let texts: [(_, &[u8], _); 4] = [
            ("White", &read.white, self.white),
            ("Black", &read.black, self.black),
            ("Event", &read.event, self.event),
            ("Annotator", read.annotator, self.annotator),
        ];
        let mut texts = texts.into_iter().map(|(name, bytes, value)| {
            let stored = letters.decode(bytes, CbfTextKind::Name);
            (name, same(&stored, value) && value != stored)
        });
        texts.find_map(|(name, differs)| differs.then_some(name))
    }
}

/// A value that says something.
fn known_value(value: Option<&str>) -> &str {
    match value {
        Some("?") | None => "",
        Some(value) => value,
    }
}

/// Whether two texts are the same but for white space.
fn same(a: &str, b: &str) -> bool {
    a == b || fold(a) == fold(b)
}
