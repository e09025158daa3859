//! The metadata of a database: description, type, labels of custom flags, the game to show first.

use tabiya_model::error_codes;
use tabiya_model::{Error, Result};

use super::super::layout::{MAX_DESCRIPTION, MAX_LABEL, ScidVersion};
use super::super::names::{INFO_KEYS, push_sn5};
use super::ScidEditor;
use tabiya_codec::edit::DescriptionChange;

impl ScidEditor {
    /// Sets the given texts.
    pub(super) fn describe_base(&mut self, new: &DescriptionChange) -> Result<()> {
        let mut values: Vec<(&str, &str)> = Vec::new();
        let kind = new.kind.map(|kind| kind.to_string());
        let autoload = new.autoload.map(|number| number.to_string());
        values.extend(kind.as_deref().map(|kind| ("type", kind)));
        values.extend(new.description.as_deref().map(|text| ("description", text)));
        values.extend(autoload.as_deref().map(|number| ("autoload", number)));
        for (number, label) in &new.labels {
            let key = number.checked_add(2).and_then(|at| INFO_KEYS.get(at));
            let Some(key) = key.filter(|_| *number >= 1) else {
                return Err(Error::new(
                    &error_codes::NO_SUCH_FLAG,
                    format!("custom flag {number}: there are six, from 1 to 6"),
                ));
            };
            values.push((*key, label));
        }
        match self.base.version() {
            ScidVersion::Si5 => {
                for (key, value) in values {
                    self.push_info(key, value.as_bytes());
                }
                Ok(())
            }
            ScidVersion::Si3 | ScidVersion::Si4 => self.describe_si4(new),
        }
    }

    fn describe_si4(&mut self, new: &DescriptionChange) -> Result<()> {
        self.changes_index = true;
        let fits = |text: &str, limit: usize| {
            if text.len() > limit || text.contains('\0') {
                return Err(Error::new(
                    &error_codes::TEXT_TOO_LONG,
                    format!(
                        "{text:?} is too long: si4 has room for {limit} bytes, si5 for any text"
                    ),
                ));
            }
            Ok(text.as_bytes().to_vec())
        };
        if let Some(text) = &new.description {
            self.header.description = fits(text, MAX_DESCRIPTION)?;
        }
        for (number, label) in &new.labels {
            let label = fits(label, MAX_LABEL)?;
            if let Some(slot) = number
                .checked_sub(1)
                .and_then(|at| self.header.labels.get_mut(at))
            {
                *slot = label;
            }
        }
        self.header.kind = new.kind.unwrap_or(self.header.kind);
        if let Some(number) = new.autoload {
            self.header.autoload = u32::try_from(number)
                .ok()
                .filter(|number| *number < 1 << 24)
                .ok_or_else(|| {
                    Error::new(
                        &error_codes::NO_SUCH_GAME,
                        format!("there is no game {number}"),
                    )
                    .with("number", number)
                })?;
        }
        Ok(())
    }

    /// Adds a text of the database to an sn5 file, in which the last text of a key counts.
    fn push_info(&mut self, key: &str, value: &[u8]) {
        push_sn5(4, &[key.as_bytes(), value], &mut self.name_bytes);
        self.described.push((key.to_owned(), value.to_vec()));
        self.changes_names = true;
    }

    /// The current text of the database; si5 only.
    pub(super) fn info(&self, key: &str) -> Option<&[u8]> {
        let new = self.described.iter().rev().find(|(known, _)| known == key);
        match new {
            Some((_, value)) => Some(value),
            None => self.base.names().info(key),
        }
    }

    /// Updates autoload so that it refers to the same game; `position` gives the new index of an old one.
    pub(super) fn move_autoload(&mut self, position: impl Fn(usize) -> Option<usize>) {
        let moved = |number: u64| -> u64 {
            let index = usize::try_from(number)
                .ok()
                .and_then(|number| number.checked_sub(1));
            index
                .and_then(&position)
                .map_or(0, |index| index as u64 + 1)
        };
        if self.base.version() == ScidVersion::Si5 {
            let text = self
                .info("autoload")
                .and_then(|value| std::str::from_utf8(value).ok());
            if let Some(number) = text.and_then(|text| text.parse::<u64>().ok())
                && moved(number) != number
            {
                let value = moved(number).to_string();
                self.push_info("autoload", value.as_bytes());
            }
        } else {
            self.header.autoload =
                u32::try_from(moved(u64::from(self.header.autoload))).unwrap_or(0);
        }
    }
}
