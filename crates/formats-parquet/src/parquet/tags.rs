//! Tags as columns, and the list of the tags without columns.
//!
//! `tag_names` has a line for each tag in its order: only the name if the column holds the value, the name followed by
//! `=` if `tag_values` holds it, by `~` if the value is empty, and only `=` if name and value are both in `tag_values`.
//! Without it, the tags are the columns that are not empty, in the order of the columns.

use tabiya_columns::{CellValue, ColumnType, RowGroupBuilder};
use tabiya_model::Tags;
use tabiya_model::tags::{Tag, TagSet};
use tabiya_model::text::{OwnedText, TextId};

use super::layout::{FIRST_TAG, TAG_NAMES, TAG_VALUES, TAGS};
use super::text::{ParquetTextReader, push_text};

/// The number in a value, if writing the number gives the same text.
fn number(value: &str) -> Option<i32> {
    let number: i32 = value.parse().ok()?;
    let is_same =
        number >= 0 && !value.starts_with('+') && (value == "0" || !value.starts_with('0'));
    is_same.then_some(number)
}

/// Whether a name can be written in the list of names.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Splits tags into columns; buffers are reused for each game.
#[derive(Debug, Default)]
pub(super) struct TagSplitter {
    names: String,
    values: Vec<u8>,
}

impl TagSplitter {
    /// Writes the tags of a game into its row.
    pub(super) fn split(&mut self, tags: &Tags, group: &mut RowGroupBuilder) {
        self.names.clear();
        self.values.clear();
        let texts = tags.texts();
        let mut taken = [false; TAGS.len()];
        // Whether the columns alone are sufficient, and the last column that was used.
        let mut is_told = true;
        let mut last = 0;
        for (index, tag) in tags.iter().enumerate() {
            let id = |half: usize| TextId(u32::try_from(index * 2 + half).unwrap_or(u32::MAX));
            let (name_from, value_from) = (texts.provenance(id(0)), texts.provenance(id(1)));
            if index > 0 {
                self.names.push('\n');
            }
            if name_from.is_some() || !is_plain(tag.name) {
                is_told = false;
                self.names.push('=');
                push_text(tag.name, name_from, &mut self.values);
                push_text(tag.value, value_from, &mut self.values);
                continue;
            }
            self.names.push_str(tag.name);
            let column =
                column_of(tag.name, last).filter(|&at| !taken.get(at).copied().unwrap_or(true));
            let mut held = false;
            if let Some(at) = column
                && let Some(cell) = cell(at, &tag)
            {
                // If the text was not UTF-8, the column has it too, for searches.
                group.push(FIRST_TAG + at, cell);
                if let Some(taken) = taken.get_mut(at) {
                    *taken = true;
                }
                held = value_from.is_none();
                is_told &= held && at >= last;
                last = at;
            }
            if !held {
                is_told = false;
                if tag.value.is_empty() && value_from.is_none() {
                    self.names.push('~');
                } else {
                    self.names.push('=');
                    push_text(tag.value, value_from, &mut self.values);
                }
            }
        }
        if !is_told {
            group.push(TAG_NAMES, CellValue::Bytes(self.names.as_bytes()));
            if !self.values.is_empty() {
                group.push(TAG_VALUES, CellValue::Bytes(&self.values));
            }
        }
    }
}

/// The column of a tag; `near` is the one that is tried first.
pub(super) fn column_of(name: &str, near: usize) -> Option<usize> {
    let is_it = |at: usize| TAGS.get(at).is_some_and(|column| column.tag == name);
    [near, near + 1, near + 2]
        .into_iter()
        .find(|&at| is_it(at))
        .or_else(|| TAGS.iter().position(|column| column.tag == name))
}

/// The cell of a value in a column, if it can hold the value.
pub(super) fn cell<'a>(at: usize, tag: &Tag<'a>) -> Option<CellValue<'a>> {
    match TAGS.get(at)?.field.kind {
        ColumnType::Int => number(tag.value).map(|number| CellValue::Int(i64::from(number))),
        _ => Some(CellValue::Bytes(tag.value.as_bytes())),
    }
}

/// The values of the columns of a row.
#[derive(Debug)]
pub(super) struct TagRow {
    values: Vec<TagCell>,
    /// Bytes of the texts.
    bytes: String,
}

#[derive(Copy, Clone, Debug)]
enum TagCell {
    None,
    Number(i64),
    Text(usize, usize),
}

impl TagRow {
    pub(super) fn new() -> TagRow {
        TagRow {
            values: Vec::new(),
            bytes: String::new(),
        }
    }

    /// Removes the previous row.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.bytes.clear();
    }

    /// Adds the value of the next column; false if it is not text.
    pub(super) fn push(&mut self, cell: CellValue<'_>) -> bool {
        let value = match cell {
            CellValue::Int(number) => TagCell::Number(number),
            CellValue::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => {
                    let start = self.bytes.len();
                    self.bytes.push_str(text);
                    TagCell::Text(start, self.bytes.len())
                }
                Err(_) => {
                    self.values.push(TagCell::None);
                    return false;
                }
            },
            CellValue::Null | CellValue::Real(_) => TagCell::None,
        };
        self.values.push(value);
        true
    }

    fn push_tag(&self, at: usize, name: &str, tags: &mut Tags) -> bool {
        match self.values.get(at) {
            Some(TagCell::Number(number)) => {
                tags.push(name, &number.to_string());
                true
            }
            Some(TagCell::Text(start, end)) => {
                tags.push(name, self.bytes.get(*start..*end).unwrap_or_default());
                true
            }
            Some(TagCell::None) | None => false,
        }
    }

    /// Joins the tags again; false if the list contradicts the columns. Tags that are not wanted may be left out.
    pub(super) fn join(
        &self,
        names: Option<&str>,
        values: &[u8],
        wanted: TagSet,
        tags: &mut Tags,
    ) -> bool {
        let is_wanted = |name: &str| wanted.may_hold(name.as_bytes());
        let Some(names) = names else {
            for (at, column) in TAGS.iter().enumerate() {
                self.push_tag(at, column.tag, tags);
            }
            return values.is_empty();
        };
        let mut values = ParquetTextReader::new(values);
        let mut whole = true;
        for line in names.split('\n') {
            let told = if line == "=" {
                values.text().zip(values.text()).map(|(name, value)| {
                    tags.push_owned(&name, &value);
                })
            } else if let Some(name) = line.strip_suffix('=') {
                values
                    .text()
                    .map(|value| tags.push_owned(&OwnedText::from(name), &value))
            } else if let Some(name) = line.strip_suffix('~') {
                tags.push(name, "");
                Some(())
            } else {
                let at = TAGS.iter().position(|column| column.tag == line);
                at.filter(|&at| self.push_tag(at, line, tags) || !is_wanted(line))
                    .map(|_| ())
            };
            whole &= told.is_some() || line.is_empty();
        }
        whole && values.is_empty()
    }
}
