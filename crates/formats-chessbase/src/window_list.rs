//! `DBItems.cbini`: the databases that the window of ChessBase shows.
//!
//! The file begins with [`MAGIC`] and the number of bytes that follow (32 bits, BE). Then come items: a tag, a value, and a key,
//! which is a length (32 bits, LE) and bytes.
//!
//! | tag | value |
//! |---|---|
//! | ff | none: the key is the name of the section that the next items belong to |
//! | 01 | a byte |
//! | 08 | 32 bits, LE |
//! | 19, 1a, 1e | a length (32 bits, LE) and bytes |
//!
//! Items carry no length, so that nothing after an unknown tag can be read. A database is an item of the sections `2cbg` and
//! `Databases`: its key is the path, its value `title,icon,kind,games,n,date,date`, of which the title may have commas. `RefDB`
//! in `2cbh` is the path of the reference database.

use tabiya_model::charset::Charset;
use tabiya_model::date::Date;
use tabiya_model::error_codes;
use tabiya_model::{Error, Result};

use super::cbh::layout::CbhDate;
use crate::counted::counted;

/// The first bytes of the file.
pub const MAGIC: [u8; 4] = [0x0c, 0x0b, 0x0a, 0x0e];
/// The sections that have databases.
const SECTIONS: [&str; 2] = ["2cbg", "Databases"];

/// A database of the window.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CbWindowDatabase {
    /// Its path, as it is stored.
    pub path: String,
    /// The name that the window shows.
    pub title: String,
    /// The number of its format: 28 for 2CBH, 1 for CBH, 3 for PGN.
    pub kind: Option<i64>,
    /// Games in it, when the list was written.
    pub games: Option<u64>,
    /// When it was last used.
    pub used: Option<Date>,
    /// When it was added.
    pub added: Option<Date>,
}

/// The databases of the window.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CbWindowList {
    /// They, in the order of the file.
    pub databases: Vec<CbWindowDatabase>,
    /// The path of the reference database.
    pub reference: Option<String>,
}

/// A text: UTF-8, or the code page of the program's first languages.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => Charset::Cp1252.decode(bytes).into_owned(),
    }
}

/// Reads the bytes of a list.
struct CbWindowCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> CbWindowCursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.saturating_add(count);
        let taken = self.bytes.get(self.at..end).ok_or_else(|| {
            let what = counted(
                count,
                "byte is missing at the end",
                "bytes are missing at the end",
            );
            self.damaged(&what)
        })?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<i32> {
        let bytes = self.take(4)?.first_chunk().copied().unwrap_or_default();
        Ok(i32::from_le_bytes(bytes))
    }

    fn string(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        let length =
            usize::try_from(length).map_err(|_| self.damaged("the length of a text is below 0"))?;
        self.take(length)
    }

    fn damaged(&self, what: &str) -> Error {
        Error::new(&error_codes::DAMAGED, format!("offset {}: {what}", self.at))
    }
}

/// Reads a list.
pub fn read(bytes: &[u8]) -> Result<CbWindowList> {
    if !bytes.starts_with(&MAGIC) {
        return Err(Error::new(
            &error_codes::NOT_THIS_FORMAT,
            "not a list of the databases of ChessBase (DBItems.cbini)",
        ));
    }
    let mut cursor = CbWindowCursor {
        bytes,
        at: MAGIC.len(),
    };
    let stored = cursor.take(4)?.first_chunk().copied().unwrap_or_default();
    let end = cursor
        .at
        .saturating_add(u32::from_be_bytes(stored) as usize);
    if end > bytes.len() {
        let problem = format!("the file should have {end} bytes, and has {}", bytes.len());
        return Err(cursor.damaged(&problem));
    }
    cursor.bytes = bytes.get(..end).unwrap_or(bytes);
    let mut list = CbWindowList::default();
    let mut section = String::new();
    while cursor.at < end {
        let start = cursor.at;
        let tag = cursor.take(1)?.first().copied().unwrap_or(0);
        let value = match tag {
            0xff => None,
            0x01 => cursor.take(1).map(|_| None)?,
            0x08 => cursor.number().map(|_| None)?,
            0x19 | 0x1a | 0x1e => Some(cursor.string()?),
            tag => {
                cursor.at = start;
                return Err(cursor.damaged(&format!(
                    "an item of the unknown kind {tag:02x}: what follows cannot be read"
                )));
            }
        };
        let key = text(cursor.string()?);
        match value {
            _ if tag == 0xff => section = key,
            Some(value) if SECTIONS.contains(&section.as_str()) => {
                list.databases.push(database(key, &text(value)));
            }
            Some(value) if section == "2cbh" && key == "RefDB" => {
                list.reference = Some(text(value));
            }
            _ => {}
        }
    }
    Ok(list)
}

/// A database by its path and what the list says about it.
fn database(path: String, value: &str) -> CbWindowDatabase {
    // The title may have commas, the six numbers have none.
    let mut numbers: Vec<&str> = value.rsplitn(7, ',').collect();
    let title = match numbers.len() {
        7 => numbers.pop().unwrap_or_default().to_owned(),
        _ => {
            return CbWindowDatabase {
                path,
                title: value.to_owned(),
                ..CbWindowDatabase::default()
            };
        }
    };
    numbers.reverse();
    let number = |at: usize| numbers.get(at).and_then(|it| it.trim().parse::<i64>().ok());
    let date = |at: usize| {
        let date = CbhDate(u32::try_from(number(at)?).ok()?);
        (!date.is_unknown()).then(|| date.date())
    };
    CbWindowDatabase {
        path,
        title,
        kind: number(1),
        games: number(2).and_then(|games| u64::try_from(games).ok()),
        used: date(4),
        added: date(5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list under construction.
    #[derive(Default)]
    struct List(Vec<u8>);

    impl List {
        fn string(&mut self, bytes: &[u8]) {
            let length = u32::try_from(bytes.len()).expect("short");
            self.0.extend(length.to_le_bytes());
            self.0.extend_from_slice(bytes);
        }

        fn item(mut self, tag: u8, value: &[u8], key: &[u8]) -> List {
            self.0.push(tag);
            match tag {
                0x19 | 0x1a | 0x1e => self.string(value),
                _ => self.0.extend_from_slice(value),
            }
            self.string(key);
            self
        }

        fn bytes(self) -> Vec<u8> {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(u32::try_from(self.0.len()).expect("short").to_be_bytes());
            bytes.extend(self.0);
            bytes
        }
    }

    fn sample() -> Vec<u8> {
        List::default()
            .item(0xff, b"", b"2cbg")
            .item(
                0x19,
                b"Mega, 2026,245,28,11966514,3,1037620,1037559",
                b"C:\\B\\Mega.2cbh",
            )
            .item(
                0x1e,
                "Здесь,0,28,7,1,0,x".as_bytes(),
                "C:\\Б.2cbh".as_bytes(),
            )
            .item(0xff, b"", b"2cbh")
            .item(0x1a, b"C:\\B\\Mega.2cbh", b"RefDB")
            .item(0xff, b"", b"Status")
            .item(0x08, &7_i32.to_le_bytes(), b"Sort")
            .item(0x01, b"\x01", b"SortDir0")
            .item(0x19, b"C:\\B\\x.pgn", b"Selected")
            .item(0xff, b"", b"Databases")
            .item(0x19, b"M\xfcller,0,3,9,5,1037616,1037616", b"sub/m.pgn")
            .item(0x19, b"no numbers", b"C:\\n.cbh")
            .bytes()
    }

    #[test]
    fn databases_are_listed() {
        let list = read(&sample()).expect("read");
        assert_eq!(list.reference.as_deref(), Some("C:\\B\\Mega.2cbh"));
        let [mega, cyrillic, latin, plain] = list.databases.as_slice() else {
            panic!("{list:?}");
        };
        assert_eq!((mega.title.as_str(), mega.kind), ("Mega, 2026", Some(28)));
        assert_eq!(mega.games, Some(11_966_514));
        assert_eq!(mega.used, Some(Date::from_numbers(2026, 9, 20)));
        assert_eq!(mega.added, Some(Date::from_numbers(2026, 7, 23)));
        assert_eq!((cyrillic.title.as_str(), cyrillic.used), ("Здесь", None));
        assert_eq!(
            (cyrillic.path.as_str(), cyrillic.games),
            ("C:\\Б.2cbh", Some(7))
        );
        assert_eq!(
            (latin.title.as_str(), latin.path.as_str()),
            ("Müller", "sub/m.pgn")
        );
        assert_eq!((plain.title.as_str(), plain.games), ("no numbers", None));
    }

    #[test]
    fn damage_is_told_with_its_place() {
        let bytes = sample();
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length}");
        }
        // Whatever byte is another one, reading ends.
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                let _ = read(&other);
            }
        }
        let unknown = List::default().item(0x77, b"", b"x").bytes();
        let told = read(&unknown).expect_err("told").to_string();
        assert!(told.contains("offset 8") && told.contains("77"), "{told}");
        let huge = [&MAGIC[..], &[0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff, 0x7f]].concat();
        assert!(read(&huge).is_err());
    }
}
