//! Results and evaluations, symbols, game types, lists of names, and the charset of their bytes.

use tabiya_model::charset::Charset;
use tabiya_model::charset::detect::CharsetDetector;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;

use super::layout::{CaAddressTable, CaPlayer, PLAYER_BYTES, array};
use super::volume::{CaVolume, CaVolumeDamage};

/// The charset of Russian Windows, used by the original program.
pub const DEFAULT_CHARSET: Charset = Charset::Cp1251;
/// The confidence at which a guess of the charset replaces the default.
const SURE: f32 = 0.6;
/// How many names are read to determine the charset.
const SAMPLE: usize = 20_000;

/// Evaluations that can replace a result, from outcome 5 on, as the description prints them.
const EVALUATIONS: [(&str, u32); 12] = [
    ("+/-", 16),
    ("-/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("+-", 18),
    ("-+", 19),
    ("=", 10),
    ("Inf", 13),
    ("=/Inf", 44),
    ("->", 40),
    ("^", 36),
    ("->/<-", 132),
];
/// The first outcome that is an evaluation.
const FIRST_EVALUATION: u8 = 5;

/// The meaning of the outcome byte of a header.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CaOutcome {
    /// The result.
    pub outcome: Outcome,
    /// The evaluation instead of a result: its text and its NAG.
    pub evaluation: Option<(&'static str, Nag)>,
    /// Whether the description has the value. 0 counts: an empty header has it.
    pub is_known: bool,
}

/// The meaning of an outcome byte.
pub fn decode_outcome(byte: u8) -> CaOutcome {
    let evaluation = byte
        .checked_sub(FIRST_EVALUATION)
        .and_then(|at| EVALUATIONS.get(usize::from(at)))
        .map(|(text, nag)| (*text, Nag(*nag)));
    let outcome = match byte {
        1 => Outcome::Draw,
        2 => Outcome::WhiteWins,
        3 => Outcome::BlackWins,
        _ => Outcome::Unknown,
    };
    CaOutcome {
        outcome,
        evaluation,
        is_known: byte <= 4 || evaluation.is_some(),
    }
}

/// The outcome byte of a result.
pub fn outcome_byte(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Draw => 1,
        Outcome::WhiteWins => 2,
        Outcome::BlackWins => 3,
        Outcome::Unknown => 4,
    }
}

/// The outcome byte of an evaluation's text, with its NAG.
pub fn evaluation_byte(text: &str) -> Option<(u8, Nag)> {
    let at = EVALUATIONS.iter().position(|(known, _)| *known == text)?;
    let (_, nag) = EVALUATIONS.get(at)?;
    Some((u8::try_from(at).ok()? + FIRST_EVALUATION, Nag(*nag)))
}

/// The types of games, from 1.
const KINDS: [&str; 30] = [
    "own game",
    "historic game",
    "model game",
    "annotated game from a book",
    "computer game",
    "opening theory or plan",
    "middlegame",
    "endgame",
    "strategy",
    "tactics",
    "test",
    "blunder",
    "kingside attack",
    "queenside attack",
    "counter-attack",
    "typical pawn structure",
    "piece play",
    "positional sacrifice",
    "material imbalance",
    "transition to the endgame",
    "bishops of opposite colours",
    "space",
    "defence",
    "prophylaxis",
    "drawing method",
    "own analysis",
    "computer analysis",
    "tablebase analysis",
    "psychology",
    "miscellaneous",
];

/// A type of game in the form of a tag: the number, or a set of bits in hexadecimal, and its words. `None` for 0.
///
/// Four bytes for 30 kinds look like a set of bits, but the description calls the field a number: numbers up to 30 are
/// read as numbers.
pub fn kind_text(kind: u32) -> Option<String> {
    let name = |n: u32| {
        usize::try_from(n)
            .ok()?
            .checked_sub(1)
            .and_then(|at| KINDS.get(at).copied())
    };
    if kind == 0 {
        return None;
    }
    if let Some(name) = name(kind) {
        return Some(format!("{kind} {name}"));
    }
    let names: Vec<_> = (0..32)
        .filter(|bit| kind >> bit & 1 == 1)
        .filter_map(|bit| name(bit + 1))
        .collect();
    let words = names.join(", ");
    Some(format!("0x{kind:x} {words}").trim_end().to_owned())
}

/// The type of game from such a text.
pub fn kind_number(text: &str) -> Option<u32> {
    let number = text.split(' ').next()?;
    let kind = match number.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    (kind_text(kind).as_deref() == Some(text)).then_some(kind)
}

/// A player's sex in the form of a tag.
pub fn sex_text(sex: u8) -> Option<String> {
    match sex {
        0 => None,
        1 => Some("male".to_owned()),
        2 => Some("female".to_owned()),
        other => Some(other.to_string()),
    }
}

/// The byte of such a text.
pub fn sex_byte(text: &str) -> Option<u8> {
    let byte = match text {
        "male" => 1,
        "female" => 2,
        other => other.parse().ok()?,
    };
    (sex_text(byte).as_deref() == Some(text)).then_some(byte)
}

/// Reads a symbol comment as one or several NAGs; returns whether all of it was understood. If not, no NAG is added.
pub fn read_symbols(data: &[u8], mut give: impl FnMut(Nag)) -> bool {
    let Ok(text) = std::str::from_utf8(data) else {
        return false;
    };
    let text = text.trim_matches(|c: char| c == '\0' || c == ' ');
    if let Some(nag) = one_symbol(text) {
        give(nag);
        return true;
    }
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((nag, after)) = Nag::strip_glyph(rest) {
        all.push(nag);
        rest = after.trim_start();
    }
    let is_understood = rest.is_empty();
    if is_understood {
        all.into_iter().for_each(give);
    }
    is_understood
}

fn one_symbol(text: &str) -> Option<Nag> {
    EVALUATIONS
        .iter()
        .find(|(known, _)| *known == text)
        .map(|(_, nag)| Nag(*nag))
        .or_else(|| Nag::from_glyph(text))
        .or_else(|| Nag::from_pgn(text))
}

/// The text written for a NAG: a symbol if reading it gives the same NAG, otherwise its number.
pub fn symbol_text(nag: Nag) -> String {
    let evaluation = EVALUATIONS
        .iter()
        .find(|(_, known)| Nag(*known) == nag)
        .map(|(text, _)| *text);
    evaluation
        .or_else(|| nag.ascii())
        .filter(|text| one_symbol(text) == Some(nag))
        .map_or_else(|| format!("${}", nag.0), str::to_owned)
}

/// A list of names from the EMB.
#[derive(Clone, Default, Debug)]
pub struct CaNameList {
    /// The address of each name.
    pub addresses: CaAddressTable,
    data: Vec<u8>,
    facts: Vec<u8>,
    has_titles: bool,
}

/// The lists of names.
#[derive(Clone, Default, Debug)]
pub struct CaNameLists {
    /// Players and annotators.
    pub players: CaNameList,
    /// Events.
    pub events: CaNameList,
    /// Places.
    pub places: CaNameList,
    /// Sources.
    pub sources: CaNameList,
    /// Games whose ECO number 0 is A00, by the numbers of their addresses in the headers.
    a00: Vec<u32>,
    /// The charset of all texts, if the database stores it.
    pub charset: Option<Charset>,
}

/// The stems of the inner files, in the order of the directory.
pub const LIST_NAMES: [&str; 4] = ["Players", "Events", "Places", "Sources"];
/// The extensions of the inner files, in the order of the directory.
pub const LIST_FILES: [&str; 7] = ["cdp", "iii", "axx", "dxx", "d00", "a01", "d01"];

/// Whether the description names an inner file, or it is ours.
pub fn is_described(name: &[u8]) -> bool {
    let is_ours = |file: &str| name.eq_ignore_ascii_case(file.as_bytes());
    is_ours(A00_FILE)
        || is_ours(CHARSET_FILE)
        || LIST_NAMES.iter().any(|stem| {
            LIST_FILES
                .iter()
                .any(|file| name.eq_ignore_ascii_case(format!("{stem}.{file}").as_bytes()))
        })
}

/// The inner file that lists the games with A00: in a header, both A00 and no code are number 0. Only Tabiya writes it; the
/// format allows files of any name.
pub const A00_FILE: &str = "Tabiya.a00";

/// The inner file with the charset of all texts. Only Tabiya writes it, if a text is not ASCII.
pub const CHARSET_FILE: &str = "Tabiya.cs";

impl CaNameLists {
    /// Whether ECO number 0 of a game is A00.
    pub fn is_a00(&self, game: u32) -> bool {
        self.a00.binary_search(&game).is_ok()
    }

    /// All lists in the order of [`LIST_NAMES`].
    pub fn all(&self) -> [&CaNameList; 4] {
        [&self.players, &self.events, &self.places, &self.sources]
    }

    /// The same to be changed.
    pub(super) fn all_mut(&mut self) -> [&mut CaNameList; 4] {
        [
            &mut self.players,
            &mut self.events,
            &mut self.places,
            &mut self.sources,
        ]
    }

    /// Reads the lists. Each call of `missing` and `damaged` names a needed file that cannot be read.
    pub fn read(
        volume: &CaVolume<'_>,
        mut missing: impl FnMut(String),
        mut damaged: impl FnMut(CaVolumeDamage),
    ) -> CaNameLists {
        let mut lists = CaNameLists::default();
        let mut load = |stem: &str, extension: &str| {
            let name = format!("{stem}.{extension}");
            match volume.find(&name).map(|file| volume.read(file)) {
                Some(Ok(bytes)) => bytes,
                Some(Err(damage)) => {
                    damaged(damage);
                    Vec::new()
                }
                None => {
                    missing(name);
                    Vec::new()
                }
            }
        };
        let targets = [
            &mut lists.players,
            &mut lists.events,
            &mut lists.places,
            &mut lists.sources,
        ];
        for (stem, names) in LIST_NAMES.into_iter().zip(targets) {
            names.addresses = CaAddressTable::resolve(&load(stem, "a01"));
            names.data = load(stem, "d01");
        }
        lists.players.has_titles = true;
        lists.players.facts = load("Players", "d00");
        if let Some(Ok(bytes)) = volume.find(A00_FILE).map(|file| volume.read(file)) {
            let (numbers, _) = bytes.as_chunks::<4>();
            lists.a00 = numbers.iter().copied().map(u32::from_le_bytes).collect();
            lists.a00.sort_unstable();
        }
        if let Some(Ok(bytes)) = volume.find(CHARSET_FILE).map(|file| volume.read(file)) {
            let name = String::from_utf8_lossy(&bytes);
            lists.charset = Charset::from_name(name.trim()).filter(|it| it.is_single_byte());
        }
        lists
    }

    /// How many entries of each list refer to zeros in place of a name.
    pub(super) fn blank_names(&self) -> [usize; 4] {
        self.all().map(CaNameList::blank)
    }

    /// A name with characters outside ASCII.
    pub fn odd_name(&self) -> Option<&[u8]> {
        let names = self.all().into_iter();
        names
            .flat_map(|names| (0..names.len()).map(move |id| (names, id)))
            .filter_map(|(names, id)| names.get(u32::try_from(id).ok()?))
            .map(|(name, _)| name)
            .find(|name| !name.is_ascii())
    }

    /// The charset detected from the names, if it is clear.
    pub fn detect_charset(&self) -> Option<Charset> {
        let mut detector = CharsetDetector::new();
        for names in self.all() {
            for id in 0..names.len().min(SAMPLE) {
                if let Some((name, _)) = names.get(u32::try_from(id).unwrap_or(u32::MAX))
                    && !name.is_ascii()
                {
                    detector.push(name);
                }
            }
        }
        let guess = detector.guess();
        let is_possible = guess.charset == Charset::Utf8
            || (guess.charset.is_single_byte() && guess.charset != Charset::Ascii);
        (is_possible && guess.confidence >= SURE).then_some(guess.charset)
    }
}

impl CaNameList {
    /// The number of entries, the empty one and indirections included.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// A name with its title; `None` if the number refers to nothing or the name extends past its file.
    #[inline]
    pub fn get(&self, id: u32) -> Option<(&[u8], &[u8])> {
        let at = self.addresses.get(id)?;
        let (length, rest) = self.data.get(at..)?.split_first()?;
        if !self.has_titles {
            return Some((rest.get(..usize::from(*length))?, &[]));
        }
        let (title, rest) = rest.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        Some((name, rest.get(..usize::from(*title))?))
    }

    /// How many entries refer to zeros in place of a name. An empty name is as short as a name can be: if more zeros follow
    /// before the next name begins, there was a name.
    fn blank(&self) -> usize {
        let ids = 1..u32::try_from(self.len()).unwrap_or(u32::MAX);
        let is_empty = |id: &u32| matches!(self.get(*id), Some((b"", b"")));
        let empty: Vec<usize> = ids
            .clone()
            .filter(is_empty)
            .filter_map(|id| self.addresses.get(id))
            .collect();
        if empty.is_empty() {
            return 0;
        }
        let mut starts: Vec<usize> = ids.filter_map(|id| self.addresses.get(id)).collect();
        starts.sort_unstable();
        let head = if self.has_titles { 2 } else { 1 };
        let is_blank = |at: &&usize| {
            let next = starts.partition_point(|start| start <= *at);
            let end = starts.get(next).copied().unwrap_or(self.data.len());
            let gap = self.data.get(*at + head..end).unwrap_or_default();
            gap.first() == Some(&0)
        };
        empty.iter().filter(is_blank).count()
    }

    /// Other data about a player.
    pub fn facts(&self, id: u32) -> CaPlayer {
        usize::try_from(id)
            .ok()
            .and_then(|id| id.checked_mul(PLAYER_BYTES))
            .and_then(|at| array::<PLAYER_BYTES>(&self.facts, at))
            .map(|bytes| CaPlayer::read(&bytes))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes() {
        assert_eq!(decode_outcome(2).outcome, Outcome::WhiteWins);
        assert_eq!(decode_outcome(5).evaluation, Some(("+/-", Nag(16))));
        assert_eq!(decode_outcome(16).evaluation, Some(("->/<-", Nag(132))));
        assert!(
            decode_outcome(0).is_known
                && !decode_outcome(17).is_known
                && !decode_outcome(255).is_known
        );
        for byte in 5..=16 {
            let (text, nag) = decode_outcome(byte).evaluation.expect("an evaluation");
            assert_eq!(evaluation_byte(text), Some((byte, nag)));
        }
        for outcome in Outcome::ALL {
            assert_eq!(decode_outcome(outcome_byte(outcome)).outcome, outcome);
        }
    }

    #[test]
    fn kinds_come_back() {
        assert_eq!(kind_text(2).as_deref(), Some("2 historic game"));
        assert_eq!(
            kind_text(0x24).as_deref(),
            Some("0x24 model game, opening theory or plan")
        );
        assert_eq!(kind_text(0), None);
        for kind in [1, 30, 31, 32, 0x8000_0000, u32::MAX] {
            assert_eq!(kind_number(&kind_text(kind).expect("a text")), Some(kind));
        }
        assert_eq!(kind_number("2"), None);
        assert_eq!(kind_number("nonsense"), None);
    }

    #[test]
    fn symbols() {
        let read = |text: &str| {
            let mut nags = Vec::new();
            read_symbols(text.as_bytes(), |nag| nags.push(nag.0)).then_some(nags)
        };
        assert_eq!(read("!"), Some(vec![1]));
        assert_eq!(read("!?+/-"), Some(vec![5, 16]));
        assert_eq!(read("=/Inf"), Some(vec![44]));
        assert_eq!(read("->/<-"), Some(vec![132]));
        assert_eq!(read("$146"), Some(vec![146]));
        assert_eq!(read("\u{1}"), None);
        assert_eq!(read("good"), None);
        for nag in 1..=255 {
            assert_eq!(read(&symbol_text(Nag(nag))), Some(vec![nag]), "{nag}");
        }
    }

    #[test]
    fn sexes() {
        for byte in 0..=255 {
            if let Some(text) = sex_text(byte) {
                assert_eq!(sex_byte(&text), Some(byte));
            }
        }
        assert_eq!(sex_byte("1"), None);
    }
}
