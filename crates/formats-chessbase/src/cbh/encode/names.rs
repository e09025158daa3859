//! The names of a game as their files hold them, and the fields of their records.

use tabiya_model::charset::Charset;

use crate::cbh::entities::CbhEntityTable;
use crate::cbh::text;

/// The data of a name's record without the number of its uses and its first game.
pub(in crate::cbh) type CbhNameBytes = Vec<u8>;

/// The names that a game refers to.
#[derive(Clone, Debug)]
pub(in crate::cbh) struct CbhGameNames {
    /// White and Black.
    pub(in crate::cbh) players: [CbhNameBytes; 2],
    /// The tournament, with its record of `.cbtt` behind it.
    pub(in crate::cbh) tournament: CbhNameBytes,
    pub(in crate::cbh) annotator: CbhNameBytes,
    pub(in crate::cbh) source: CbhNameBytes,
    pub(in crate::cbh) teams: [Option<CbhNameBytes>; 2],
    pub(in crate::cbh) title: Option<CbhNameBytes>,
}

/// The bytes of a record of `.cbtt` of the newest version.
pub(in crate::cbh) const EXTRA_SIZE: usize = 65;

/// The bytes of a name, without the number of its uses and its first game.
pub(in crate::cbh) fn name_size(table: CbhEntityTable) -> usize {
    match table {
        CbhEntityTable::Tournaments => table.count_at() + EXTRA_SIZE,
        table => table.count_at(),
    }
}

impl Default for CbhGameNames {
    fn default() -> CbhGameNames {
        let empty = |table| vec![0; name_size(table)];
        CbhGameNames {
            players: [(); 2].map(|()| empty(CbhEntityTable::Players)),
            tournament: empty(CbhEntityTable::Tournaments),
            annotator: empty(CbhEntityTable::Annotators),
            source: empty(CbhEntityTable::Sources),
            teams: [None, None],
            title: None,
        }
    }
}

/// Puts bytes into a field of a record.
pub(super) fn put(record: &mut [u8], at: usize, field: &[u8]) {
    if let Some(to) = record.get_mut(at..at + field.len()) {
        to.copy_from_slice(field);
    }
}

/// A name in the bytes that are read as it is.
pub(crate) fn name_bytes(text: &str, charset: Option<Charset>) -> Vec<u8> {
    if let Some(charset) = charset.filter(|_| !text.is_ascii())
        && let Ok(bytes) = charset.encode(text)
        && std::str::from_utf8(&bytes).is_err()
        && charset.decode(&bytes) == text
    {
        return bytes;
    }
    text.as_bytes().to_vec()
}

/// Puts a name into its field, as much of it as there is room for.
pub(super) fn put_name(
    record: &mut [u8],
    at: usize,
    length: usize,
    text: &str,
    charset: Option<Charset>,
) {
    let bytes = name_bytes(text, charset);
    let is_utf8 = std::str::from_utf8(&bytes).is_ok();
    let mut end = bytes.len().min(length);
    // No character is cut into halves.
    while is_utf8 && end < bytes.len() && bytes.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end = end.saturating_sub(1);
    }
    put(record, at, bytes.get(..end).unwrap_or(&[]));
}

/// A player's last and first name, where they fit: at the first comma with a space that lets both.
pub(super) fn put_player(record: &mut [u8], name: &str, charset: Option<Charset>) {
    let fits = |last: &str, first: &str| {
        name_bytes(last, charset).len() <= 30 && name_bytes(first, charset).len() <= 20
    };
    let commas = || name.match_indices(", ").map(|(at, _)| name.split_at(at));
    let halves = commas().map(|(last, rest)| (last, rest.get(2..).unwrap_or("")));
    let named = |(last, first): &(&str, &str)| !first.is_empty() && fits(last, first);
    let (last, first) = match halves.clone().find(named) {
        Some(both) => both,
        None if fits(name, "") => (name, ""),
        None => halves
            .clone()
            .find(|(_, first)| !first.is_empty())
            .unwrap_or((name, "")),
    };
    put_name(record, 0, 30, last, charset);
    put_name(record, 30, 20, first, charset);
}

/// A text in the bytes of a comment: as it stood where that is read alike, with the program's sign for a diagram, or as it is.
pub(super) fn text_bytes(
    wanted: &str,
    original: Option<&[u8]>,
    charset: Option<Charset>,
) -> Option<Vec<u8>> {
    let reading = charset.unwrap_or(text::DEFAULT);
    let is_read = |bytes: &[u8]| {
        let is_sure = charset.is_some() || std::str::from_utf8(bytes).is_ok();
        is_sure && !bytes.contains(&0) && text::text_of(bytes, text::read(bytes, reading)) == wanted
    };
    if wanted.is_ascii() && !wanted.contains(['[', '\0', '\u{4}']) {
        return Some(wanted.as_bytes().to_vec());
    }
    let with_diagrams = wanted.replace(text::DIAGRAM_MARK, "\u{4}");
    let original = original.filter(|bytes| is_read(bytes)).map(<[u8]>::to_vec);
    let encoded = |text: &str| {
        let bytes = charset?.encode(text).ok()?;
        is_read(&bytes).then_some(bytes)
    };
    let plain = |text: &str| is_read(text.as_bytes()).then(|| text.as_bytes().to_vec());
    original
        .or_else(|| encoded(&with_diagrams))
        .or_else(|| plain(&with_diagrams))
        .or_else(|| plain(wanted))
}
