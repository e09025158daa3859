//! Cells of comma-separated values as spreadsheets take them.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, which may start programs or send cells
//! elsewhere. A name in a database from somebody else can begin this way.

/// Appends a text as a cell: in quotes if necessary.
pub fn put_cell(out: &mut Vec<u8>, text: &str) {
    let is_special = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !text.bytes().any(is_special) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// A text as a cell.
#[must_use]
pub fn cell(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    put_cell(&mut out, text);
    // Quotes are added only between characters.
    String::from_utf8(out).unwrap_or_default()
}

/// Comma-separated values in which no text begins like a formula: those that would get an apostrophe, which spreadsheets
/// take as the mark of a text. Numbers stay unchanged.
///
/// The same applies within a cell after `;`, tabs and line ends, where spreadsheets with other settings split cells.
#[must_use]
pub fn guarded(values: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(values.len() + values.len() / 64);
    let mut is_quoted = false;
    // Whether a cell begins here, and whether it is a whole one.
    let mut begins = Some(true);
    let mut at = 0;
    while let Some(&byte) = values.get(at) {
        let rest = values.get(at..).unwrap_or_default();
        if let Some(is_cell) = begins.take() {
            if is_cell && byte == b'"' {
                is_quoted = true;
                out.push(byte);
                at += 1;
                begins = Some(false);
                continue;
            }
            // A line end that is not quoted is the end of the row.
            let is_end = !is_quoted && matches!(byte, b'\r' | b'\n');
            if !is_end && is_formula(rest) && !(is_cell && is_number(rest)) {
                out.push(b'\'');
            }
        }
        out.push(byte);
        at += 1;
        match byte {
            b'"' if is_quoted => match values.get(at) {
                Some(b'"') => {
                    out.push(b'"');
                    at += 1;
                }
                _ => is_quoted = false,
            },
            b',' | b'\n' if !is_quoted => begins = Some(true),
            b';' | b'\t' | b'\r' | b'\n' => begins = Some(false),
            _ => {}
        }
    }
    out
}

/// Whether a spreadsheet would read this as a formula; full-width symbols count like ordinary ones.
fn is_formula(text: &[u8]) -> bool {
    let mut text = text;
    while let Some(rest) = text
        .strip_prefix(b" ")
        .or_else(|| text.strip_prefix("\u{a0}".as_bytes()))
    {
        text = rest;
    }
    let wide = ['\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    matches!(
        text.first(),
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r')
    ) || wide.iter().any(|sign| {
        let mut bytes = [0; 4];
        text.starts_with(sign.encode_utf8(&mut bytes).as_bytes())
    })
}

/// Whether a cell is a number and nothing else.
fn is_number(cell: &[u8]) -> bool {
    let end = cell
        .iter()
        .position(|byte| matches!(byte, b',' | b'\r' | b'\n'));
    let cell = cell.get(..end.unwrap_or(cell.len())).unwrap_or_default();
    let digits = match cell.first() {
        Some(b'+' | b'-') => cell.get(1..).unwrap_or_default(),
        _ => cell,
    };
    let mut parts = digits.split(|byte| *byte == b'.');
    let is_whole = |part: Option<&[u8]>| {
        part.is_none_or(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
    };
    parts.clone().count() <= 2 && is_whole(parts.next()) && is_whole(parts.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_as_a_formula_gets_a_mark() {
        for (plain, wanted) in [
            ("a,b\n", "a,b\n"),
            ("=1+1,x\n", "'=1+1,x\n"),
            ("x,=1\n+x,-x,@x\n", "x,'=1\n'+x,'-x,'@x\n"),
            ("-5,+0.35,-12.5,7\r\n", "-5,+0.35,-12.5,7\r\n"),
            (
                "-,-.5,-5.,1.2.3,--5,-5x\n",
                "'-,'-.5,'-5.,1.2.3,'--5,'-5x\n",
            ),
            (
                "\"=a,b\",\"say \"\"=x\"\"\",\"\"\"=x\"\n",
                "\"'=a,b\",\"say \"\"=x\"\"\",\"\"\"=x\"\n",
            ),
            ("\"-5,0\"\n", "\"'-5,0\"\n"),
            ("\"\t=x\",\"\r=x\"\n", "\"'\t'=x\",\"'\r'=x\"\n"),
            ("\ta\n", "'\ta\n"),
            ("  =x,\u{a0}=x,\u{ff1d}x\n", "'  =x,'\u{a0}=x,'\u{ff1d}x\n"),
            ("a;=x,b; @x\n", "a;'=x,b;' @x\n"),
            ("\"a\n=x\"\n", "\"a\n'=x\"\n"),
            ("a=b,c-d,1-0,1/2-1/2\n", "a=b,c-d,1-0,1/2-1/2\n"),
            (",\r\n,\n\"\"\n", ",\r\n,\n\"\"\n"),
            ("", ""),
            ("\"=x", "\"'=x"),
        ] {
            let got = String::from_utf8(guarded(plain.as_bytes())).expect("text");
            assert_eq!(got, wanted, "{plain:?}");
        }
    }

    /// Only marks are added, and a reader of the rows and cells finds none that begins like a formula.
    #[test]
    fn no_cell_is_a_formula_whatever_it_holds() {
        let signs: Vec<char> = "=+-@\t\r\n;,\"' a5.\u{ff0b}\u{a0}".chars().collect();
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            let mut cells = Vec::new();
            for _ in 0..3 {
                let mut cell = String::new();
                for _ in 0..6 {
                    seed = seed
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let at = usize::try_from(seed >> 40).expect("small") % (signs.len() + 3);
                    cell.extend(signs.get(at));
                }
                cells.push(cell);
            }
            let rows: Vec<String> = cells
                .iter()
                .map(|cell| match cell.contains([',', '"', '\n', '\r']) {
                    true => format!("\"{}\"", cell.replace('"', "\"\"")),
                    false => cell.clone(),
                })
                .collect();
            let text = format!("{}\n", rows.join(","));
            let safe = String::from_utf8(guarded(text.as_bytes())).expect("text");
            let read = read(&safe);
            assert_eq!(read.len(), 3, "{safe:?}");
            for (cell, was) in read.iter().zip(&cells) {
                let bare = cell.trim_start_matches([' ', '\u{a0}']);
                let is_number = cell.parse::<f64>().is_ok();
                assert!(
                    is_number || !bare.starts_with(['=', '+', '-', '@', '\t', '\r', '\u{ff0b}']),
                    "{cell:?}"
                );
                assert_eq!(cell.replace('\'', ""), was.replace('\'', ""), "{safe:?}");
            }
        }
    }

    /// The cells of one row, read by the rules of RFC 4180.
    fn read(row: &str) -> Vec<String> {
        let row = row.strip_suffix('\n').expect("a row");
        let mut cells = vec![String::new()];
        let mut quoted = false;
        let mut signs = row.chars().peekable();
        while let Some(sign) = signs.next() {
            let cell = cells.last_mut().expect("one");
            match sign {
                '"' if quoted && signs.peek() == Some(&'"') => {
                    cell.push('"');
                    signs.next();
                }
                '"' if quoted => quoted = false,
                '"' if cell.is_empty() => quoted = true,
                ',' if !quoted => cells.push(String::new()),
                other => cell.push(other),
            }
        }
        cells
    }
}
