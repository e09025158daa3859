//! Texts, each string separately: UTF-8 if it is valid UTF-8; if only a few bytes are not, those in a legacy charset;
//! otherwise completely in one charset: the one that the string itself clearly indicates, or that of the database.

use std::borrow::Cow;

use tabiya_model::charset::detect::CharsetDetector;
use tabiya_model::charset::{Charset, decode_mixed, is_mostly_utf8, redecode};
use tabiya_model::{DiagnosticCode, Game, Location};

use super::codes;
use super::layout::ScidVersion;
use tabiya_codec::format::OpenOptions;

/// How the strings of a database are decoded.
#[derive(Clone, Debug)]
pub struct ScidTextReader {
    fallback: Charset,
    /// The user has chosen the charset: nothing is guessed.
    is_told: bool,
    /// The charset is detected from the names of the database, and reported once for all its texts.
    is_of_base: bool,
    redecode: Option<(Charset, Charset)>,
    /// Programs of the time of si3 stored quotes with the backslashes of PGN.
    unescape: bool,
    /// Every guess is reported, game by game.
    audit: bool,
}

/// How a string is decoded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum ScidTextEncoding {
    Utf8,
    /// UTF-8 apart from a few bytes, which are in a legacy charset.
    Mixed,
    /// In the charset of the database, or that of the user.
    Base,
    /// In another one, by its own letters.
    Own(Charset),
}

impl ScidTextReader {
    /// The charset of the options and the version, or the one detected from the names of the database.
    pub fn new(
        version: ScidVersion,
        options: &OpenOptions,
        detected: Option<Charset>,
    ) -> ScidTextReader {
        ScidTextReader {
            fallback: options.encoding.or(detected).unwrap_or(Charset::Cp1252),
            is_told: options.encoding.is_some(),
            is_of_base: detected.is_some(),
            redecode: options.redecode,
            unescape: version == ScidVersion::Si3,
            audit: options.audit,
        }
    }

    /// The charset of strings that are not UTF-8.
    pub fn fallback(&self) -> Charset {
        self.fallback
    }

    fn reading(&self, bytes: &[u8]) -> ScidTextEncoding {
        if std::str::from_utf8(bytes).is_ok() {
            return ScidTextEncoding::Utf8;
        }
        // The user's choice is not questioned.
        if self.is_told {
            return ScidTextEncoding::Base;
        }
        if is_mostly_utf8(bytes) {
            return ScidTextEncoding::Mixed;
        }
        let mut detector = CharsetDetector::new();
        detector.push(bytes);
        detector
            .against(self.fallback)
            .map_or(ScidTextEncoding::Base, ScidTextEncoding::Own)
    }

    fn text<'a>(&self, bytes: &'a [u8], reading: ScidTextEncoding) -> Cow<'a, str> {
        match reading {
            ScidTextEncoding::Utf8 => String::from_utf8_lossy(bytes),
            ScidTextEncoding::Mixed => decode_mixed(bytes, self.fallback),
            ScidTextEncoding::Base => self.fallback.decode(bytes),
            ScidTextEncoding::Own(charset) => charset.decode(bytes),
        }
    }

    /// A string as text.
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        let text = self.text(bytes, self.reading(bytes));
        match self.redecode {
            Some((wrong, right)) if !text.is_ascii() => {
                redecode(&text, wrong, right).map_or(text, Cow::Owned)
            }
            _ => text,
        }
    }

    /// A name or the value of a tag as text.
    pub fn decode_value<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        let text = self.decode(bytes);
        if self.unescape && text.contains('\\') {
            return Cow::Owned(unescape(&text));
        }
        text
    }

    /// Adds a tag, and reports guesses.
    pub fn push_tag(&self, game: &mut Game, name: &str, value: &[u8]) {
        if self.redecode.is_some() || (self.unescape && value.contains(&b'\\')) {
            game.tags.push(name, &self.decode_value(value));
            return;
        }
        if let Ok(text) = std::str::from_utf8(value) {
            game.tags.push(name, text);
            return;
        }
        let reading = self.reading(value);
        let text = self.text(value, reading);
        self.tell(reading, &text, name, game);
        let charset = self.charset(reading);
        match reading {
            ScidTextEncoding::Mixed => game.tags.push_decoded(name, &text, value, charset),
            _ => game.tags.push_bytes(name.as_bytes(), value, charset),
        }
    }

    /// Adds a comment, and reports guesses.
    pub fn push_comment(&self, game: &mut Game, bytes: &[u8]) {
        if self.redecode.is_some() {
            game.tape.push_comment(&self.decode(bytes));
            return;
        }
        if let Ok(text) = std::str::from_utf8(bytes) {
            game.tape.push_comment(text);
            return;
        }
        let reading = self.reading(bytes);
        let text = self.text(bytes, reading);
        self.tell(reading, &text, "a comment", game);
        let charset = self.charset(reading);
        match reading {
            ScidTextEncoding::Mixed => game.tape.push_comment_decoded(&text, bytes, charset),
            _ => game.tape.push_comment_bytes(bytes, charset),
        };
    }

    fn charset(&self, reading: ScidTextEncoding) -> Charset {
        match reading {
            ScidTextEncoding::Own(charset) => charset,
            ScidTextEncoding::Utf8 | ScidTextEncoding::Mixed | ScidTextEncoding::Base => {
                self.fallback
            }
        }
    }

    /// Reports a guess that affected a letter. That texts are in the charset of the database is reported once for all of
    /// them, unless everything is to be reported.
    fn tell(&self, reading: ScidTextEncoding, text: &str, what: &str, game: &mut Game) {
        let (code, charset): (&'static DiagnosticCode, _) = match reading {
            ScidTextEncoding::Utf8 => return,
            ScidTextEncoding::Mixed => (&codes::MIXED_TEXT, self.fallback),
            ScidTextEncoding::Own(charset) => (&codes::OTHER_CHARSET, charset),
            ScidTextEncoding::Base if self.is_told || (self.is_of_base && !self.audit) => return,
            ScidTextEncoding::Base => (&codes::GUESSED_CHARSET, self.fallback),
        };
        if !text.chars().any(|c| !c.is_ascii() && c.is_alphabetic()) {
            return;
        }
        let number = game.origin.number;
        game.diagnostics.report(
            code,
            || Location::game(number),
            || {
                let shown: String = text.chars().take(60).collect();
                format!("{what}, {}: {shown}", charset.name())
            },
        );
    }
}

/// Removes the backslashes before quotes and backslashes.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next @ ('"' | '\\')) if c == '\\' => {
                plain.push(next);
                chars.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_string_has_its_own_charset() {
        let reader = ScidTextReader::new(ScidVersion::Si4, &OpenOptions::default(), None);
        assert_eq!(reader.decode("Müller".as_bytes()), "Müller");
        assert_eq!(reader.decode(b"M\xfcller"), "Müller");
        let mut game = Game::default();
        reader.push_tag(&mut game, "White", b"M\xfcller");
        assert_eq!(&*game.tags.original(0), b"M\xfcller");
        assert_eq!(game.diagnostics.count_of("scid-guessed-charset"), 1);
    }

    #[test]
    fn a_few_stray_bytes_do_not_spoil_a_text() {
        let reader = ScidTextReader::new(ScidVersion::Si4, &OpenOptions::default(), None);
        let stray = b"Schlu\xc3\x9fzug? \xa1Ole!";
        assert_eq!(reader.decode(stray), "Schlußzug? ¡Ole!");
        let mut game = Game::default();
        reader.push_comment(&mut game, stray);
        assert_eq!(game.diagnostics.count_of("scid-mixed-text"), 1);
        reader.push_tag(&mut game, "Event", stray);
        assert_eq!(game.tags.value("Event"), "Schlußzug? ¡Ole!");
        assert_eq!(&*game.tags.original(0), stray);
        // Two letters of one byte each that look like a two-byte letter.
        for (charset, text) in [
            (Charset::Cp1252, "É» «CAFÉ»"),
            (Charset::Cp1251, "«СПАРТАК» и «ДИНАМО»"),
        ] {
            let options = OpenOptions {
                encoding: Some(charset),
                ..OpenOptions::default()
            };
            let reader = ScidTextReader::new(ScidVersion::Si4, &options, None);
            let bytes = charset.encode(text).expect("encodes");
            assert_eq!(reader.decode(&bytes), text);
        }
    }

    #[test]
    fn a_base_can_hold_two_charsets() {
        let reader = ScidTextReader::new(
            ScidVersion::Si4,
            &OpenOptions::default(),
            Some(Charset::Cp1252),
        );
        let russian = "Победа белых в эндшпиле";
        let bytes = Charset::Cp1251.encode(russian).expect("encodes");
        let mut game = Game::default();
        reader.push_tag(&mut game, "Event", &bytes);
        assert_eq!(game.tags.value("Event"), russian);
        assert_eq!(&*game.tags.original(0), bytes);
        assert_eq!(game.diagnostics.count_of("scid-other-charset"), 1);
        reader.push_tag(&mut game, "White", b"M\xfcller");
        assert_eq!(game.tags.value("White"), "Müller");
        assert_eq!(game.diagnostics.iter().count(), 1);
        // The user's choice is not questioned.
        let options = OpenOptions {
            encoding: Some(Charset::Cp1252),
            ..OpenOptions::default()
        };
        let told = ScidTextReader::new(ScidVersion::Si4, &options, None);
        assert_ne!(told.decode(&bytes), russian);
    }

    #[test]
    fn the_charset_that_the_user_says_wins() {
        // Three of the four bytes are well-formed UTF-8.
        let options = OpenOptions {
            encoding: Some(Charset::Cp866),
            ..OpenOptions::default()
        };
        let reader = ScidTextReader::new(ScidVersion::Si4, &options, None);
        let bytes = Charset::Cp866.encode("Юрий").expect("encodes");
        assert!(is_mostly_utf8(&bytes));
        assert_eq!(reader.decode(&bytes), "Юрий");
        let mut game = Game::default();
        reader.push_tag(&mut game, "White", &bytes);
        reader.push_comment(&mut game, &bytes);
        assert_eq!(game.tags.value("White"), "Юрий");
        assert!(game.diagnostics.is_empty(), "{:?}", game.diagnostics);
        assert_eq!(reader.decode("Юрий".as_bytes()), "Юрий");
    }

    #[test]
    fn old_quotes_lose_their_backslashes() {
        let reader = ScidTextReader::new(ScidVersion::Si3, &OpenOptions::default(), None);
        assert_eq!(
            reader.decode_value(br#"say \"hi\" \\ \n"#),
            r#"say "hi" \ \n"#
        );
    }

    #[test]
    fn a_wrong_charset_is_undone() {
        let options = OpenOptions {
            redecode: Some((Charset::Cp1252, Charset::Cp1251)),
            ..OpenOptions::default()
        };
        let reader = ScidTextReader::new(ScidVersion::Si4, &options, None);
        assert_eq!(reader.decode("Êàðïîâ".as_bytes()), "Карпов");
    }
}
