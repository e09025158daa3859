//! Output of answers: a table for people, CSV, JSON lines, an Arrow stream, or a Parquet file.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, bail};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::WriterProperties;
use tabiya_io::terminal_filter::{ControlCharacterMode, TerminalFilter, plain};
use tempfile::NamedTempFile;

use crate::messages::{care, say};

/// Rows that decide how wide the columns of a table are.
const MEASURED: usize = 1_000;
/// A column of a table is not wider.
const WIDEST: usize = 60;

/// The form of an answer.
#[derive(Clone, Debug)]
pub(crate) enum AnswerFormat {
    Table,
    Csv,
    Json,
    Arrow,
    Parquet { path: PathBuf, force: bool },
}

type ScreenWriter = BufWriter<TerminalFilter<AnswerStdout>>;

/// Whether the reader of standard output went away. Writers of tables make a text of such a failure, so that it is kept here.
static READER_IS_GONE: AtomicBool = AtomicBool::new(false);

/// Whether the reader of the answer went away.
pub(crate) fn reader_is_gone() -> bool {
    READER_IS_GONE.load(Ordering::Relaxed)
}

/// Standard output, which keeps in mind that its reader went away.
pub(crate) struct AnswerStdout(io::Stdout);

fn noted<T>(done: io::Result<T>) -> io::Result<T> {
    if done
        .as_ref()
        .is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    {
        READER_IS_GONE.store(true, Ordering::Relaxed);
    }
    done
}

impl Write for AnswerStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        noted(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        noted(self.0.flush())
    }
}

/// Takes the batches of an answer.
pub(crate) enum AnswerWriter {
    Table(Box<AnswerTable>),
    Csv(Box<csv::Writer<ScreenWriter>>),
    Json(Box<LineDelimitedWriter<ScreenWriter>>),
    Arrow(Box<StreamWriter<ScreenWriter>>),
    Parquet {
        writer: Box<ArrowWriter<File>>,
        file: NamedTempFile,
        path: PathBuf,
        force: bool,
        rows: usize,
    },
}

fn stdout(care: ControlCharacterMode) -> ScreenWriter {
    BufWriter::with_capacity(
        1 << 16,
        TerminalFilter::new(AnswerStdout(io::stdout()), care),
    )
}

impl AnswerWriter {
    /// Begins an answer with these columns.
    pub(crate) fn new(form: &AnswerFormat, schema: &SchemaRef) -> Result<AnswerWriter> {
        let is_terminal = io::stdout().is_terminal();
        Ok(match form {
            AnswerFormat::Table => AnswerWriter::Table(Box::new(AnswerTable::new(schema))),
            AnswerFormat::Csv => {
                let out = stdout(care(is_terminal));
                let mut writer = csv::WriterBuilder::new().with_header(true).build(out);
                // The names of the columns stand there even where no row follows.
                writer.write(&RecordBatch::new_empty(schema.clone()))?;
                AnswerWriter::Csv(Box::new(writer))
            }
            AnswerFormat::Json => AnswerWriter::Json(Box::new(LineDelimitedWriter::new(stdout(
                ControlCharacterMode::Json,
            )))),
            AnswerFormat::Arrow if is_terminal => {
                bail!(
                    "--arrow writes binary data, which a terminal cannot show: redirect it to a file or another program"
                )
            }
            AnswerFormat::Arrow => {
                let out = stdout(ControlCharacterMode::Pass);
                AnswerWriter::Arrow(Box::new(StreamWriter::try_new(out, schema)?))
            }
            AnswerFormat::Parquet { path, force } => {
                if path.exists() && !force {
                    bail!("{}: already exists (--force replaces it)", path.display());
                }
                let folder = match path.parent() {
                    Some(folder) if !folder.as_os_str().is_empty() => folder,
                    _ => Path::new("."),
                };
                let file = || NamedTempFile::with_prefix_in(".tabiya-sql-", folder);
                let file = crate::interrupt::make(file, NamedTempFile::path)
                    .with_context(|| path.display().to_string())?;
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::try_new(9)?))
                    .build();
                let writer =
                    ArrowWriter::try_new(file.reopen()?, schema.clone(), Some(properties))?;
                AnswerWriter::Parquet {
                    writer: Box::new(writer),
                    file,
                    path: path.clone(),
                    force: *force,
                    rows: 0,
                }
            }
        })
    }

    /// Adds rows.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            AnswerWriter::Table(table) => table.write(batch)?,
            AnswerWriter::Csv(writer) => writer.write(batch)?,
            AnswerWriter::Json(writer) => writer.write(batch)?,
            AnswerWriter::Arrow(writer) => writer.write(batch)?,
            AnswerWriter::Parquet { writer, rows, .. } => {
                writer.write(batch)?;
                *rows += batch.num_rows();
            }
        }
        Ok(())
    }

    /// Ends the answer.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            AnswerWriter::Table(table) => table.finish()?,
            AnswerWriter::Csv(writer) => writer.into_inner().flush()?,
            AnswerWriter::Json(mut writer) => {
                writer.finish()?;
                writer.into_inner().flush()?;
            }
            AnswerWriter::Arrow(mut writer) => {
                writer.finish()?;
                writer.into_inner()?.flush()?;
            }
            AnswerWriter::Parquet {
                writer,
                file,
                path,
                force,
                rows,
            } => {
                writer.close()?;
                file.as_file().sync_all()?;
                let name = || path.display().to_string();
                if force {
                    file.persist(&path).map(drop).with_context(name)?;
                } else {
                    file.persist_noclobber(&path).map(drop).with_context(name)?;
                }
                say(&format!("{}: {rows} rows", path.display()));
            }
        }
        Ok(())
    }
}

/// A table for people: columns as wide as the first rows want them.
pub(crate) struct AnswerTable {
    out: ScreenWriter,
    names: Vec<String>,
    is_number: Vec<bool>,
    /// Rows that are kept until the widths are known.
    kept: Vec<Vec<String>>,
    widths: Option<Vec<usize>>,
    rows: u64,
}

impl AnswerTable {
    fn new(schema: &SchemaRef) -> AnswerTable {
        let fields = schema.fields();
        AnswerTable {
            // Its cells are shown as signs wherever it goes.
            out: stdout(ControlCharacterMode::Pass),
            names: fields
                .iter()
                .map(|field| plain(field.name()).into_owned())
                .collect(),
            is_number: fields
                .iter()
                .map(|field| field.data_type().is_numeric())
                .collect(),
            kept: Vec::new(),
            widths: None,
            rows: 0,
        }
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let options = FormatOptions::default();
        let formatters: Result<Vec<_>, _> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column.as_ref(), &options))
            .collect();
        let formatters = formatters?;
        for row in 0..batch.num_rows() {
            let cells = formatters
                .iter()
                .zip(batch.columns())
                .map(|(formatter, column)| {
                    let text = formatter.value(row).try_to_string()?;
                    // An explained plan keeps its lines.
                    Ok(match column.data_type() {
                        DataType::Float64 if text.len() > 12 => short(&text),
                        _ => text,
                    })
                })
                .collect::<Result<Vec<String>>>()?;
            self.rows += 1;
            if self.widths.is_some() {
                self.line(&cells)?;
            } else {
                self.kept.push(cells);
                if self.kept.len() >= MEASURED {
                    self.settle()?;
                }
            }
        }
        Ok(())
    }

    /// Fixes the widths and writes what was kept.
    fn settle(&mut self) -> Result<()> {
        let mut widths: Vec<usize> = self.names.iter().map(|name| name.chars().count()).collect();
        for row in &self.kept {
            for (width, cell) in widths.iter_mut().zip(row) {
                let longest = cell.lines().map(|line| line.chars().count()).max();
                *width = longest.unwrap_or(0).min(WIDEST).max(*width);
            }
        }
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        self.widths = Some(widths);
        let names = std::mem::take(&mut self.names);
        self.line(&names)?;
        self.line(&rule)?;
        for row in std::mem::take(&mut self.kept) {
            self.line(&row)?;
        }
        Ok(())
    }

    fn line(&mut self, cells: &[String]) -> Result<()> {
        let widths = self.widths.as_deref().unwrap_or_default();
        // A text with several lines stands last in a table, or is shown in one.
        let last = cells.len().saturating_sub(1);
        let mut line = String::new();
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                line.push_str("  ");
            }
            let width = widths.get(at).copied().unwrap_or(0);
            if at == last && cell.contains('\n') {
                let indent = " ".repeat(line.chars().count());
                let lines: Vec<_> = cell.lines().map(plain).collect();
                line.push_str(&lines.join(&format!("\n{indent}")));
                continue;
            }
            let text = plain(cell);
            let gap = " ".repeat(width.saturating_sub(text.chars().count()));
            if self.is_number.get(at) == Some(&true) {
                line.push_str(&gap);
                line.push_str(&text);
            } else {
                line.push_str(&text);
                if at < last {
                    line.push_str(&gap);
                }
            }
        }
        writeln!(self.out, "{}", line.trim_end())?;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if self.widths.is_none() {
            self.settle()?;
        }
        let rows = if self.rows == 1 { "row" } else { "rows" };
        writeln!(self.out, "\n{} {rows}", self.rows)?;
        self.out.flush()?;
        Ok(())
    }
}

/// A number with as many decimals as people read.
fn short(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if number.abs() < 1e9 => format!("{number:.4}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_cut_for_people() {
        assert_eq!(short("0.3333333333333333"), "0.3333");
        assert_eq!(short("1e300"), "1e300");
    }
}
