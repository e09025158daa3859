//! Tables for people: columns as wide as they have to be and as the terminal allows, without those that are empty.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::output::{self, TerminalColors, printable};
use super::pager;

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct TextTableColumn {
    /// Its heading.
    pub(crate) heading: &'static str,
    /// Its minimum width, if it is shown.
    pub(crate) least: usize,
    /// Its maximum width.
    pub(crate) most: usize,
    /// Whether its cells are right-aligned.
    pub(crate) right: bool,
}

impl TextTableColumn {
    /// A column with a width for all that it will hold.
    pub(crate) fn fixed(heading: &'static str, width: usize) -> TextTableColumn {
        TextTableColumn {
            heading,
            least: width,
            most: width,
            right: false,
        }
    }

    /// A column that may become narrower if there is no room.
    pub(crate) fn text(heading: &'static str, most: usize) -> TextTableColumn {
        TextTableColumn {
            heading,
            least: 8,
            most,
            right: false,
        }
    }

    /// The same, right-aligned.
    pub(crate) fn right(mut self) -> TextTableColumn {
        self.right = true;
        self
    }
}

/// Rows that are laid out together.
const BATCH: usize = 200;

/// How long the first row of a batch waits for more.
const PATIENCE: Duration = Duration::from_millis(30);

/// A table that grows; a thread lays it out, so that rows are seen soon whether more of them come or not.
pub(crate) struct TextTable {
    rows: Option<SyncSender<Vec<String>>>,
    writing: Option<JoinHandle<io::Result<()>>>,
}

impl TextTable {
    /// An empty table on standard output.
    pub(crate) fn new(columns: Vec<TextTableColumn>) -> TextTable {
        let (rows, coming) = sync_channel(2 * BATCH);
        let writing = std::thread::spawn(move || write_all(&columns, &coming));
        TextTable {
            rows: Some(rows),
            writing: Some(writing),
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) -> io::Result<()> {
        if let Some(rows) = &self.rows
            && rows.send(cells).is_ok()
        {
            return Ok(());
        }
        self.finish()?;
        Err(io::ErrorKind::BrokenPipe.into())
    }

    /// Waits until everything is written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.rows = None;
        match self.writing.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(()),
        }
    }
}

impl Drop for TextTable {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

fn write_all(columns: &[TextTableColumn], coming: &Receiver<Vec<String>>) -> io::Result<()> {
    let paint = TerminalColors::of_stdout();
    let room = room();
    let mut shown: Option<Vec<usize>> = None;
    let mut more = true;
    while more {
        let mut batch = Vec::new();
        let mut since: Option<Instant> = None;
        while batch.len() < BATCH {
            let next = match since {
                None => coming.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(since) => coming.recv_timeout(PATIENCE.saturating_sub(since.elapsed())),
            };
            match next {
                Ok(row) => batch.push(row),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    more = false;
                    break;
                }
            }
            since.get_or_insert_with(Instant::now);
        }
        if batch.is_empty() {
            break;
        }
        let filled: Vec<usize> = (0..columns.len())
            .filter(|at| {
                let is_filled =
                    |row: &Vec<String>| row.get(*at).is_some_and(|cell| !cell.is_empty());
                shown.as_ref().is_some_and(|shown| shown.contains(at))
                    || batch.iter().any(is_filled)
            })
            .collect();
        let layout = layout(columns, &filled, room);
        let mut out = String::new();
        // The heading is repeated if a column appears that was empty so far.
        if shown.as_ref() != Some(&filled) {
            let headings: Vec<String> = columns.iter().map(|c| c.heading.to_owned()).collect();
            let mut heading = String::new();
            line(columns, &layout, &headings, &mut heading);
            out.push_str(&paint.bold(&heading));
            out.push('\n');
        }
        for row in &batch {
            line(columns, &layout, row, &mut out);
            out.push('\n');
        }
        shown = Some(filled);
        let mut stdout = output::stdout();
        stdout.write_all(out.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}

/// A line of a table that is laid out elsewhere, cut where the terminal ends.
pub(crate) fn fit(line: &str) -> String {
    let line = line.trim_end();
    room().map_or_else(|| line.to_owned(), |room| cut(line, room))
}

/// The width that COLUMNS says, or that of the terminal if standard output is one.
pub(crate) fn room() -> Option<usize> {
    let given = std::env::var("COLUMNS").ok();
    let given = given.and_then(|text| text.trim().parse().ok());
    let of_terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    given
        .filter(|width| *width > 0)
        .or_else(|| pager::is_terminal().then(of_terminal).flatten())
}

/// The columns that are shown, with their widths.
fn layout(
    columns: &[TextTableColumn],
    filled: &[usize],
    room: Option<usize>,
) -> Vec<(usize, usize)> {
    let mut layout: Vec<(usize, usize)> = filled
        .iter()
        .filter_map(|at| columns.get(*at).map(|column| (*at, column.most)))
        .collect();
    let Some(room) = room else {
        return layout;
    };
    loop {
        let total: usize = layout.iter().map(|(_, width)| width + 2).sum();
        if total <= room + 2 {
            return layout;
        }
        let number = layout.len();
        // The widest that can give gives.
        let widest = layout
            .iter_mut()
            .filter(|(at, width)| columns.get(*at).is_some_and(|column| *width > column.least))
            .max_by_key(|(_, width)| *width);
        match widest {
            Some((_, width)) => *width -= 1,
            // The last columns are the least of them.
            None if number > 2 => {
                layout.pop();
            }
            None => return layout,
        }
    }
}

/// Adds a line to the text.
fn line(
    columns: &[TextTableColumn],
    layout: &[(usize, usize)],
    cells: &[String],
    text: &mut String,
) {
    let start = text.len();
    for (at, width) in layout {
        let cell = printable(cells.get(*at).map_or("", String::as_str));
        let (kept, length) = fitting(&cell, *width);
        let blank = width.saturating_sub(length);
        let is_right = columns.get(*at).is_some_and(|column| column.right);
        if is_right {
            pad(text, blank);
        }
        text.push_str(kept);
        if kept.len() < cell.len() {
            text.push('…');
        }
        pad(text, if is_right { 2 } else { blank + 2 });
    }
    let filled = text.get(start..).unwrap_or_default().trim_end().len();
    text.truncate(start + filled);
}

const BLANKS: &str = "                                                                ";

/// Adds a number of spaces.
fn pad(text: &mut String, mut number: usize) {
    while number > 0 {
        let part = BLANKS.get(..number).unwrap_or(BLANKS);
        text.push_str(part);
        number -= part.len();
    }
}

/// A text of at most `width` characters, with an ellipsis if it is cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let (kept, _) = fitting(text, width);
    let mut short = kept.to_owned();
    if kept.len() < text.len() {
        short.push('…');
    }
    short
}

/// What is kept of a text, and how many characters are shown, with the ellipsis if it is cut.
fn fitting(text: &str, width: usize) -> (&str, usize) {
    let length = match text.is_ascii() {
        true => text.len(),
        false => text.chars().count(),
    };
    if length <= width {
        return (text, length);
    }
    let end = text.char_indices().nth(width.saturating_sub(1));
    let kept = end.and_then(|(end, _)| text.get(..end));
    (kept.unwrap_or_default(), width.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_the_room() {
        let columns = [
            TextTableColumn::fixed("number", 8),
            TextTableColumn::text("White", 24),
            TextTableColumn::text("event", 32),
        ];
        let widths = |filled: &[usize], room| -> Vec<usize> {
            layout(&columns, filled, room)
                .into_iter()
                .map(|(_, width)| width)
                .collect()
        };
        assert_eq!(widths(&[0, 1, 2], None), [8, 24, 32]);
        assert_eq!(widths(&[0, 1, 2], Some(80)), [8, 24, 32]);
        assert_eq!(widths(&[0, 1, 2], Some(40)), [8, 14, 14]);
        assert_eq!(widths(&[0, 2], Some(30)), [8, 20]);
        assert_eq!(widths(&[0, 1, 2], Some(20)), [8, 8]);
        assert_eq!(widths(&[0, 1, 2], Some(5)), [8, 8]);
        assert_eq!(cut("Kasparov", 4), "Kas…");
        assert_eq!(cut("Kasparov", 8), "Kasparov");
        assert_eq!(cut("Ünal", 3), "Ün…");
        assert_eq!(cut("Ünal", 0), "…");
    }

    #[test]
    fn cells_are_cut_and_aligned() {
        let columns = [
            TextTableColumn::fixed("ply", 5).right(),
            TextTableColumn::text("White", 6),
            TextTableColumn::fixed("date", 80),
            TextTableColumn::fixed("", 3),
        ];
        let layout = [(0, 5), (1, 6), (2, 80), (3, 3)];
        let cells = ["17", "Réti, Richard", "\u{1b}", "é "].map(str::to_owned);
        let mut text = "above\n".to_owned();
        line(&columns, &layout, &cells, &mut text);
        assert_eq!(text, format!("above\n   17  Réti,…  \u{fffd}{:81}é", ""));
        let mut empty = "above\n".to_owned();
        line(&columns, &layout, &[], &mut empty);
        assert_eq!(empty, "above\n");
    }
}
