//! Texts: their charset, symbols among their bytes, and the bodies of guiding texts.
//!
//! The files do not store a charset. A field that is UTF-8 is read as UTF-8; the others are bytes of the Windows code
//! page of their author, which is detected from all of them together, for names, for texts and for the texts of each
//! language.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use tabiya_io::bytes::ByteCursor;
use tabiya_model::charset::Charset;
use tabiya_model::charset::detect::CharsetDetector;

use super::tables;
use crate::counted::counted;

/// The code page of most databases.
pub const DEFAULT: Charset = Charset::Cp1252;
/// How [`DEFAULT`] was found out if there is nothing that could tell: no text that is neither ASCII nor UTF-8.
pub(in crate::cbh) const ASSUMED: &str = "assumed";
/// How sure a guess of the charset must be to win over the default.
const SURE: f32 = 0.6;
/// How many different bytes must mean something else than in the default: a word that is often repeated is no proof.
const DIFFERENT: usize = 3;
/// So many bytes beyond ASCII say all that more would say.
const ENOUGH: usize = 4_000;
/// The code pages of Windows programs.
const POSSIBLE: [Charset; 3] = [Charset::Cp1250, Charset::Cp1251, Charset::Cp1252];

/// Figurines in the order of their bytes, the first of which is that of a king.
const FIGURINES: [char; 6] = ['♔', '♕', '♘', '♗', '♖', '♙'];
const FIRST_FIGURINE: u8 = 0xa2;
/// A diagram, in old texts and in newer ones.
const DIAGRAM: u8 = 0x9e;
const NEW_DIAGRAM: u8 = 0x04;
/// What stands for a diagram in comments.
pub(super) const DIAGRAM_MARK: &str = "[#]";
/// The sign for a weak point, which is also the first byte of Hebrew letters in UTF-8.
const WEAK_POINT: u8 = 0xd7;

/// Collects evidence for a charset.
#[derive(Debug, Default)]
pub struct CbhCharsetEvidence {
    detector: CharsetDetector,
    seen: BTreeSet<u8>,
    /// How many bytes beyond ASCII were looked at.
    looked_at: usize,
    cleaned: Vec<u8>,
}

impl CbhCharsetEvidence {
    /// Takes a text in; UTF-8 gives no evidence about code pages.
    pub fn add(&mut self, bytes: &[u8]) {
        let is_none =
            || std::str::from_utf8(bytes).is_ok() || bytes.iter().any(|byte| (1..9).contains(byte));
        if self.looked_at >= ENOUGH || is_none() {
            return;
        }
        self.cleaned.clear();
        self.cleaned.extend(bytes.iter().map(|byte| match *byte {
            0xa2..=0xa7 | DIAGRAM => b' ',
            byte => byte,
        }));
        self.detector.push(&self.cleaned);
        let high = self.cleaned.iter().filter(|byte| !byte.is_ascii());
        self.looked_at += high.clone().count();
        self.seen.extend(high);
    }

    /// The code page detected from the texts, if it is clear.
    pub fn guess(&self) -> Option<Charset> {
        let guess = self.detector.guess();
        if guess.confidence < SURE || !POSSIBLE.contains(&guess.charset) {
            return None;
        }
        let differs = |byte: &&u8| guess.charset.decode_byte(**byte) != DEFAULT.decode_byte(**byte);
        let is_clear =
            guess.charset == DEFAULT || self.seen.iter().filter(differs).count() >= DIFFERENT;
        is_clear.then_some(guess.charset)
    }
}

/// Evidence by the number of a text's nation.
#[derive(Debug, Default)]
pub struct CbhTextEvidence {
    all: CbhCharsetEvidence,
    nations: BTreeMap<u8, CbhCharsetEvidence>,
}

impl CbhTextEvidence {
    /// Takes a text in.
    pub fn add(&mut self, nation: u8, bytes: &[u8]) {
        if !bytes.is_ascii() {
            self.all.add(bytes);
            self.nations.entry(nation).or_default().add(bytes);
        }
    }
}

impl CbhTextEvidence {
    /// The code page detected from all texts together.
    pub fn all_guess(&self) -> Option<Charset> {
        self.all.guess()
    }
}

/// The code page in which programs of a nation write, where it is not the default.
fn code_page(nation: u8) -> Option<Charset> {
    match tables::nation(nation)? {
        "POL" | "CZE" | "TCH" | "SVK" | "HUN" | "CRO" | "SLO" | "ROU" | "BIH" | "ALB" => {
            Some(Charset::Cp1250)
        }
        "RUS" | "URS" | "UKR" | "BLR" | "BUL" | "MKD" | "SRB" | "ZAR" => Some(Charset::Cp1251),
        "GRE" => Some(Charset::Cp1253),
        "TUR" => Some(Charset::Cp1254),
        "EST" | "LAT" | "LTU" => Some(Charset::Cp1257),
        _ => None,
    }
}

impl CbhTextEvidence {
    /// The code page of a language where one is known by its texts or by its nation.
    fn language(&self, nation: u8) -> Option<Charset> {
        let usual = code_page(nation);
        match usual {
            // Only these are told from each other by their bytes.
            Some(charset) if !POSSIBLE.contains(&charset) => usual,
            _ => self.nations.get(&nation)?.guess().or(usual),
        }
    }

    /// The code page of texts without a language: what they speak for themselves, else what all do.
    fn unmarked(&self) -> Option<Charset> {
        let own = self.nations.get(&0).and_then(CbhCharsetEvidence::guess);
        own.or_else(|| self.all.guess())
    }
}

/// The code pages of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CbhTextCharsets {
    /// For texts without a language, and for others without evidence for another one.
    pub default: Charset,
    /// Of languages by the numbers of their nations.
    pub nations: Vec<(u8, Charset)>,
    /// How the default was found out.
    pub source: &'static str,
}

impl CbhTextCharsets {
    /// One for all, as the user says.
    pub fn fixed(charset: Charset) -> CbhTextCharsets {
        CbhTextCharsets {
            default: charset,
            nations: Vec::new(),
            source: "as requested",
        }
    }

    /// The result of the evidence; names decide if texts do not.
    pub fn of(evidence: &CbhTextEvidence, names: (Charset, &'static str)) -> CbhTextCharsets {
        let (default, source) = match evidence.unmarked() {
            Some(charset) => (charset, "detected"),
            None => names,
        };
        let nations = evidence
            .nations
            .keys()
            .filter(|nation| **nation != 0)
            .filter_map(|nation| {
                let charset = evidence.language(*nation)?;
                (charset != default).then_some((*nation, charset))
            })
            .collect();
        CbhTextCharsets {
            default,
            nations,
            source,
        }
    }

    /// The code page of a language.
    #[inline]
    pub fn get(&self, nation: u8) -> Charset {
        self.nations
            .iter()
            .find(|(known, _)| *known == nation)
            .map_or(self.default, |(_, charset)| *charset)
    }
}

/// How a text is to be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CbhTextEncoding<'a> {
    /// It is UTF-8.
    Utf8(&'a str),
    /// Its bytes are those of a code page.
    Bytes(Charset),
    /// It holds symbols: this is the text, and that the charset of its other bytes.
    Symbols(String, Charset),
    /// The same, if UTF-8 would read the symbols as Hebrew letters.
    NotHebrew(String, Charset),
}

/// Finds out how a text is to be read.
pub fn read(bytes: &[u8], charset: Charset) -> CbhTextEncoding<'_> {
    let is_western = matches!(charset, Charset::Cp1252 | Charset::Latin1);
    match std::str::from_utf8(bytes) {
        Ok(text) if is_western && is_symbols(text) => {
            CbhTextEncoding::NotHebrew(map_symbols(bytes, charset), charset)
        }
        Ok(text) => match memchr::memchr(NEW_DIAGRAM, bytes) {
            Some(_) => CbhTextEncoding::Symbols(text.replace('\u{4}', DIAGRAM_MARK), Charset::Utf8),
            None => CbhTextEncoding::Utf8(text),
        },
        Err(_) => {
            let has_symbols = bytes.iter().zip(0..).any(|(byte, at)| match *byte {
                NEW_DIAGRAM => true,
                0xa2..=0xa7 => is_western,
                DIAGRAM => is_western && is_diagram(bytes, at),
                _ => false,
            });
            match has_symbols {
                true if is_western => {
                    CbhTextEncoding::Symbols(map_symbols(bytes, charset), charset)
                }
                true => {
                    let text = charset.decode(bytes).replace('\u{4}', DIAGRAM_MARK);
                    CbhTextEncoding::Symbols(text, charset)
                }
                false => CbhTextEncoding::Bytes(charset),
            }
        }
    }
}

/// The text of a reading.
pub fn text_of<'a>(bytes: &'a [u8], reading: CbhTextEncoding<'a>) -> Cow<'a, str> {
    match reading {
        CbhTextEncoding::Utf8(text) => text.into(),
        CbhTextEncoding::Bytes(charset) => charset.decode(bytes),
        CbhTextEncoding::Symbols(text, _) | CbhTextEncoding::NotHebrew(text, _) => text.into(),
    }
}

/// Whether bytes that are UTF-8 are rather symbols: everything beyond ASCII is a sign for a weak point with another
/// symbol, and each such pair stands alone, as letters of a language never do.
fn is_symbols(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let is_pair = |c: char| {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        matches!(
            *bytes,
            [WEAK_POINT, 0xa2..=0xa7 | 0xa9..=0xb3 | 0xb5 | 0xb9..=0xbb]
        )
    };
    let mut before = false;
    for c in text.chars() {
        if c.is_ascii() {
            before = false;
            continue;
        }
        if before || !is_pair(c) {
            return false;
        }
        before = true;
    }
    true
}

/// Whether the byte of a diagram is none of the letter that it is in the code page: no word goes on beside it.
fn is_diagram(bytes: &[u8], at: usize) -> bool {
    let beside = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let (before, after) = (beside(at.checked_sub(1)), beside(at.checked_add(1)));
    !before.is_ascii_alphabetic() && !after.is_ascii_lowercase()
}

fn map_symbols(bytes: &[u8], charset: Charset) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 4);
    for (&byte, at) in bytes.iter().zip(0..) {
        match byte {
            NEW_DIAGRAM => text.push_str(DIAGRAM_MARK),
            DIAGRAM if is_diagram(bytes, at) => text.push_str(DIAGRAM_MARK),
            0xa2..=0xa7 => text.extend(FIGURINES.get(usize::from(byte - FIRST_FIGURINE))),
            _ => text.extend(charset.decode_byte(byte)),
        }
    }
    text
}

/// The content of a guiding text in one language.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CbhTextContent<'a> {
    /// The number of its language.
    pub language: u16,
    /// The text, or HTML.
    pub text: &'a [u8],
    /// How a text without HTML looks; its layout is not known.
    pub formatting: &'a [u8],
}

/// The body of a guiding text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CbhGuidingText<'a> {
    /// 1 and 2 for text, 3 for HTML.
    pub format: u16,
    /// Titles with the numbers of their languages.
    pub titles: Vec<(u16, &'a [u8])>,
    /// A byte without a known meaning, which is 0 or 1.
    pub unknown: u8,
    /// The text in each language.
    pub contents: Vec<CbhTextContent<'a>>,
}

/// The format of bodies in HTML.
pub const HTML: u16 = 3;

/// Reads the body of a guiding text, after its header of four bytes. The part before any damage is returned in any
/// case; the text describes the damage.
pub fn guiding(bytes: &[u8]) -> (CbhGuidingText<'_>, Option<String>) {
    let mut guiding = CbhGuidingText::default();
    let mut cursor = ByteCursor::new(bytes);
    let fault = fill_guiding(&mut cursor, &mut guiding).err();
    (guiding, fault)
}

fn fill_guiding<'a>(
    cursor: &mut ByteCursor<'a>,
    guiding: &mut CbhGuidingText<'a>,
) -> Result<(), String> {
    let cut = |error: tabiya_io::bytes::OutOfBoundsError| error.to_string();
    guiding.format = cursor.u16_le().map_err(cut)?;
    if !matches!(guiding.format, 1..=HTML) {
        return Err(format!("format {} is not known", guiding.format));
    }
    for _ in 0..cursor.u16_le().map_err(cut)? {
        let language = cursor.u16_le().map_err(cut)?;
        let length = cursor.u16_le().map_err(cut)?;
        let title = cursor.take(usize::from(length)).map_err(cut)?;
        guiding.titles.push((language, title));
    }
    guiding.unknown = cursor.u8().map_err(cut)?;
    let is_wide = guiding.format != 1;
    fn part<'a>(
        cursor: &mut ByteCursor<'a>,
        is_wide: bool,
    ) -> Result<&'a [u8], tabiya_io::bytes::OutOfBoundsError> {
        let length = match is_wide {
            true => u64::from(cursor.u32_le()?),
            false => u64::from(cursor.u16_le()?),
        };
        cursor.take_u64(length)
    }
    for _ in 0..cursor.u16_le().map_err(cut)? {
        let language = cursor.u16_le().map_err(cut)?;
        let text = part(cursor, is_wide).map_err(cut)?;
        // The bytes that are there are kept even where what follows them is damaged.
        guiding.contents.push(CbhTextContent {
            language,
            text,
            formatting: &[],
        });
        let formatting = part(cursor, is_wide).map_err(cut)?;
        if let Some(content) = guiding.contents.last_mut() {
            content.formatting = formatting;
        }
    }
    match cursor.remaining() {
        0 => Ok(()),
        rest => Err(counted(
            rest,
            "byte follows its end",
            "bytes follow its end",
        )),
    }
}

/// HTML as plain text: words and paragraphs.
pub fn plain_of_html(html: &str) -> String {
    let mut plain = String::new();
    let mut rest = html;
    // The name of the element whose content is passed over.
    let mut hidden: Option<&'static str> = None;
    while !rest.is_empty() {
        if let Some(tag) = rest.strip_prefix('<') {
            let end = tag.find('>').unwrap_or(tag.len());
            let inner = tag.get(..end).unwrap_or("");
            rest = tag.get(end + 1..).unwrap_or("");
            let (is_end, name) = match inner.strip_prefix('/') {
                Some(name) => (true, name),
                None => (false, inner),
            };
            let length = name
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(name.len());
            let name = name.get(..length).unwrap_or("").to_ascii_lowercase();
            if let Some(element) = hidden {
                if is_end && name == element {
                    hidden = None;
                }
                continue;
            }
            match name.as_str() {
                "head" if !is_end => hidden = Some("head"),
                "script" if !is_end => hidden = Some("script"),
                "style" if !is_end => hidden = Some("style"),
                "br" | "p" | "div" | "tr" | "li" | "h1" | "h2" | "h3" | "h4" | "table" | "ul"
                | "ol"
                    if !plain.is_empty() && !plain.ends_with('\n') =>
                {
                    plain.push('\n');
                }
                _ => {}
            }
            continue;
        }
        let end = rest.find('<').unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        rest = after;
        if hidden.is_none() {
            push_words(text, &mut plain);
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// Appends text with entities resolved and white space joined.
fn push_words(text: &str, plain: &mut String) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut next = c;
        let mut length = c.len_utf8();
        if c == '&'
            && let Some((resolved, used)) = entity(rest)
        {
            (next, length) = (resolved, used);
        }
        rest = rest.get(length..).unwrap_or("");
        if next.is_whitespace() {
            if !plain.is_empty() && !plain.ends_with([' ', '\n']) {
                plain.push(' ');
            }
        } else {
            plain.push(next);
        }
    }
}

/// The character of an entity at the start of a text, and the length of the entity.
fn entity(text: &str) -> Option<(char, usize)> {
    // Longer ones than this are none.
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number).filter(|c| *c != '\0')?
        }
    };
    Some((c, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], charset: Charset) -> String {
        text_of(bytes, read(bytes, charset)).into_owned()
    }

    #[test]
    fn symbols_in_western_texts_only() {
        assert_eq!(text(b"\xa4f3 \xfc", Charset::Cp1252), "♘f3 ü");
        assert_eq!(text(b"\xa4f3 \xfc", Charset::Cp1251), "¤f3 ь");
        assert_eq!(text(b"Good.\x9e \xe9", Charset::Cp1252), "Good.[#] é");
        assert_eq!(text(b"Ne\x9ea \xe9", Charset::Cp1252), "Neža é");
        assert_eq!(text(b"\x9eivko", Charset::Cp1252), "živko");
        assert_eq!(text(b"\x04 ok", Charset::Cp1251), "[#] ok");
        assert_eq!(text(b"\x04 \xe0\xe1", Charset::Cp1251), "[#] аб");
    }

    #[test]
    fn utf8_is_read_as_such() {
        assert_eq!(text("Müller ♘".as_bytes(), Charset::Cp1251), "Müller ♘");
        assert_eq!(text(b"M\xfcller", Charset::Cp1252), "Müller");
    }

    #[test]
    fn symbols_that_could_be_hebrew_letters() {
        // A weak point and a knight, standing alone.
        let symbols = b"better \xd7\xa4 than \xd7\xa2d5";
        assert!(matches!(
            read(symbols, Charset::Cp1252),
            CbhTextEncoding::NotHebrew(..)
        ));
        assert_eq!(text(symbols, Charset::Cp1252), "better ×♘ than ×♔d5");
        // Hebrew words are words, and a text with other letters of UTF-8 is UTF-8.
        assert_eq!(text("עץ".as_bytes(), Charset::Cp1252), "עץ");
        assert_eq!(text("ü פ".as_bytes(), Charset::Cp1252), "ü פ");
        // A letter that is no symbol speaks for Hebrew, and Cyrillic databases have no symbols.
        assert_eq!(text("א".as_bytes(), Charset::Cp1252), "א");
        assert_eq!(text(symbols, Charset::Cp1251), "better פ than עd5");
    }

    #[test]
    fn a_language_has_its_own_code_page() {
        let mut evidence = CbhTextEvidence::default();
        for word in [
            "Kraków",
            "Łódź",
            "Święta",
            "gońcem",
            "następny",
            "pięć",
            "może być",
        ] {
            evidence.add(
                116,
                &Charset::Cp1250.encode(word).expect("in the code page"),
            );
        }
        for word in ["für", "schön", "Läufer", "möglich", "größer"] {
            evidence.add(53, &Charset::Cp1252.encode(word).expect("in the code page"));
        }
        let charsets = CbhTextCharsets::of(&evidence, (DEFAULT, "assumed"));
        assert_eq!(charsets.get(116), Charset::Cp1250);
        assert_eq!(charsets.get(53), Charset::Cp1252);
        let mut evidence = CbhTextEvidence::default();
        evidence.add(121, b"\xe4");
        let charsets = CbhTextCharsets::of(&evidence, (DEFAULT, "assumed"));
        assert_eq!(charsets.get(121), Charset::Cp1251);
        assert_eq!(charsets.get(0), DEFAULT);
        // Bytes do not tell these from others, but the nation does.
        for (nation, charset, words) in [
            (55, Charset::Cp1253, "καλή κίνηση"),
            (142, Charset::Cp1254, "değerli şah"),
            (85, Charset::Cp1257, "žirgas, ėjimas"),
        ] {
            let bytes = charset.encode(words).expect("in the code page");
            let mut evidence = CbhTextEvidence::default();
            evidence.add(nation, &bytes);
            let charsets = CbhTextCharsets::of(&evidence, (DEFAULT, "assumed"));
            assert_eq!(text(&bytes, charsets.get(nation)), words);
        }
    }

    #[test]
    fn texts_of_one_language_do_not_speak_for_those_without() {
        let mut evidence = CbhTextEvidence::default();
        for word in ["für", "schön", "Läufer", "möglich"] {
            evidence.add(0, &Charset::Cp1252.encode(word).expect("in the code page"));
        }
        for _ in 0..20 {
            let polish = Charset::Cp1250.encode("następny: pięć, żółć, Łódź");
            evidence.add(116, &polish.expect("in the code page"));
        }
        let charsets = CbhTextCharsets::of(&evidence, (DEFAULT, "assumed"));
        assert_eq!(charsets.get(0), Charset::Cp1252);
        assert_eq!(charsets.get(116), Charset::Cp1250);
    }

    #[test]
    fn html_becomes_text() {
        let html = "<html><head><title>no</title></head><body>One &amp; <b>two</b><br>three\r\n &#x41;<p>\
                    &lt;x&gt;</p></body></html>";
        assert_eq!(plain_of_html(html), "One & two\nthree A\n<x>");
        assert_eq!(plain_of_html("a<b"), "a");
        assert_eq!(plain_of_html("& &; &#0; &x"), "& &; &#0; &x");
    }

    #[test]
    fn bodies_of_all_formats() {
        let mut body = vec![1, 0, 1, 0, 1, 0, 2, 0, b'H', b'i', 1, 1, 0, 0, 0, 3, 0];
        body.extend_from_slice(b"abc\x01\x00!");
        let (text, fault) = guiding(&body);
        assert_eq!(fault, None);
        assert_eq!(text.titles, [(1, &b"Hi"[..])]);
        assert_eq!(text.contents[0].text, b"abc");
        assert_eq!(text.contents[0].formatting, b"!");
        for length in 0..body.len() {
            assert!(guiding(&body[..length]).1.is_some(), "{length}");
        }
        let mut body = vec![3, 0, 0, 0, 0, 1, 0, 7, 0, 2, 0, 0, 0, b'<', b'>'];
        body.extend_from_slice(&[0; 4]);
        let (text, fault) = guiding(&body);
        assert_eq!((fault, text.contents[0].text), (None, &b"<>"[..]));
    }
}
