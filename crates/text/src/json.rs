//! JSON as bytes: a checking scanner, and the escaping of text.
//!
//! The scanner walks over one line and returns strings and numbers unchanged. Nothing recurses: for nested values there
//! is a list of the open ones.

use memchr::memchr2;

/// An error in a line, with its offset.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct JsonFault {
    /// Offset of the error in the line.
    pub at: usize,
    /// What was expected there.
    pub wanted: &'static str,
}

/// A string between its quotes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct JsonString<'a> {
    raw: &'a [u8],
    escaped: bool,
}

/// Scans JSON.
#[derive(Copy, Clone, Debug)]
pub struct JsonScanner<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> JsonScanner<'a> {
    /// Begins at the start of the data.
    pub fn new(data: &'a [u8]) -> JsonScanner<'a> {
        JsonScanner { data, at: 0 }
    }

    /// The offset of the next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes back to an earlier offset.
    pub fn go_to(&mut self, at: usize) {
        self.at = at.min(self.data.len());
    }

    /// An error at the position of the scanner.
    pub fn fault(&self, wanted: &'static str) -> JsonFault {
        JsonFault {
            at: self.at,
            wanted,
        }
    }

    /// Skips white space and returns the next byte.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match self.data.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Takes a character, if it comes next.
    #[inline]
    pub fn take(&mut self, sign: u8) -> bool {
        let found = self.peek() == Some(sign);
        self.at += usize::from(found);
        found
    }

    /// Takes a character that has to come next.
    #[inline]
    pub fn expect(&mut self, sign: u8, wanted: &'static str) -> Result<(), JsonFault> {
        if self.take(sign) {
            Ok(())
        } else {
            Err(self.fault(wanted))
        }
    }

    /// Goes to the next member of an object: its name, or `None` at the end of the object. `first` is true if no member
    /// was read yet.
    #[inline]
    pub fn member(&mut self, first: bool) -> Result<Option<JsonString<'a>>, JsonFault> {
        if self.take(b'}') {
            return Ok(None);
        }
        if !first {
            self.expect(b',', "a comma or a closing brace")?;
        }
        let name = self.text()?;
        self.expect(b':', "a colon")?;
        Ok(Some(name))
    }

    /// Goes to the next element of an array; false at the end of the array.
    #[inline]
    pub fn element(&mut self, first: bool) -> Result<bool, JsonFault> {
        if self.take(b']') {
            return Ok(false);
        }
        if !first {
            self.expect(b',', "a comma or a closing bracket")?;
            if self.peek() == Some(b']') {
                return Err(self.fault("a value after the comma"));
            }
        }
        Ok(true)
    }

    /// Takes a string.
    pub fn text(&mut self) -> Result<JsonString<'a>, JsonFault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("a string"));
        }
        let start = self.at + 1;
        let mut end = start;
        let mut escaped = false;
        loop {
            let rest = self.data.get(end..).unwrap_or_default();
            match memchr2(b'"', b'\\', rest) {
                Some(found) if rest.get(found) == Some(&b'"') => {
                    end += found;
                    break;
                }
                Some(found) => {
                    escaped = true;
                    end += found + 2;
                }
                None => return Err(self.fault("the end of the string")),
            }
        }
        let Some(raw) = self.data.get(start..end) else {
            return Err(self.fault("the end of the string"));
        };
        self.at = end + 1;
        Ok(JsonString { raw, escaped })
    }

    /// Takes a string, or `None` for `null`.
    pub fn text_or_null(&mut self) -> Result<Option<JsonString<'a>>, JsonFault> {
        if self.peek() == Some(b'n') {
            self.word(b"null")?;
            return Ok(None);
        }
        self.text().map(Some)
    }

    /// Takes a whole number that is not negative.
    pub fn number(&mut self) -> Result<u64, JsonFault> {
        let start = match self.peek() {
            Some(b'0'..=b'9') => self.at,
            _ => return Err(self.fault("a number")),
        };
        let mut number = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.data.get(self.at) {
            number = match number
                .checked_mul(10)
                .and_then(|n| n.checked_add(u64::from(digit - b'0')))
            {
                Some(number) => number,
                None => {
                    self.at = start;
                    return Err(self.fault("a smaller number"));
                }
            };
            self.at += 1;
        }
        if let Some(b'.' | b'e' | b'E') = self.data.get(self.at) {
            self.at = start;
            return Err(self.fault("a whole number"));
        }
        Ok(number)
    }

    fn word(&mut self, word: &[u8]) -> Result<(), JsonFault> {
        if !self
            .data
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word))
        {
            return Err(self.fault("a value"));
        }
        self.at += word.len();
        Ok(())
    }

    /// Skips a value of any kind. In nested values, only strings and brackets are checked.
    pub fn skip(&mut self) -> Result<(), JsonFault> {
        match self.peek() {
            Some(b'"') => self.text().map(|_| ()),
            Some(b'{' | b'[') => self.skip_nested(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => {
                while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') =
                    self.data.get(self.at)
                {
                    self.at += 1;
                }
                Ok(())
            }
            _ => Err(self.fault("a value")),
        }
    }

    fn skip_nested(&mut self) -> Result<(), JsonFault> {
        let start = self.at;
        let mut open = Vec::new();
        while let Some(&byte) = self.data.get(self.at) {
            match byte {
                b'"' => {
                    self.text()?;
                    continue;
                }
                b'{' => open.push(b'}'),
                b'[' => open.push(b']'),
                b'}' | b']' => {
                    if open.pop() != Some(byte) {
                        return Err(self.fault("the matching closing bracket"));
                    }
                    if open.is_empty() {
                        self.at += 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = start;
        Err(self.fault("the end of the value"))
    }
}

impl<'a> JsonString<'a> {
    /// The decoded bytes of the string; `scratch` holds them if something was escaped. A lone surrogate becomes the
    /// replacement character.
    pub fn bytes<'s>(self, scratch: &'s mut Vec<u8>) -> &'s [u8]
    where
        'a: 's,
    {
        if !self.escaped {
            return self.raw;
        }
        scratch.clear();
        let mut rest = self.raw;
        while let Some(found) = memchr::memchr(b'\\', rest) {
            let (plain, tail) = rest.split_at(found);
            scratch.extend_from_slice(plain);
            rest = unescape(tail, scratch);
        }
        scratch.extend_from_slice(rest);
        scratch
    }

    /// Whether the string is exactly this.
    pub fn is(self, text: &str) -> bool {
        !self.escaped && self.raw == text.as_bytes()
    }

    /// The decoded text of the string, if its original bytes are not needed.
    pub fn to_text(self) -> String {
        let mut scratch = Vec::new();
        String::from_utf8_lossy(self.bytes(&mut scratch)).into_owned()
    }
}

/// Decodes the escape at the start of `text`, which is a backslash, and returns the rest.
fn unescape<'t>(text: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    let plain = match text.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'u') => return unescape_unicode(text, out),
        // `\"`, `\\` and `\/`, and leniently any other character.
        Some(&other) => other,
        None => return &[],
    };
    out.push(plain);
    text.get(2..).unwrap_or_default()
}

fn unescape_unicode<'t>(text: &'t [u8], out: &mut Vec<u8>) -> &'t [u8] {
    let unit = |text: &[u8]| -> Option<u32> {
        let digits = text.strip_prefix(b"\\u")?.get(..4)?;
        digits.iter().try_fold(0, |number: u32, digit| {
            Some(number * 16 + char::from(*digit).to_digit(16)?)
        })
    };
    let (code, length) = match unit(text) {
        Some(high @ 0xd800..0xdc00) => match text.get(6..).and_then(unit) {
            Some(low @ 0xdc00..0xe000) => (0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12),
            _ => (high, 6),
        },
        Some(code) => (code, 6),
        None => (0xfffd, 2),
    };
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    text.get(length..).unwrap_or_default()
}

/// Appends a string with its quotes.
pub fn push_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut start = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(bytes.get(start..at).unwrap_or_default());
        start = at + 1;
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => {
                out.extend_from_slice(b"\\u00");
                push_hex(&[byte], out);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.extend_from_slice(bytes.get(start..).unwrap_or_default());
    out.push(b'"');
}

/// Appends bytes as hexadecimal digits.
pub fn push_hex(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.push(if digit < 10 {
                b'0' + digit
            } else {
                b'a' + digit - 10
            });
        }
    }
}

/// The bytes of hexadecimal digits.
pub fn read_hex(text: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(json: &str) -> String {
        JsonScanner::new(json.as_bytes())
            .text()
            .expect("a string")
            .to_text()
    }

    #[test]
    fn escapes_are_understood() {
        assert_eq!(text(r#""a\"b\\c\/d\n\t\u00e9""#), "a\"b\\c/d\n\t\u{e9}");
        assert_eq!(text(r#""\ud83d\ude00""#), "\u{1f600}");
        assert_eq!(text(r#""\ud83d x""#), "\u{fffd} x");
        assert_eq!(text(r#""\uZZ""#), "\u{fffd}ZZ");
        assert!(JsonScanner::new(b"\"abc\\").text().is_err());
        assert!(JsonScanner::new(b"\"abc\\\"").text().is_err());
    }

    #[test]
    fn nested_values_are_passed() {
        let mut scanner = JsonScanner::new(br#" {"a":["]",{"b":[]}],"c":null} ,"#);
        assert_eq!(scanner.skip(), Ok(()));
        assert!(scanner.take(b','));
        assert!(JsonScanner::new(b"[1,2}").skip().is_err());
        assert!(JsonScanner::new(b"[[[").skip().is_err());
        let deep = [b'['; 1_000_000];
        assert!(JsonScanner::new(&deep).skip().is_err());
    }

    #[test]
    fn numbers_are_whole_and_fit() {
        assert_eq!(JsonScanner::new(b"17,").number(), Ok(17));
        assert!(JsonScanner::new(b"1.5").number().is_err());
        assert!(JsonScanner::new(b"99999999999999999999").number().is_err());
    }

    proptest! {
        #[test]
        fn any_text_comes_back(wanted in any::<String>()) {
            let mut out = Vec::new();
            push_text(&wanted, &mut out);
            let json = String::from_utf8(out).expect("text");
            prop_assert!(!json.contains('\n'));
            prop_assert_eq!(text(&json), wanted);
        }

        #[test]
        fn any_bytes_come_back_as_hex(bytes in any::<Vec<u8>>()) {
            let mut out = Vec::new();
            push_hex(&bytes, &mut out);
            prop_assert_eq!(read_hex(&out), Some(bytes));
        }

        #[test]
        fn any_bytes_are_scanned_without_panic(bytes in any::<Vec<u8>>()) {
            let mut scanner = JsonScanner::new(&bytes);
            let _ = scanner.skip();
            prop_assert!(scanner.at() <= bytes.len());
            let _ = JsonScanner::new(&bytes).text();
        }
    }
}
