//! Files that are not chess databases that can be read: what they are, and what to do about them.
//!
//! [`identify`](crate::open::identify::identify) reports it for a path, and opening one fails with it.

use crate::error_codes;
use tabiya_formats::format::ProbeAnswer;
use tabiya_io::compression::ContentKind;
use tabiya_model::{Error, UserHint};

/// A kind of file that is not read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ForeignFormat {
    /// What it is.
    pub title: &'static str,
    /// What to do about it, in words that suit every front end.
    pub advice: &'static str,
    /// What a user can set or do about it.
    pub hint: Option<&'static UserHint>,
}

impl ForeignFormat {
    /// Why a file of this kind cannot be opened.
    pub fn error(&self, name: &str) -> Error {
        let ForeignFormat {
            title,
            advice,
            hint,
        } = self;
        let message = format!("{name}: this is {title}; {advice}");
        let error = Error::new(&error_codes::FOREIGN_FORMAT, message);
        match hint {
            Some(hint) => error.with_hint(UserHint::clone(hint)),
            None => error,
        }
    }
}

static INSIST: UserHint = UserHint::NameSourceFormat { list: false };
static PASSWORD: UserHint = UserHint::Password;

const UNPACK: &str = "unpack it first, and open its content";
const NO_GAMES: &str = "it holds no games";
const FROM_CHESSBASE: &str =
    "save the games as PGN with ChessBase or its free reader, and open that";

const fn foreign(title: &'static str, advice: &'static str) -> ForeignFormat {
    ForeignFormat {
        title,
        advice,
        hint: None,
    }
}

/// Something that is no database of any kind, unless the user says that it is.
const fn no_games(title: &'static str) -> ForeignFormat {
    ForeignFormat {
        hint: Some(&INSIST),
        ..foreign(title, NO_GAMES)
    }
}

static RAR: ForeignFormat = foreign("a RAR archive", UNPACK);
static SEVEN_ZIP: ForeignFormat = foreign("a 7-Zip archive", UNPACK);
static NOISE: ForeignFormat = foreign(
    "not text, in spite of its name",
    "it is damaged, encrypted or something else",
);

/// First bytes that say without doubt what a file is.
static BY_BYTES: &[(&[u8], ForeignFormat)] = &[
    (b"\xff\xd8\xff\xe0", no_games("a JPEG picture")),
    (b"\xff\xd8\xff\xe1", no_games("a JPEG picture")),
    (b"\xff\xd8\xff\xdb", no_games("a JPEG picture")),
    (b"\xff\xd8\xff\xee", no_games("a JPEG picture")),
    (b"\x89PNG\r\n\x1a\n", no_games("a PNG picture")),
    (b"GIF87a", no_games("a GIF picture")),
    (b"GIF89a", no_games("a GIF picture")),
    (b"%PDF-", no_games("a PDF document")),
    (b"7z\xbc\xaf\x27\x1c", SEVEN_ZIP),
    (b"Rar!\x1a\x07", RAR),
    (b"\x7fELF", no_games("a program")),
    (
        b"SQLite format 3\0",
        foreign(
            "an SQLite database",
            "it is not from a program that Tabiya knows",
        ),
    ),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        no_games("an office document"),
    ),
    (b"RIFF", no_games("a sound, video or picture")),
    (b"OggS", no_games("a sound or video")),
    (b"ID3\x03", no_games("a sound")),
];

/// Extensions of programs whose files are not read.
static BY_NAME: &[(&str, ForeignFormat)] = &[
    (
        "cbz",
        ForeignFormat {
            hint: Some(&PASSWORD),
            ..foreign(
                "an encrypted archive of a ChessBase database (.cbz)",
                "a password opens it",
            )
        },
    ),
    (
        "cbone",
        foreign("a ChessBase database in one file (.cbone)", FROM_CHESSBASE),
    ),
];

/// What a file is that no format takes for its own with certainty.
pub(crate) fn of(
    extension: &str,
    head: &[u8],
    kind: ContentKind,
    found: Option<ProbeAnswer>,
) -> Option<&'static ForeignFormat> {
    match kind {
        ContentKind::Rar | ContentKind::SevenZip if found != Some(ProbeAnswer::Yes) => {
            return Some(if kind == ContentKind::Rar {
                &RAR
            } else {
                &SEVEN_ZIP
            });
        }
        ContentKind::Plain => {}
        _ => return None,
    }
    // Bytes say more than a name does.
    let by_bytes = BY_BYTES.iter().find(|(bytes, _)| head.starts_with(bytes));
    if let Some((_, foreign)) = by_bytes {
        return Some(foreign);
    }
    if matches!(extension, "pgn" | "epd" | "fen") && is_noise(head) {
        return Some(&NOISE);
    }
    if found.is_none() {
        let by_name = BY_NAME.iter().find(|(name, _)| *name == extension);
        return by_name.map(|(_, foreign)| foreign);
    }
    None
}

/// Whether files of this extension are of a program for chess whose files are not read.
pub(crate) fn has_name(extension: &str) -> bool {
    BY_NAME.iter().any(|(name, _)| *name == extension)
}

/// Whether bytes are no text in any charset: one of twenty of them, at least, is a control character that no text has,
/// and nothing in them is a tag.
fn is_noise(head: &[u8]) -> bool {
    let is_utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let control = |byte: &&u8| matches!(**byte, 0..=8 | 14..=25 | 27..=31 | 127);
    let noise = head.iter().filter(control).count();
    // Text of two bytes a character without a mark has as many zeros.
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    !is_utf16 && noise > 1 && noise > zeros && noise * 20 >= head.len() && !has_tag(head)
}

/// Whether a line is a tag of PGN with a name that is well known, whatever else stands in it.
fn has_tag(head: &[u8]) -> bool {
    const NAMES: [&str; 7] = ["Event", "Site", "Date", "White", "Black", "Result", "FEN"];
    let is_tag = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_matches(|c: char| c.is_control() || c == ' ');
        let inner = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let value = |name: &&str| {
            let value = inner?.strip_prefix(*name)?.trim();
            value.strip_prefix('"')?.strip_suffix('"')
        };
        NAMES.iter().any(|name| value(name).is_some())
    };
    head.split(|byte| matches!(byte, b'\n' | b'\r')).any(is_tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(extension: &str, head: &[u8], found: Option<ProbeAnswer>) -> Option<&'static str> {
        of(extension, head, ContentKind::Plain, found).map(|foreign| foreign.title)
    }

    #[test]
    fn bytes_count_before_names() {
        let jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF";
        assert_eq!(
            title("si4", jpeg, Some(ProbeAnswer::Maybe)),
            Some("a JPEG picture")
        );
        assert_eq!(title("cbone", jpeg, None), Some("a JPEG picture"));
        assert!(title("cbone", b"\0\0", None).is_some_and(|title| title.contains(".cbone")));
        assert_eq!(title("si4", b"Scid.si\0", Some(ProbeAnswer::Yes)), None);
        assert_eq!(title("doc", b"abc", None), None);
        assert_eq!(
            of(
                "pgn",
                b"Rar!\x1a\x07",
                ContentKind::Rar,
                Some(ProbeAnswer::Maybe)
            ),
            Some(&RAR)
        );
    }

    #[test]
    fn no_format_that_is_read_is_foreign() {
        for format in tabiya_formats::registry::FORMATS {
            for extension in format.extensions {
                assert!(!has_name(extension), "{}: .{extension}", format.name);
            }
        }
    }

    #[test]
    fn text_is_no_noise_in_any_charset() {
        assert!(!is_noise(b"[Event \"x\"]\n\n1. e4 *\n"));
        assert!(!is_noise(b""));
        assert!(!is_noise("Партия".as_bytes()));
        assert!(!is_noise(&[0x8f, 0xe0, 0xae, 0x20, 0x1a]));
        let wide: Vec<u8> = b"1. e4 *".iter().flat_map(|byte| [*byte, 0]).collect();
        assert!(!is_noise(&wide));
        let bytes: Vec<u8> = (0..=255).collect();
        assert!(is_noise(&bytes));
        // Control characters in a short game are damage to it, and the game is there.
        assert!(!is_noise(b"[White \"A\"]\n\n1. e4 \x01\x02\x03\x04 e5 *\n"));
        assert!(!is_noise(b"\x1b[White \"A\"]\x02\n\n1. e4 \x01\x02 *\n"));
        assert!(is_noise(b"\x01\x02\x03 [White \"A\n\x04\x05\x06"));
    }
}
