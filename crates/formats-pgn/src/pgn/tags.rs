//! Reading tags.

use memchr::memmem;
use tabiya_model::tag_name;
use tabiya_model::tags::TagSet;

use super::lexer::{
    PgnByteClass, at_line_start, blank_line_before, class, is_space, is_tag_start, line_end,
    skip_space, trim, trim_end,
};
use super::quote::quote;
use super::reader::state::PgnReader;
use super::tag_names::{NAMES, PgnTagName, PgnTagNames, TagMeaning, start_of};
use super::{codes, swar};

impl<'a> PgnReader<'a> {
    /// Reads the tags from the `[` at `i`, and returns their end.
    pub(super) fn tags(&mut self, mut i: usize) -> usize {
        let data = self.data;
        loop {
            i = match self.plain_tag(i) {
                Some(next) => next,
                None => match self.odd_tag(i) {
                    Some(next) => next,
                    None => return i,
                },
            };
            // Most tags are on lines of their own.
            match data.get(i..) {
                Some([b'\n', b'[', ..]) => {
                    i += 1;
                    continue;
                }
                Some([b'\r', b'\n', b'[', ..]) => {
                    i += 2;
                    continue;
                }
                _ => {}
            }
            let next = skip_space(data, i);
            if data.get(next) != Some(&b'[') || self.begins_next_game(next) {
                return next;
            }
            i = next;
        }
    }

    /// Reads those tags from the `[` at `i` that may be in a set, and returns the start of the movetext; `None` if anything
    /// is unusual, or may be anything else than tags and moves.
    pub(super) fn few_tags(&mut self, mut i: usize, wanted: TagSet) -> Option<usize> {
        if self.state.names.wanted != Some(wanted) {
            *self.state.names = PgnTagNames {
                wanted: Some(wanted),
                ..PgnTagNames::default()
            };
        }
        for nth in 0.. {
            if self.data.get(i) != Some(&b'[') {
                return None;
            }
            let end = match self.left_out_tag(i, nth) {
                Some(end) => end,
                None => self.wanted_tag(i, nth, wanted)?,
            };
            i = match self.data.get(end..) {
                Some([b'\n', b'[', ..]) => end + 1,
                Some([b'\r', b'\n', b'[', ..]) => end + 2,
                _ => {
                    let movetext = skip_space(self.data, end);
                    let begins = self.data.get(movetext).copied()?;
                    let is_plain =
                        matches!(class(begins), PgnByteClass::Digit | PgnByteClass::Move);
                    return (is_plain && self.detector.is_none()).then_some(movetext);
                }
            };
        }
        None
    }

    /// Skips the tag at `i` if it has the name of the one that was not needed at this place.
    #[inline(always)]
    fn left_out_tag(&self, i: usize, nth: usize) -> Option<usize> {
        let known = self.state.names.left_out.get(nth)?;
        let start = known.end_at(self.data, i)?;
        self.value_end(start).map(|close| close + 2)
    }

    /// Reads the tag at `i`, if it may be needed.
    fn wanted_tag(&mut self, i: usize, nth: usize, wanted: TagSet) -> Option<usize> {
        if let Some(end) = self.known_tag(i) {
            return Some(end);
        }
        let (name, value, end) = self.split_tag(i)?;
        if wanted.may_hold(name) {
            self.push_tag(i, name, value);
        } else if nth < NAMES {
            let names = &mut self.state.names.left_out;
            if names.len() <= nth {
                names.resize(nth + 1, swar::TextNeedle::default());
            }
            if let Some(slot) = names.get_mut(nth) {
                *slot = start_of(&String::from_utf8_lossy(name));
            }
        }
        Some(end)
    }

    /// Whether the tag at `i` follows an empty line and has a name that the game has already.
    fn begins_next_game(&self, i: usize) -> bool {
        if !is_tag_start(self.data, i) || !blank_line_before(self.data, i) {
            return false;
        }
        let rest = self.data.get(i + 1..).unwrap_or(&[]);
        let name = rest.split(|&byte| byte == b'"').next().unwrap_or(&[]);
        let name = String::from_utf8_lossy(trim(name));
        if self.game.tags.len() > NAMES {
            return self
                .state
                .names
                .many
                .folded
                .contains(&name.to_ascii_lowercase());
        }
        self.game
            .tags
            .iter()
            .any(|tag| tag.name.eq_ignore_ascii_case(&name))
    }

    /// Reads a tag in standard form.
    #[inline]
    fn plain_tag(&mut self, i: usize) -> Option<usize> {
        if let Some(end) = self.known_tag(i) {
            return Some(end);
        }
        let (name, value, end) = self.split_tag(i)?;
        self.push_tag(i, name, value);
        Some(end)
    }

    /// Reads the tag at `i` if it has the same name as the last game's tag at this place.
    #[inline(always)]
    fn known_tag(&mut self, i: usize) -> Option<usize> {
        let index = self.game.tags.len();
        let known = self.state.names.kept.get(index)?;
        let start = known.start.end_at(self.data, i)?;
        let close = self.value_end(start)?;
        let value = self.utf8(start, close)?;
        if self.settings.redecode.is_some() {
            return None;
        }
        self.game.tags.push(&known.text, value);
        self.note(known.meaning, index);
        Some(close + 2)
    }

    /// The end of the value that begins at `start`, if only the end of the tag follows it.
    #[inline(always)]
    fn value_end(&self, start: usize) -> Option<usize> {
        let close = swar::find_value_end(self.data, start)?;
        matches!(self.data.get(close..), Some([b'"', b']', ..])).then_some(close)
    }

    /// The name, the value and the end of a tag in standard form.
    fn split_tag(&self, i: usize) -> Option<(&'a [u8], &'a [u8], usize)> {
        let name = self.data.get(i + 1..)?;
        let length = name
            .iter()
            .position(|&byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))?;
        let (name, rest) = name.split_at(length);
        let [b' ', b'"', ..] = rest else {
            return None;
        };
        if name.is_empty() {
            return None;
        }
        let start = i + 1 + name.len() + 2;
        let close = self.value_end(start)?;
        Some((name, self.data.get(start..close)?, close + 2))
    }

    #[inline(always)]
    fn note(&mut self, meaning: TagMeaning, index: usize) {
        match meaning {
            TagMeaning::Nothing => {}
            TagMeaning::SetUp => self.setup = true,
            TagMeaning::Result => self.result = self.result.or(Some(index)),
        }
    }

    fn push_tag(&mut self, i: usize, name: &[u8], value: &[u8]) {
        let index = self.game.tags.len();
        self.note(TagMeaning::of(name), index);
        self.push_new_tag(i, index, name, value);
    }

    /// Whether the game already has a tag of this name; the name is added.
    fn has_already(&mut self, name: &str) -> bool {
        let (tags, many) = (&self.game.tags, &mut self.state.names.many);
        if tags.len() < NAMES {
            return tags.position(name).is_some();
        }
        if tags.len() == NAMES {
            many.clear();
            for tag in tags.iter() {
                many.add(tag.name);
            }
        }
        !many.add(name)
    }

    #[inline(never)]
    fn push_new_tag(&mut self, i: usize, index: usize, name: &[u8], value: &[u8]) {
        let text = String::from_utf8_lossy(name);
        let roster = tag_name::restore(&text);
        let usual = tag_name::is_valid(&text) && text.starts_with(|c: char| c.is_ascii_uppercase());
        let name_is = roster.unwrap_or(&text);
        let twice = self.has_already(name_is);
        let is_plain = match roster {
            Some(proper) if proper != text => {
                self.report(&codes::TAG_NAME, i, || {
                    format!("the tag {} is read as {proper}", quote(name))
                });
                false
            }
            None if !usual => {
                self.report(&codes::TAG_NAME, i, || {
                    format!("the name of the tag {} is unusual", quote(name))
                });
                false
            }
            _ => true,
        };
        let names = &mut self.state.names.kept;
        // A name at another place in the list would hide that it occurs twice.
        for known in names.iter_mut().filter(|known| known.text == name_is) {
            *known = PgnTagName::default();
        }
        let known = if is_plain && !twice {
            PgnTagName::new(&text)
        } else {
            PgnTagName::default()
        };
        if let Some(slot) = names.get_mut(index) {
            *slot = known;
        } else if names.len() == index && index < NAMES {
            names.push(known);
        }
        if twice {
            self.report(&codes::DUPLICATE_TAG, i, || {
                format!("the tag {} occurs again, as {}", quote(name), quote(value))
            });
        }
        let name = roster.map_or(name, str::as_bytes);
        if name.is_ascii()
            && let Some(text) = self.mixed_text(value)
        {
            let (name, charset) = (String::from_utf8_lossy(name), self.settings.fallback);
            self.game.tags.push_decoded(&name, &text, value, charset);
            return;
        }
        match (self.odd_text(name), self.odd_text(value)) {
            (Ok(name), Ok(value)) => self.game.tags.push(&name, &value),
            (Err(charset), _) | (_, Err(charset)) => {
                self.game.tags.push_bytes(name, value, charset);
            }
        }
    }

    /// Reads a tag in any other form; `None` if it is not a tag.
    #[cold]
    fn odd_tag(&mut self, i: usize) -> Option<usize> {
        let data = self.data;
        if is_tag_start(data, i) {
            return Some(self.quoted_tag(i));
        }
        if !at_line_start(data, i) && self.game.tags.is_empty() {
            return None;
        }
        // A name and a value without quotes, up to the bracket on this line.
        let line = data.get(i + 1..line_end(data, i))?;
        let length = memchr::memchr(b']', line)?;
        let inner = trim(line.get(..length)?);
        let split = inner
            .iter()
            .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
        let (name, value) = inner.split_at(split);
        if !name.first().is_some_and(u8::is_ascii_alphabetic) || !is_space(*value.first()?) {
            return None;
        }
        let value = trim(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        self.report(&codes::BAD_TAG, i, || {
            format!(
                "the value of the tag {} has no quotes: {}",
                quote(name),
                quote(value)
            )
        });
        let (name, value) = (name.to_vec(), value.to_vec());
        self.push_tag(i, &name, &value);
        Some(i + 1 + length + 1)
    }

    fn quoted_tag(&mut self, i: usize) -> usize {
        let data = self.data;
        let open = memchr::memchr(b'"', data.get(i..).unwrap_or(&[])).map_or(data.len(), |n| i + n);
        let name = trim(data.get(i + 1..open).unwrap_or(&[]));
        let start = open + 1;
        let (close, escaped) = closing_quote(data, start);
        let after = skip_space(data, close + 1);
        let (value_end, end) = if data.get(after) == Some(&b']') {
            let value = data.get(start..close).unwrap_or(&[]);
            if value.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
                self.report(&codes::BAD_TAG, i, || {
                    format!("the tag {} spans several lines", quote(name))
                });
            }
            (close, after + 1)
        } else {
            let limit = tag_limit(data, start);
            let line = data.get(start..limit).unwrap_or(&[]);
            let (value_end, end) = match memmem::rfind(line, b"\"]") {
                Some(n) => (start + n, start + n + 2),
                None => {
                    let kept = trim_end(line);
                    let kept = kept.strip_suffix(b"]").unwrap_or(kept);
                    let kept = kept.strip_suffix(b"\"").unwrap_or(kept);
                    (start + kept.len(), limit)
                }
            };
            let value = data.get(start..value_end).unwrap_or(&[]);
            self.report(&codes::BAD_TAG, i, || {
                format!(
                    "the value of the tag {} is not closed properly; it is read as {}",
                    quote(name),
                    quote(value)
                )
            });
            (value_end, end)
        };
        let value = data.get(start..value_end).unwrap_or(&[]);
        if escaped {
            let value = unescape(value);
            self.push_tag(i, name, &value);
        } else {
            self.push_tag(i, name, value);
        }
        end
    }
}

/// The quote that closes a string, and whether there are escapes before it.
fn closing_quote(data: &[u8], start: usize) -> (usize, bool) {
    let mut at = start;
    let mut escaped = false;
    while let Some(n) = data
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        at += n;
        if data.get(at) == Some(&b'"') {
            return (at, escaped);
        }
        escaped = true;
        at += 2;
    }
    (data.len(), escaped)
}

/// The latest end of a tag whose value is not closed: before the next tag, or at the end of its line.
fn tag_limit(data: &[u8], start: usize) -> usize {
    let end = line_end(data, start);
    let line = data.get(..end).unwrap_or(data);
    let mut at = start;
    while let Some(n) = line.get(at..).and_then(|rest| memchr::memchr(b'[', rest)) {
        if is_tag_start(line, at + n) {
            return at + n;
        }
        at += n + 1;
    }
    end
}

/// Removes the backslashes of `\"` and `\\`.
fn unescape(value: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'\\', Some(&next @ (b'"' | b'\\'))) => {
                plain.push(next);
                bytes.next();
            }
            _ => plain.push(byte),
        }
    }
    plain
}
