//! Lines ↔ fields and operations, without their meaning.

/// An operation: its opcode and its unchanged operands, without the white space around them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct EpdOperation<'a> {
    pub(super) opcode: &'a [u8],
    pub(super) operands: &'a [u8],
    /// Whether it ends with a semicolon, with its quotes closed.
    pub(super) ends: bool,
}

/// A record, split into its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EpdRecord<'a> {
    /// Pieces, side to move, castling and en passant, unchanged.
    pub(super) position: [&'a [u8]; 4],
    /// The counters of a FEN, if they follow.
    pub(super) counters: Option<[&'a [u8]; 2]>,
    pub(super) operations: Vec<EpdOperation<'a>>,
    /// Text that is not an operation.
    pub(super) rest: &'a [u8],
}

/// The longest opcode.
const LONGEST_OPCODE: usize = 15;

/// Opcodes for data that is stored in other parts of a game.
pub(super) const TAKEN: [&str; 5] = ["pv", "hmvc", "fmvn", "id", "eco"];

/// Opcodes of the standard whose operands are moves and numbers, without quotes.
pub(super) const PLAIN: [&str; 17] = [
    "acd",
    "acn",
    "acs",
    "am",
    "bm",
    "ce",
    "dm",
    "draw_accept",
    "draw_claim",
    "draw_offer",
    "draw_reject",
    "noop",
    "pm",
    "rc",
    "resign",
    "sm",
    "tcgs",
];

/// Whether a name can be an opcode.
pub(super) fn is_opcode(name: &[u8]) -> bool {
    name.len() <= LONGEST_OPCODE
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// The number of a comment: `c0` to `c9`.
pub(super) fn is_comment(opcode: &[u8]) -> bool {
    matches!(opcode, [b'c', b'0'..=b'9'])
}

/// Whether a line is a record; other lines are empty or comments.
pub(super) fn is_record(line: &[u8]) -> bool {
    !matches!(line.trim_ascii().first(), None | Some(b'#' | b';' | b'%'))
}

/// Whether a line begins with pieces on eight ranks and a side to move.
pub(super) fn looks_like_position(line: &[u8]) -> bool {
    let mut fields = EpdFields(line);
    let (Some(pieces), Some(turn)) = (fields.next(), fields.next()) else {
        return false;
    };
    let fits = |b: &u8| b"pnbrqkPNBRQK12345678/~".contains(b);
    matches!(turn, b"w" | b"b")
        && pieces.iter().all(fits)
        && pieces.iter().filter(|b| **b == b'/').count() == 7
}

/// Words separated by white space; the field is the rest.
struct EpdFields<'a>(&'a [u8]);

impl<'a> Iterator for EpdFields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.0.trim_ascii_start();
        let end = text
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(text.len());
        let (field, rest) = text.split_at_checked(end)?;
        self.0 = rest;
        (!field.is_empty()).then_some(field)
    }
}

/// Splits a line into its parts; `None` if it has fewer than four fields.
pub(super) fn cut(line: &[u8]) -> Option<EpdRecord<'_>> {
    let mut fields = EpdFields(line);
    let position = [
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
    ];
    // A semicolon after the en passant square belongs to no operation.
    let mut counted = EpdFields(fields.0);
    let is_number = |field: &&[u8]| field.iter().all(u8::is_ascii_digit);
    let counters = match (
        counted.next().filter(is_number),
        counted
            .next()
            .map(|field| field.strip_suffix(b";").unwrap_or(field))
            .filter(is_number),
    ) {
        (Some(halfmoves), Some(fullmoves)) if !fullmoves.is_empty() => Some([halfmoves, fullmoves]),
        _ => None,
    };
    let mut rest = if counters.is_some() {
        counted.0
    } else {
        fields.0
    };
    let mut operations = Vec::new();
    loop {
        rest = rest.trim_ascii();
        // Empty operations have no meaning.
        while let [b';', more @ ..] = rest {
            rest = more.trim_ascii();
        }
        let length = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
            .count();
        let (opcode, behind) = rest.split_at_checked(length)?;
        let fits = opcode.first().is_some_and(u8::is_ascii_alphabetic)
            && matches!(behind.first(), None | Some(b' ' | b'\t' | b';' | b'"'));
        if !fits {
            break;
        }
        let (operands, ends, more) = operands(behind);
        operations.push(EpdOperation {
            opcode,
            operands,
            ends,
        });
        rest = more;
    }
    Some(EpdRecord {
        position,
        counters,
        operations,
        rest,
    })
}

/// The operands up to the next semicolon outside quotes, whether there is one, and the rest.
fn operands(text: &[u8]) -> (&[u8], bool, &[u8]) {
    let mut quoted = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b';' if !quoted => {
                let operands = text.get(..at).unwrap_or_default();
                let rest = text.get(at + 1..).unwrap_or_default();
                return (operands.trim_ascii(), true, rest);
            }
            _ => {}
        }
    }
    (text.trim_ascii(), false, &[])
}

/// The value of operands: a single string without its quotes, anything else unchanged.
pub(super) fn value(operands: &[u8]) -> &[u8] {
    if let [b'"', inner @ ..] = operands {
        let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
        if !inner.contains(&b'"') {
            return inner;
        }
    }
    operands
}

/// Whether a value can be written without quotes and is then read unchanged.
pub(super) fn stands_bare(text: &[u8]) -> bool {
    let quotes = text.iter().filter(|b| **b == b'"').count();
    !text.is_empty()
        && text.trim_ascii() == text
        && quotes % 2 == 0
        && value(text) == text
        && operands(text) == (text, false, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_cut_at_semicolons_outside_of_quotes() {
        let line = b"8/8/8/8/8/8/8/K1k5 w - - 3 40 bm Kb2; id \"a; b\"; c0 \"x\" ; noop;last 1 2";
        let record = cut(line).expect("a record");
        assert_eq!(record.counters, Some([&b"3"[..], b"40"]));
        let said: Vec<_> = record
            .operations
            .iter()
            .map(|o| (o.opcode, value(o.operands), o.ends))
            .collect();
        assert_eq!(
            said,
            [
                (&b"bm"[..], &b"Kb2"[..], true),
                (b"id", b"a; b", true),
                (b"c0", b"x", true),
                (b"noop", b"", true),
                (b"last", b"1 2", false),
            ]
        );
        assert_eq!(record.rest, b"");
        assert_eq!(cut(b"8/8/8/8/8/8/8/K1k5 w -"), None);
        assert_eq!(cut(b"a b c d 12x").map(|r| r.rest), Some(&b"12x"[..]));
    }

    #[test]
    fn values_stand_bare_where_they_can() {
        for (text, bare) in [
            ("Nf3 Nc3", true),
            ("\"a\" \"b\"", true),
            ("\"a\"", false),
            ("a;b", false),
            ("\"a;b\" c", true),
            ("\"", false),
            ("", false),
            (" a", false),
        ] {
            assert_eq!(stands_bare(text.as_bytes()), bare, "{text}");
        }
    }
}
