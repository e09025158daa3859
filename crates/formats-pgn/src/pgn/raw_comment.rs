//! The form of unreadable movetext that cannot be misread.
//!
//! Unreadable movetext is written unchanged if it would be read back as the same. Sometimes this is not possible: an
//! opening brace would swallow the following text, a result would end the game, a per cent sign might get to the
//! beginning of a line. Such text is put into a comment, `{[%raw e9 %7Bunclosed]}`, in which characters with a meaning
//! in PGN are percent-encoded. Other programs show it as a comment; read here, it is exactly the same movetext again.

/// The beginning of a comment that holds movetext.
const OPEN: &str = "[%raw ";

/// Whether a comment begins like unreadable movetext.
#[inline]
pub(super) fn begins(comment: &[u8]) -> bool {
    comment.starts_with(OPEN.as_bytes())
}

/// The comment, braces included, for a text.
pub(super) fn encode(text: &str) -> String {
    let mut comment = format!("{{{OPEN}");
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_outer_space = c == ' ' && (before == ' ' || rest.peek().is_none());
        if is_outer_space || c.is_control() || matches!(c, '%' | '[' | ']' | '{' | '}') {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                comment.push_str(&format!("%{byte:02X}"));
            }
        } else {
            comment.push(c);
        }
        before = c;
    }
    comment.push_str("]}");
    comment
}

/// The text in such a comment, given without its braces.
pub(super) fn decode(comment: &[u8]) -> Option<String> {
    let comment = std::str::from_utf8(comment).ok()?;
    let mut rest = comment.strip_prefix(OPEN)?.strip_suffix(']')?;
    let mut text = Vec::with_capacity(rest.len());
    while let Some(at) = rest.find(['%', '[', ']', '{', '}', '\n', '\r']) {
        let (plain, sign) = rest.split_at(at);
        text.extend_from_slice(plain.as_bytes());
        rest = match sign.as_bytes() {
            [b'%', high, low, ..] => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                let code = digit(high)? * 16 + digit(low)?;
                text.push(u8::try_from(code).ok()?);
                sign.get(3..)?
            }
            // Another program may have broken the line.
            [b'\r', b'\n', ..] => {
                text.push(b' ');
                sign.get(2..)?
            }
            [b'\n' | b'\r', ..] => {
                text.push(b' ');
                sign.get(1..)?
            }
            _ => return None,
        };
    }
    text.extend_from_slice(rest.as_bytes());
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_readable_in_its_comment() {
        assert_eq!(encode("e9 {unclosed"), "{[%raw e9 %7Bunclosed]}");
        assert_eq!(encode(" 50% \n"), "{[%raw %2050%25 %0A]}");
        assert_eq!(encode(""), "{[%raw ]}");
        assert_eq!(decode(b"[%raw e9\r\nNf3]").as_deref(), Some("e9 Nf3"));
        for other in [
            "[%raw]",
            "[%raw a",
            "[%raw a] b]",
            "[%raw %g1]",
            "[%raw %FF]",
            "[%clk 1:00]",
        ] {
            assert_eq!(decode(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in any::<String>()) {
            let comment = encode(&text);
            let inner = &comment[1..comment.len() - 1];
            let breaks = inner.contains(['{', '}', '\n', '\r']);
            prop_assert!(!breaks);
            prop_assert!(begins(inner.as_bytes()));
            prop_assert_eq!(decode(inner.as_bytes()), Some(text));
        }
    }
}
