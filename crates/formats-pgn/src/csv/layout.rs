//! Rows and cells as bytes.

use tabiya_model::csv_cells::put_cell;

/// Appends the cells of one row.
pub(super) struct CsvRow<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl<'o> CsvRow<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> CsvRow<'o> {
        CsvRow { out, first: true }
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
    }

    /// Adds a cell with any text.
    pub(super) fn text(&mut self, text: &str) {
        self.separate();
        put_cell(self.out, text);
    }

    /// Adds a cell that `write` appends and that needs no quotes.
    pub(super) fn plain(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.separate();
        write(self.out);
    }

    /// Adds an empty cell.
    pub(super) fn empty(&mut self) {
        self.separate();
    }

    /// Ends the row.
    pub(super) fn end(self) {
        self.out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must() {
        let mut out = Vec::new();
        let mut row = CsvRow::new(&mut out);
        for cell in ["a", "", "b, c", "say \"x\"", "two\nlines", " d "] {
            row.text(cell);
        }
        row.empty();
        row.plain(|out| out.push(b'7'));
        row.end();
        let expected = "a,,\"b, c\",\"say \"\"x\"\"\",\"two\nlines\", d ,,7\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
