//! The two texts of a record: which names, event, round and annotator they say, and how they are joined.

use std::borrow::Cow;

/// The most numbers of a round, as in `(m/3/2)`.
const ROUND_NUMBERS: usize = 3;
/// The most digits of a number in parentheses that is a round where players stand: `Mephisto (68020)` is none.
const ROUND_DIGITS: usize = 3;

/// A trimmed text: spaces and what is left of fixed fields go.
pub(super) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | 0, rest @ ..] | [rest @ .., b' ' | 0] = bytes {
        bytes = rest;
    }
    bytes
}

fn trim_cow(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_vec()),
    }
}

/// The content of the two texts of a record; empty if missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CbfTexts<'a> {
    /// White's name.
    pub white: Cow<'a, [u8]>,
    /// Black's name.
    pub black: Cow<'a, [u8]>,
    /// Event and place.
    pub event: Cow<'a, [u8]>,
    /// The round, its numbers parted by dots.
    pub round: String,
    /// The annotator.
    pub annotator: &'a [u8],
}

impl<'a> CbfTexts<'a> {
    /// Reads both texts. A round may be in either one; the players' text is tried first.
    pub fn read(players: &'a [u8], source: &'a [u8]) -> CbfTexts<'a> {
        let (names, round) = take_round(players, ROUND_DIGITS);
        let (rest, annotator) = take_annotator(source);
        let (event, round) = match round.is_empty() {
            true => match rest {
                Cow::Borrowed(rest) => take_round(rest, usize::MAX),
                Cow::Owned(rest) => {
                    let (event, round) = take_round(&rest, usize::MAX);
                    (Cow::Owned(event.into_owned()), round)
                }
            },
            false => (rest, round),
        };
        let (white, black) = match names {
            Cow::Borrowed(names) => split_players(names),
            Cow::Owned(names) => {
                let (white, black) = split_players(&names);
                (
                    Cow::Owned(white.into_owned()),
                    Cow::Owned(black.into_owned()),
                )
            }
        };
        CbfTexts {
            white,
            black,
            event: trim_cow(event),
            round,
            annotator,
        }
    }

    /// The player text that would be written for the names.
    pub fn joined_players(&self) -> Vec<u8> {
        join_players(&self.white, &self.black)
    }

    /// The source text that would be written for the rest.
    pub fn joined_source(&self) -> Vec<u8> {
        join_source(&self.event, &self.round, self.annotator)
    }
}

/// White and Black in a player text. Without a hyphen everything is White; in a name, `_` stands for a hyphen.
fn split_players(text: &[u8]) -> (Cow<'_, [u8]>, Cow<'_, [u8]>) {
    let cut = |at: usize, width: usize| {
        let white = text.get(..at).unwrap_or_default();
        let black = text.get(at + width..).unwrap_or_default();
        (name_of(white), name_of(black))
    };
    if let Some(at) = memchr::memmem::find(text, b" - ") {
        return cut(at, 3);
    }
    let mut hyphens = memchr::memchr_iter(b'-', text);
    let Some(first) = hyphens.next() else {
        return (name_of(text), Cow::Borrowed(b""));
    };
    // A surname of two parts: its hyphen stands before the comma that its owner's first name follows.
    match (hyphens.next(), memchr::memchr(b',', text)) {
        (Some(second), Some(comma)) if comma > first => cut(second, 1),
        _ => cut(first, 1),
    }
}

fn name_of(text: &[u8]) -> Cow<'_, [u8]> {
    let text = trim(text);
    if memchr::memchr(b'_', text).is_none() {
        return Cow::Borrowed(text);
    }
    let hyphens = text
        .iter()
        .map(|byte| if *byte == b'_' { b'-' } else { *byte });
    Cow::Owned(hyphens.collect())
}

/// A player text that is read back as these two names, if there is one; an unknown name is empty.
pub fn join_players(white: &[u8], black: &[u8]) -> Vec<u8> {
    if black.is_empty() && memchr::memchr2(b'-', b'(', white).is_none() {
        return white.to_vec();
    }
    let plain = [white, b"-", black].concat();
    if memchr::memchr(b'-', white).is_none() && memchr::memchr(b'-', black).is_none() {
        return plain;
    }
    let underscored = |name: &[u8]| -> Vec<u8> {
        let bytes = name.iter();
        bytes
            .map(|byte| if *byte == b'-' { b'_' } else { *byte })
            .collect()
    };
    let spaced = [white, b" - ", black].concat();
    let hidden = [&underscored(white)[..], b"-", &underscored(black)].concat();
    let is_read = |text: &Vec<u8>| {
        let (w, b) = split_players(text);
        *w == *white && *b == *black
    };
    [plain, hidden].into_iter().find(is_read).unwrap_or(spaced)
}

/// A text without its round, and the round; empty where there is none.
fn take_round(text: &[u8], digits: usize) -> (Cow<'_, [u8]>, String) {
    for start in memchr::memchr_iter(b'(', text) {
        let inside = text.get(start + 1..).unwrap_or_default();
        let Some(length) = memchr::memchr(b')', inside) else {
            break;
        };
        let Some(round) = read_round(inside.get(..length).unwrap_or_default(), digits) else {
            continue;
        };
        let before = text.get(..start).unwrap_or_default();
        let after = inside.get(length + 1..).unwrap_or_default();
        return (without(before, after), round);
    }
    (Cow::Borrowed(text), String::new())
}

/// A text without its annotator, who stands in brackets, and the annotator.
fn take_annotator(text: &[u8]) -> (Cow<'_, [u8]>, &[u8]) {
    let found = memchr::memchr(b'[', text).and_then(|start| {
        let inside = text.get(start + 1..)?;
        let length = memchr::memchr(b']', inside)?;
        let name = trim(inside.get(..length)?);
        let rest = without(text.get(..start)?, inside.get(length + 1..)?);
        (!name.is_empty()).then_some((rest, name))
    });
    found.unwrap_or((Cow::Borrowed(text), b""))
}

/// What is left around something that was taken out.
fn without<'a>(before: &'a [u8], after: &'a [u8]) -> Cow<'a, [u8]> {
    match (trim(before), trim(after)) {
        (before, []) => Cow::Borrowed(before),
        ([], after) => Cow::Borrowed(after),
        // Where the names end and a hyphen follows, there was no space.
        (before, after @ [b'-', ..]) => Cow::Owned([before, after].concat()),
        (before, after) => Cow::Owned([before, b" ", after].concat()),
    }
}

/// The round within parentheses: numbers with dots or slashes, `m/` before them or not.
fn read_round(text: &[u8], digits: usize) -> Option<String> {
    let text = text
        .strip_prefix(b"m/")
        .or_else(|| text.strip_prefix(b"M/"))
        .unwrap_or(text);
    let mut round = String::new();
    let mut numbers = 0;
    for part in text.split(|byte| matches!(byte, b'.' | b'/' | b'\\')) {
        if !part.iter().all(u8::is_ascii_digit) || part.len() > digits {
            return None;
        }
        if !part.is_empty() {
            numbers += 1;
            if !round.is_empty() {
                round.push('.');
            }
            round.extend(part.iter().map(|digit| char::from(*digit)));
        }
    }
    (1..=ROUND_NUMBERS).contains(&numbers).then_some(round)
}

/// A source text of an event (site included), a round and an annotator; unknown parts are empty.
pub fn join_source(event: &[u8], round: &str, annotator: &[u8]) -> Vec<u8> {
    let mut text = event.to_vec();
    let mut add = |open: u8, inside: &[u8], close: u8| {
        if inside.is_empty() {
            return;
        }
        if !text.is_empty() {
            text.push(b' ');
        }
        text.push(open);
        text.extend_from_slice(inside);
        text.push(close);
    };
    add(b'(', round.as_bytes(), b')');
    add(b'[', annotator, b']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players() {
        let cases: [(&[u8], &[u8], &[u8]); 12] = [
            (b"Kramnik,V-Anand,V", b"Kramnik,V", b"Anand,V"),
            (
                b"Smyslov-Levi,V - Botvinnik,M",
                b"Smyslov-Levi,V",
                b"Botvinnik,M",
            ),
            (
                b"Smyslov-Levi,V-Botvinnik,M",
                b"Smyslov-Levi,V",
                b"Botvinnik,M",
            ),
            (
                b"Smyslov_Levi-Botvinnik_Gold",
                b"Smyslov-Levi",
                b"Botvinnik-Gold",
            ),
            (
                b"Smyslov,V-Levi-Botvinnik,M",
                b"Smyslov,V",
                b"Levi-Botvinnik,M",
            ),
            (b"Tal-Petrosian-Gold", b"Tal", b"Petrosian-Gold"),
            (b"Bilguer", b"Bilguer", b""),
            (b"-Anand,V", b"", b"Anand,V"),
            (b" A  -  B ", b"A", b"B"),
            (b"Ho-Li,", b"Ho", b"Li,"),
            (b"", b"", b""),
            (b"-", b"", b""),
        ];
        for (text, white, black) in cases {
            let (w, b) = split_players(text);
            assert_eq!((&*w, &*b), (white, black));
            let again = join_players(white, black);
            let (w, b) = split_players(&again);
            assert_eq!((&*w, &*b), (white, black), "{again:?}");
        }
        assert_eq!(
            join_players(b"Smyslov-Levi,V", b"Botvinnik,M"),
            b"Smyslov-Levi,V-Botvinnik,M"
        );
        assert_eq!(join_players(b"A-B", b"C-D"), b"A_B-C_D");
    }

    #[test]
    fn sources() {
        type Source = (&'static [u8], &'static [u8], &'static str, &'static [u8]);
        let cases: [Source; 15] = [
            (
                b"Groningen PCA Qualifiers (11)",
                b"Groningen PCA Qualifiers",
                "11",
                b"",
            ),
            (b"Candidates (m/3)", b"Candidates", "3", b""),
            (b"Cup (3/2)", b"Cup", "3.2", b""),
            (b"Cup (m/3/2) [Anno]", b"Cup", "3.2", b"Anno"),
            (b"Cup [Anno] (3)", b"Cup", "3", b"Anno"),
            (b"Cup (1.2.3)", b"Cup", "1.2.3", b""),
            (b"Cup (1.2.3.4)", b"Cup (1.2.3.4)", "", b""),
            (b"Cup (3.2) Berlin", b"Cup Berlin", "3.2", b""),
            (b"(7)", b"", "7", b""),
            (b"Open (A) (4)", b"Open (A)", "4", b""),
            (b"Open (A", b"Open (A", "", b""),
            (b"Open () (./)", b"Open () (./)", "", b""),
            (b"Open [", b"Open [", "", b""),
            (b"Open []", b"Open []", "", b""),
            (b"", b"", "", b""),
        ];
        for (text, event, round, annotator) in cases {
            let texts = CbfTexts::read(b"", text);
            let found = (&*texts.event, texts.round.as_str(), texts.annotator);
            assert_eq!(found, (event, round, annotator));
            let again = join_source(event, round, annotator);
            let texts = CbfTexts::read(b"", &again);
            let found = (&*texts.event, texts.round.as_str(), texts.annotator);
            assert_eq!(found, (event, round, annotator));
        }
    }

    #[test]
    fn a_round_beside_the_players() {
        let texts = CbfTexts::read(b"Short,N-Speelman,J (m/3)", b"Candidates (4)");
        assert_eq!(
            (&*texts.white, &*texts.black, texts.round.as_str()),
            (&b"Short,N"[..], &b"Speelman,J"[..], "3")
        );
        assert_eq!(&*texts.event, b"Candidates (4)");
        let texts = CbfTexts::read(b"Short,N (3)-Speelman,J", b"");
        assert_eq!(
            (&*texts.white, &*texts.black),
            (&b"Short,N"[..], &b"Speelman,J"[..])
        );
        let texts = CbfTexts::read(b"Mephisto (68020)-Fritz", b"(2)");
        assert_eq!(
            (&*texts.white, texts.round.as_str()),
            (&b"Mephisto (68020)"[..], "2")
        );
    }
}
