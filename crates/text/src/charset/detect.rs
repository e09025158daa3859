//! Guessing the charset of text that does not declare one.
//!
//! UTF-8 and UTF-16 are recognised by their form. The others are recognised by reading each byte above ASCII in every
//! candidate, together with its two neighbours, and checking how well the result looks like writing: are letters next
//! to letters of the same script, capitals at the beginning of words, vowels next to consonants, and how common are the
//! letters in a language of the charset. A text is in one language: it gets the points of the language that matches all
//! of its letters best, so that a letter that is rare in all of Western Europe is common next to other Icelandic
//! letters. All points are added up, for any number of names or games.

use std::sync::LazyLock;

use super::{Charset, approximate};

/// A guessed charset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CharsetGuess {
    /// The most likely charset; UTF-8 for pure ASCII, CP1252 if nothing else matches better.
    pub charset: Charset,
    /// How sure the guess is, from 0.0 (no evidence) to 1.0 (certain).
    pub confidence: f32,
}

/// Collects evidence from strings or whole games.
#[derive(Debug, Clone, Default)]
pub struct CharsetDetector {
    /// The score of each candidate.
    points: [i64; CANDIDATES.len()],
    /// The number of scored bytes above ASCII.
    sampled: u32,
    /// The set of scored bytes above ASCII, one bit each.
    seen: u128,
    /// Characters above ASCII that were well-formed UTF-8.
    well_formed: u64,
    /// Bytes that were not UTF-8.
    malformed: u64,
    /// Texts that look like UTF-16, low byte first and high byte first, and all others.
    wide: [u32; 2],
    narrow: u32,
    /// The charset of a byte order mark.
    marked: Option<Charset>,
}

/// The score of each letter of a language; letters not listed are foreign to it.
type LanguageLetters = &'static [(&'static str, i8)];

/// Each candidate with its languages and a small penalty, so that the commoner one wins a tie.
const CANDIDATES: [(Charset, &[LanguageLetters], i64); 10] = [
    (Charset::Cp1252, WESTERN, 0),
    (Charset::Cp1251, CYRILLIC, 1),
    (Charset::Cp1250, CENTRAL, 2),
    (Charset::Cp850, WESTERN, 2),
    (Charset::Cp866, CYRILLIC, 2),
    (Charset::Koi8R, CYRILLIC, 3),
    (Charset::Cp437, WESTERN, 4),
    (Charset::Cp852, CENTRAL, 4),
    (Charset::Latin2, CENTRAL, 5),
    (Charset::MacRoman, WESTERN, 6),
];

/// The most languages of a charset.
const LANGUAGES: usize = 9;

/// After this number of bytes above ASCII, more would not change the guess.
const ENOUGH: u32 = 100_000;

/// How common letters are in the languages of Western Europe.
const WESTERN: &[LanguageLetters] = &[
    GERMAN, FRENCH, SPANISH, PORTUGUESE, NORDIC, ICELANDIC, ITALIAN, DUTCH, ESTONIAN,
];

const GERMAN: LanguageLetters = &[("üöä", 6), ("ß", 4), ("é", 2), ("èáó", 0), ("ëç", -1)];
const FRENCH: LanguageLetters = &[
    ("é", 6),
    ("èç", 5),
    ("êàâôîï", 3),
    ("ûëœ", 2),
    ("ùü", 0),
    ("ÿæ", -4),
];
const SPANISH: LanguageLetters = &[("áéíóñ", 6), ("ú", 4), ("çàòèü", 2), ("ïâ", -2)];
const PORTUGUESE: LanguageLetters = &[("ãáéíóç", 5), ("úõê", 4), ("ôâ", 3), ("àü", 0)];
const NORDIC: LanguageLetters = &[("åäöø", 6), ("æ", 5), ("é", 4), ("ü", 1), ("áóš", 0)];
const ICELANDIC: LanguageLetters = &[("áóíðþ", 6), ("éúýöæ", 5), ("ø", 3), ("åü", -1)];
const ITALIAN: LanguageLetters = &[("òàìè", 5), ("ùé", 4), ("ü", -1)];
const DUTCH: LanguageLetters = &[("ëé", 5), ("ïö", 4), ("üèóáê", 1), ("ÿ", -4)];
const ESTONIAN: LanguageLetters = &[("üäõö", 6), ("šž", 1)];

/// How common letters are in the languages of Central Europe.
const CENTRAL: &[LanguageLetters] = &[POLISH, CZECH, HUNGARIAN, CROATIAN, ROMANIAN, GERMAN];

const POLISH: LanguageLetters = &[("łó", 6), ("ąęńść", 5), ("ż", 4), ("ź", 2), ("üöé", -2)];
const CZECH: LanguageLetters = &[
    ("áíéčřšž", 6),
    ("ýěú", 5),
    ("ňůó", 3),
    ("ťďľäô", 2),
    ("öü", 0),
    ("ŕĺ", -3),
];
const HUNGARIAN: LanguageLetters = &[("áéó", 6), ("öőíü", 5), ("ú", 4), ("ű", 3), ("ä", -2)];
const CROATIAN: LanguageLetters = &[("ćčšž", 6), ("đ", 4), ("éöü", -2)];
const ROMANIAN: LanguageLetters = &[("ăşţ", 5), ("îâ", 4), ("éöá", -2)];

/// How common letters are in the languages with Cyrillic letters.
const CYRILLIC: &[LanguageLetters] = &[RUSSIAN, UKRAINIAN, SERBIAN];

const RUSSIAN: LanguageLetters = &[
    ("оеаинтсрвл", 6),
    ("кмдпуяыьг", 5),
    ("збчйхжшюцщэф", 3),
    ("ёъ", 1),
    ("іў", -3),
];
const UKRAINIAN: LanguageLetters = &[
    ("оаинтсрвілек", 6),
    ("мдпуяьг", 5),
    ("збчйхжшюцщфїє", 3),
    ("ґў", -1),
    ("ёыэ", -3),
];
const SERBIAN: LanguageLetters = &[
    ("оеаинтсрвлј", 6),
    ("кмдпуг", 5),
    ("збчхжшцфћђњљ", 3),
    ("џ", 1),
];

/// The score of a letter that is foreign to the languages of a charset.
const FOREIGN: i8 = -8;

/// The class of a byte when read in a charset.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    /// A space, a digit, punctuation of ASCII, or the end of the text.
    Gap,
    /// A Latin letter.
    Latin { upper: bool, vowel: bool },
    /// A Cyrillic letter.
    Cyrillic { upper: bool },
    /// Quotes and dashes.
    Mark,
    /// One half, as in scores, and other fractions.
    Fraction,
    /// Another symbol that texts may hold.
    Sign,
    /// Symbols for drawing boxes, mathematics and the like.
    Drawing,
    /// No character at all.
    Nothing,
}

/// A byte above ASCII when read in a charset.
#[derive(Clone, Copy)]
struct ByteInterpretation {
    class: CharacterClass,
    /// The score of a letter in each language, or of a mark between letters.
    weights: [i8; LANGUAGES],
    /// Whether a vowel must follow (`ñ`, `ã`, `õ`, `œ`), or must not (`ń`, `ś`, `ă`, `ő`), where known.
    vowel_follows: Option<bool>,
    /// A letter that ends words (`ì`, `ò`, `ù`).
    ends_word: bool,
}

type InterpretationTable = [[ByteInterpretation; 128]; CANDIDATES.len()];

static READINGS: LazyLock<Box<InterpretationTable>> = LazyLock::new(|| {
    let blank = ByteInterpretation {
        class: CharacterClass::Nothing,
        weights: [0; LANGUAGES],
        vowel_follows: None,
        ends_word: false,
    };
    let mut readings = Box::new([[blank; 128]; CANDIDATES.len()]);
    for (table, (charset, languages, _)) in readings.iter_mut().zip(CANDIDATES) {
        for (reading, byte) in table.iter_mut().zip(128..=255u8) {
            if let Some(character) = charset.decode_byte(byte) {
                *reading = read(character, languages);
            }
        }
    }
    readings
});

fn is_vowel(letter: char) -> bool {
    matches!(
        letter.to_ascii_lowercase(),
        'a' | 'e' | 'i' | 'o' | 'u' | 'y'
    )
}

fn read(character: char, languages: &[LanguageLetters]) -> ByteInterpretation {
    let lower = character.to_lowercase().next().unwrap_or(character);
    let upper = lower != character;
    let class = match character {
        '\u{80}'..='\u{9F}' | '\u{F700}'..='\u{F8FF}' => CharacterClass::Nothing,
        '“' | '”' | '„' | '‘' | '’' | '‚' | '–' | '—' | '…' | '«' | '»' | '\u{A0}' => {
            CharacterClass::Mark
        }
        '½' | '¼' | '¾' => CharacterClass::Fraction,
        'ª' | 'º' | '¹' | '²' | '³' | '°' | '´' | '€' | '§' | '±' | '№' | '·' | '™' | '©' | '¡'
        | '¿' | '•' | '‰' | '®' | '£' | '‹' | '›' => CharacterClass::Sign,
        '\u{400}'..='\u{4FF}' => CharacterClass::Cyrillic { upper },
        _ if character.is_alphabetic() && u32::from(character) < 0x250 && character != 'ƒ' => {
            let base = approximate::in_ascii(character).and_then(|base| base.chars().next());
            CharacterClass::Latin {
                upper,
                vowel: base.is_some_and(is_vowel),
            }
        }
        _ => CharacterClass::Drawing,
    };
    let mut weights = [FOREIGN; LANGUAGES];
    for (weight, language) in weights.iter_mut().zip(languages) {
        let listed = language.iter().find(|(letters, _)| letters.contains(lower));
        *weight = match character {
            '’' => 3,
            _ if class == CharacterClass::Mark => -4,
            _ => listed.map_or(FOREIGN, |&(_, weight)| weight),
        };
    }
    ByteInterpretation {
        class,
        weights,
        vowel_follows: match lower {
            'ñ' | 'ã' | 'õ' | 'œ' => Some(true),
            'ń' | 'ś' | 'ź' | 'ă' | 'ő' | 'ę' => Some(false),
            _ => None,
        },
        ends_word: matches!(lower, 'ì' | 'ò' | 'ù'),
    }
}

/// The class of a neighbour.
fn class(byte: Option<u8>, table: &[ByteInterpretation; 128]) -> (CharacterClass, bool) {
    let Some(byte) = byte else {
        return (CharacterClass::Gap, true);
    };
    match usize::from(byte)
        .checked_sub(128)
        .and_then(|index| table.get(index))
    {
        Some(reading) => (reading.class, false),
        None if byte.is_ascii_alphabetic() => {
            let upper = byte.is_ascii_uppercase();
            (
                CharacterClass::Latin {
                    upper,
                    vowel: is_vowel(char::from(byte)),
                },
                true,
            )
        }
        None => (CharacterClass::Gap, true),
    }
}

/// The score of one byte above ASCII between its neighbours, without its score as a letter of a language; also whether it
/// has such a score.
fn points(
    before: Option<u8>,
    reading: &ByteInterpretation,
    after: Option<u8>,
    table: &[ByteInterpretation; 128],
) -> (i64, bool) {
    let (left, left_ascii) = class(before, table);
    let (right, right_ascii) = class(after, table);
    let is_letter = |class| {
        matches!(
            class,
            CharacterClass::Latin { .. } | CharacterClass::Cyrillic { .. }
        )
    };
    let is_upper = |class| {
        matches!(
            class,
            CharacterClass::Latin { upper: true, .. } | CharacterClass::Cyrillic { upper: true }
        )
    };
    let sides = i64::from(is_letter(left)) + i64::from(is_letter(right));
    match reading.class {
        CharacterClass::Nothing => (-60, false),
        CharacterClass::Drawing => (-18, false),
        CharacterClass::Gap => (0, false),
        CharacterClass::Sign => (1 - 7 * sides, false),
        // A word may follow (`¼finale`), but none precedes it.
        CharacterClass::Fraction => {
            let (left, right) = (i64::from(is_letter(left)), i64::from(is_letter(right)));
            (4 - 8 * left - 3 * right, false)
        }
        CharacterClass::Mark => match sides {
            // An apostrophe may be inside a word; quotes and dashes touch one word at most.
            2 => (0, true),
            _ => (1, false),
        },
        CharacterClass::Latin { upper, vowel } => {
            let (mut sum, mut is_letter_there) = (0, true);
            for (side, ascii) in [(left, left_ascii), (right, right_ascii)] {
                sum += match side {
                    CharacterClass::Latin { vowel: other, .. } => {
                        // Two accents in a row are rare.
                        let accents = if ascii { 0 } else { -3 };
                        accents
                            + if vowel != other {
                                2
                            } else if vowel {
                                -2
                            } else {
                                -1
                            }
                    }
                    CharacterClass::Cyrillic { .. } => -20,
                    CharacterClass::Drawing | CharacterClass::Nothing => -10,
                    CharacterClass::Sign | CharacterClass::Fraction => -6,
                    CharacterClass::Gap | CharacterClass::Mark => 0,
                };
            }
            if let (Some(wanted), CharacterClass::Latin { vowel: other, .. }) =
                (reading.vowel_follows, right)
            {
                sum += if wanted == other { 2 } else { -6 };
            } else if let (Some(wanted), CharacterClass::Gap) = (reading.vowel_follows, right) {
                sum += if wanted { -2 } else { 1 };
            }
            if reading.ends_word && is_letter(right) {
                sum -= 5;
            }
            if upper {
                sum += match (
                    is_letter(left),
                    is_upper(left),
                    is_letter(right),
                    is_upper(right),
                ) {
                    // A capital inside a word is probably not a letter, so even a common one scores no better.
                    (true, false, ..) => {
                        is_letter_there = false;
                        -12 - sum.max(0)
                    }
                    (false, _, true, false) => 1,
                    (false, _, false, _) => -3,
                    (true, true, true, false) => -9,
                    _ => 0,
                };
            } else {
                sum += match (is_letter(left), is_upper(right)) {
                    (_, true) => -12,
                    (false, _) => -3,
                    _ => 0,
                };
            }
            (sum, is_letter_there)
        }
        CharacterClass::Cyrillic { upper } => {
            let mut sum = 0;
            for side in [left, right] {
                sum += match side {
                    CharacterClass::Cyrillic { .. } => 3,
                    CharacterClass::Latin { .. } => -20,
                    CharacterClass::Drawing | CharacterClass::Nothing => -10,
                    CharacterClass::Sign | CharacterClass::Fraction => -6,
                    CharacterClass::Gap | CharacterClass::Mark => -1,
                };
            }
            if upper && is_letter(left) && !is_upper(left) {
                sum -= 15;
            } else if upper && !is_letter(left) && is_letter(right) && !is_upper(right) {
                sum += 1;
            } else if !upper && is_upper(right) {
                sum -= 15;
            }
            // Only a few letters are words of their own.
            match sides {
                0 => (-1, false),
                _ => (sum, true),
            }
        }
    }
}

/// Whether a byte is part of a sequence of equal bytes, or of filler in unused space, and so not text.
fn is_filling(bytes: &[u8], i: usize) -> bool {
    let Some(&byte) = bytes.get(i) else {
        return false;
    };
    let at = |place: Option<usize>| place.and_then(|place| bytes.get(place)).copied();
    let before = [i.checked_sub(1), i.checked_sub(2)].map(at);
    let after = [i.checked_add(1), i.checked_add(2)].map(at);
    let same = |list: [Option<u8>; 2]| {
        list.iter()
            .take_while(|other| **other == Some(byte))
            .count()
    };
    if same(before) + same(after) >= 2 {
        return true;
    }
    // The last letter of one charset is not text in another one: if it is alone, it proves nothing.
    let is_text = |other: Option<u8>| {
        other.is_some_and(|other| other != 0xff && (other > 127 || other.is_ascii_alphabetic()))
    };
    byte == 0xff && !is_text(before[0]) && !is_text(after[0])
}

impl CharsetDetector {
    /// A detector that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one complete text, such as a name, a comment or a whole game.
    ///
    /// A character cut off at the end counts neither for nor against UTF-8.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some((charset, _)) = Charset::from_byte_order_mark(bytes) {
            self.marked.get_or_insert(charset);
        }
        match width(bytes) {
            Some(place) => {
                if let Some(count) = self.wide.get_mut(place) {
                    *count = count.saturating_add(1);
                }
                return;
            }
            None => self.narrow = self.narrow.saturating_add(1),
        }
        if bytes.is_ascii() {
            return;
        }
        let (well_formed, malformed) = count_utf8(bytes);
        self.well_formed = self.well_formed.saturating_add(well_formed);
        self.malformed = self.malformed.saturating_add(malformed);
        if malformed == 0 || self.sampled >= ENOUGH {
            return;
        }
        if well_formed > 4 * malformed {
            // Mostly UTF-8: only the other bytes count for the other charsets.
            let mut at = 0;
            for chunk in bytes.utf8_chunks() {
                at += chunk.valid().len();
                let end = at + chunk.invalid().len();
                self.sample(bytes, at, end);
                at = end;
            }
        } else {
            self.sample(bytes, 0, bytes.len());
        }
    }

    /// Scores the bytes above ASCII in a range.
    fn sample(&mut self, bytes: &[u8], start: usize, end: usize) {
        let readings = &**READINGS;
        let range = bytes.get(start..end).unwrap_or_default();
        let mut sums = [[0_i64; LANGUAGES]; CANDIDATES.len()];
        let mut counted = 0;
        for (i, &byte) in (start..).zip(range) {
            if byte.is_ascii() || is_filling(bytes, i) {
                continue;
            }
            if self.sampled >= ENOUGH {
                break;
            }
            self.sampled += 1;
            counted += 1;
            self.seen |= 1 << (byte & 0x7F);
            let before = i.checked_sub(1).and_then(|place| bytes.get(place)).copied();
            let after = bytes.get(i + 1).copied();
            for ((sum, languages), table) in self.points.iter_mut().zip(&mut sums).zip(readings) {
                let Some(reading) = table.get(usize::from(byte & 0x7F)) else {
                    continue;
                };
                let (points, is_letter) = points(before, reading, after, table);
                *sum += points;
                if is_letter {
                    for (sum, weight) in languages.iter_mut().zip(reading.weights) {
                        *sum += i64::from(weight);
                    }
                }
            }
        }
        if counted > 0 {
            for (sum, languages) in self.points.iter_mut().zip(&sums) {
                *sum += languages.iter().max().copied().unwrap_or(0);
            }
        }
    }

    /// The most likely charset so far.
    #[must_use]
    pub fn guess(&self) -> CharsetGuess {
        if let Some(charset) = self.marked {
            return CharsetGuess {
                charset,
                confidence: 1.0,
            };
        }
        let [little, big] = self.wide;
        if little.max(big) > self.narrow {
            let charset = if little >= big {
                Charset::Utf16Le
            } else {
                Charset::Utf16Be
            };
            return CharsetGuess {
                charset,
                confidence: 0.9,
            };
        }
        if self.malformed == 0 {
            let confidence = match self.well_formed {
                0 => 0.0,
                1 => 0.9,
                2..=4 => 0.97,
                _ => 1.0,
            };
            return CharsetGuess {
                charset: Charset::Utf8,
                confidence,
            };
        }
        if self.well_formed > 10 * self.malformed {
            return CharsetGuess {
                charset: Charset::Utf8,
                confidence: 0.5,
            };
        }
        self.guess_legacy()
    }

    /// The most likely charset of the texts that are not UTF-8, for files that mix both.
    #[must_use]
    pub fn guess_legacy(&self) -> CharsetGuess {
        let score = |n: usize| -> i64 {
            let points = self.points.get(n).copied().unwrap_or(0);
            points - CANDIDATES.get(n).map_or(0, |&(.., penalty)| penalty)
        };
        let mut best = 0;
        for n in 1..CANDIDATES.len() {
            if score(n) > score(best) {
                best = n;
            }
        }
        let (charset, ..) = CANDIDATES.get(best).copied().unwrap_or(CANDIDATES[0]);
        // A rival that reads all the bytes in the same way does not count.
        let rival = (0..CANDIDATES.len())
            .filter(|&n| {
                CANDIDATES
                    .get(n)
                    .is_some_and(|&(other, ..)| self.differ(charset, other))
            })
            .map(score)
            .max();
        let confidence = match rival {
            Some(rival) if self.sampled > 0 => {
                let margin = (score(best) - rival).clamp(0, 1_000);
                // A lead of ten points is a confidence of one half, a lead of forty is 0.8.
                let margin = f32::from(i16::try_from(margin).unwrap_or(i16::MAX));
                margin / (margin + 10.0)
            }
            _ => 0.0,
        };
        CharsetGuess {
            charset,
            confidence,
        }
    }

    /// The charset that the texts clearly indicate, if it reads them differently from `other`.
    #[must_use]
    pub fn against(&self, other: Charset) -> Option<Charset> {
        /// The score that makes the guess for a whole text trustworthy.
        const CLEAR: i64 = 40;
        let mut best: Option<(i64, Charset)> = None;
        let mut others = None;
        for (points, (charset, _, penalty)) in self.points.iter().zip(&CANDIDATES) {
            let score = points - penalty;
            if *charset == other {
                others = Some(score);
            }
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, *charset));
            }
        }
        let (score, charset) = best?;
        (score - others? >= CLEAR && self.differ(charset, other)).then_some(charset)
    }

    /// Whether two charsets read any of the seen bytes differently.
    fn differ(&self, a: Charset, b: Charset) -> bool {
        (128..=255u8)
            .filter(|byte| self.seen >> (byte & 0x7F) & 1 == 1)
            .any(|byte| a.decode_byte(byte) != b.decode_byte(byte))
    }
}

/// Guesses the charset of one text.
#[must_use]
pub fn detect(bytes: &[u8]) -> CharsetGuess {
    let mut detector = CharsetDetector::new();
    detector.push(bytes);
    detector.guess()
}

/// Whether a text looks like UTF-16: 0 if low bytes come first, 1 if high bytes do.
fn width(bytes: &[u8]) -> Option<usize> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    if pairs.len() < 2 || !odd.is_empty() {
        return None;
    }
    // European text has high bytes of 0 or 4, and neither is a character in other charsets.
    let high = |byte: u8| byte == 0 || byte == 4;
    let mut counts = [0usize; 2];
    for &[first, second] in pairs {
        counts[0] += usize::from(high(second) && !high(first));
        counts[1] += usize::from(high(first) && !high(second));
    }
    counts
        .iter()
        .position(|&count| count >= pairs.len() - pairs.len() / 10)
}

/// Counts characters above ASCII, and bytes that are not UTF-8.
fn count_utf8(bytes: &[u8]) -> (u64, u64) {
    let (mut well_formed, mut malformed, mut at) = (0u64, 0u64, 0);
    for chunk in bytes.utf8_chunks() {
        let leads = chunk.valid().bytes().filter(|&b| b >= 0xC0).count();
        well_formed = well_formed.saturating_add(u64::try_from(leads).unwrap_or(u64::MAX));
        at += chunk.valid().len() + chunk.invalid().len();
        let cut_off = at == bytes.len()
            && well_formed > 0
            && std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
        if !cut_off {
            let count = u64::try_from(chunk.invalid().len()).unwrap_or(u64::MAX);
            malformed = malformed.saturating_add(count);
        }
    }
    (well_formed, malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forms_of_unicode() {
        let utf16 = |charset: Charset| charset.encode("[White \"Карпов\"]").unwrap_or_default();
        for (bytes, charset, least) in [
            (&b""[..], Charset::Utf8, 0.0),
            (b"plain ASCII", Charset::Utf8, 0.0),
            ("Müller".as_bytes(), Charset::Utf8, 0.9),
            ("Карпов".as_bytes(), Charset::Utf8, 1.0),
            (b"\xEF\xBB\xBFplain", Charset::Utf8, 1.0),
            (b"\xFF\xFEa\0", Charset::Utf16Le, 1.0),
            (b"\xFE\xFF\0a", Charset::Utf16Be, 1.0),
            (&utf16(Charset::Utf16Le), Charset::Utf16Le, 0.9),
            (&utf16(Charset::Utf16Be), Charset::Utf16Be, 0.9),
            // A character cut off at the end.
            (b"M\xC3\xBCller, J\xC3", Charset::Utf8, 0.9),
            // One stray byte in a long UTF-8 text.
            (
                &[&"Карпов ".repeat(20).into_bytes()[..], b"\x96 x"].concat(),
                Charset::Utf8,
                0.5,
            ),
        ] {
            let guess = detect(bytes);
            assert_eq!(guess.charset, charset, "{bytes:?}");
            assert!(guess.confidence >= least, "{bytes:?}: {}", guess.confidence);
        }
        assert!(detect(b"plain ASCII").confidence < 0.1);
    }

    #[test]
    fn files_that_mix_charsets() {
        let mut detector = CharsetDetector::new();
        for name in ["Müller", "Hübner", "Größe", "Jörg"] {
            detector.push(name.as_bytes());
            detector.push(&Charset::Cp1252.encode(name).unwrap_or_default());
        }
        assert_eq!(detector.guess_legacy().charset, Charset::Cp1252);
        // An apostrophe of another program among names.
        let mut detector = CharsetDetector::new();
        detector.push(b"Kasparov\xD5s decision");
        detector.push(b"Karsten M\xFCller");
        assert_eq!(detector.guess().charset, Charset::Cp1252);
    }

    #[test]
    fn scores_and_quotes() {
        for (charset, text) in [
            (Charset::Cp1252, "½-½ after 20 moves"),
            (Charset::Cp850, "½-½ after 20 moves"),
            (Charset::Cp1252, "“the only move” – says John"),
            (Charset::Cp1252, "White’s attack"),
            (Charset::Cp1251, "1–0, «Спартак» №1"),
        ] {
            let bytes = charset.encode(text).unwrap_or_default();
            assert_eq!(
                detect(&bytes).charset.decode(&bytes),
                text,
                "{}",
                charset.name()
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_guessed(texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..32), 0..8)) {
            let mut detector = CharsetDetector::new();
            for text in &texts {
                detector.push(text);
            }
            for guess in [detector.guess(), detector.guess_legacy()] {
                prop_assert!((0.0..=1.0).contains(&guess.confidence));
            }
        }

        #[test]
        fn well_formed_text_is_utf8(text in "[a-zé😀К]{1,40}") {
            prop_assert_eq!(detect(text.as_bytes()).charset, Charset::Utf8);
        }
    }
}
