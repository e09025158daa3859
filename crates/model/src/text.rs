//! Text: UTF-8 in the model, with the original bytes if they would be lost otherwise.
//!
//! All texts of a game are in one arena, so reading a game into a reused buffer allocates nothing.
//! A text that was decoded from a legacy charset remembers the charset; if encoding it again would not give the
//! original bytes, the bytes themselves are kept. So a wrong guess can always be undone.

use std::borrow::Cow;

use tabiya_text::charset::Charset;

/// The number of a text in its [`TextArena`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextId(pub u32);

/// The origin of a text that was not UTF-8.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextProvenance {
    /// The charset that the text was decoded from.
    pub charset: Charset,
    /// The original bytes, if encoding the text again would not reproduce them.
    pub raw: Option<Box<[u8]>>,
}

/// An owned text, with its provenance.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct OwnedText {
    /// The text.
    pub text: String,
    /// Its origin, if it was not UTF-8.
    pub provenance: Option<TextProvenance>,
}

impl From<&str> for OwnedText {
    fn from(text: &str) -> OwnedText {
        OwnedText {
            text: text.to_owned(),
            provenance: None,
        }
    }
}

/// An arena of texts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct TextArena {
    utf8: String,
    ends: Vec<u32>,
    /// Sparse and sorted by text: only texts that were not UTF-8 have an entry.
    provenance: Vec<(TextId, TextProvenance)>,
}

impl TextArena {
    /// The most bytes an arena takes; a longer text is cut there by [`TextArena::push`].
    pub const MAX_BYTES: usize = u32::MAX as usize;

    /// Removes all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.utf8.clear();
        self.ends.clear();
        self.provenance.clear();
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether a text may have been cut because there was no room for it.
    pub fn is_full(&self) -> bool {
        Self::MAX_BYTES - self.utf8.len() < 4
    }

    /// The number of bytes of all texts.
    pub fn bytes(&self) -> usize {
        self.utf8.len()
    }

    /// Adds a text.
    pub fn push(&mut self, text: &str) -> TextId {
        let room = Self::MAX_BYTES - self.utf8.len();
        let mut end = text.len().min(room);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.utf8.push_str(&text[..end]);
        self.close()
    }

    /// Adds a text in `charset`; bytes that are plain ASCII or valid UTF-8 are kept unchanged if the charset says so.
    pub fn push_bytes(&mut self, bytes: &[u8], charset: Charset) -> TextId {
        if bytes.is_ascii() && !matches!(charset, Charset::Utf16Le | Charset::Utf16Be) {
            // Every such charset agrees on ASCII, so nothing needs to be remembered.
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            return self.push(text);
        }
        if charset == Charset::Utf8
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return self.push(text);
        }
        let text = charset.decode(bytes);
        let round_trips = matches!(charset.encode(&text), Ok(again) if again == bytes);
        let id = self.push(&text);
        let raw = (!round_trips).then(|| bytes.into());
        self.provenance.push((id, TextProvenance { charset, raw }));
        id
    }

    /// Adds a text that a format decoded by its own rules from bytes in `charset`; the bytes are kept.
    pub fn push_decoded(&mut self, text: &str, bytes: &[u8], charset: Charset) -> TextId {
        let id = self.push(text);
        let raw = Some(bytes.into());
        self.provenance.push((id, TextProvenance { charset, raw }));
        id
    }

    /// Adds a copy of a text of another arena, with its provenance.
    pub fn push_from(&mut self, other: &TextArena, id: TextId) -> TextId {
        let copy = self.push(other.get(id));
        if let Some(provenance) = other.provenance(id) {
            self.provenance.push((copy, provenance.clone()));
        }
        copy
    }

    /// Adds copies of all texts of another arena, with their provenance. Texts without room are cut, as in
    /// [`TextArena::push`].
    pub fn push_all(&mut self, other: &TextArena) {
        if other.utf8.len() > Self::MAX_BYTES - self.utf8.len() {
            for (id, _) in other.iter() {
                self.push_from(other, id);
            }
            return;
        }
        let bytes = u32::try_from(self.utf8.len()).unwrap_or(u32::MAX);
        let texts = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.utf8.push_str(&other.utf8);
        self.ends
            .extend(other.ends.iter().map(|end| end.saturating_add(bytes)));
        let moved = |(id, provenance): &(TextId, TextProvenance)| {
            (TextId(id.0.saturating_add(texts)), provenance.clone())
        };
        self.provenance.extend(other.provenance.iter().map(moved));
    }

    /// Adds an owned text, with its provenance.
    pub fn push_owned(&mut self, text: &OwnedText) -> TextId {
        let id = self.push(&text.text);
        if let Some(provenance) = &text.provenance {
            self.provenance.push((id, provenance.clone()));
        }
        id
    }

    /// A copy of a text, with its provenance.
    pub fn owned(&self, id: TextId) -> OwnedText {
        OwnedText {
            text: self.get(id).to_owned(),
            provenance: self.provenance(id).cloned(),
        }
    }

    fn close(&mut self) -> TextId {
        let id = TextId(u32::try_from(self.ends.len()).unwrap_or(u32::MAX));
        self.ends
            .push(u32::try_from(self.utf8.len()).unwrap_or(u32::MAX));
        id
    }

    /// A text; the empty text for an unknown number.
    #[inline]
    pub fn get(&self, id: TextId) -> &str {
        self.utf8.get(self.span(id)).unwrap_or("")
    }

    /// Whether it is this text; most differ in length.
    #[inline]
    pub fn is(&self, id: TextId, text: &str) -> bool {
        let span = self.span(id);
        span.len() == text.len() && self.utf8.as_bytes().get(span) == Some(text.as_bytes())
    }

    #[inline]
    fn span(&self, id: TextId) -> std::ops::Range<usize> {
        let index = id.0 as usize;
        let start = match index.checked_sub(1) {
            None => 0,
            Some(before) => self.ends.get(before).copied().unwrap_or(0) as usize,
        };
        start..self.ends.get(index).copied().unwrap_or(0) as usize
    }

    /// The origin of a text that was not UTF-8.
    pub fn provenance(&self, id: TextId) -> Option<&TextProvenance> {
        if self.provenance.is_empty() {
            return None;
        }
        let at = self
            .provenance
            .binary_search_by_key(&id, |(text, _)| *text)
            .ok()?;
        Some(&self.provenance[at].1)
    }

    /// The original bytes.
    pub fn original(&self, id: TextId) -> Cow<'_, [u8]> {
        match self.provenance(id) {
            None => Cow::Borrowed(self.get(id).as_bytes()),
            Some(TextProvenance { raw: Some(raw), .. }) => Cow::Borrowed(raw),
            Some(TextProvenance { charset, raw: None }) => match charset.encode(self.get(id)) {
                Ok(bytes) => Cow::Owned(bytes.to_vec()),
                Err(_) => Cow::Borrowed(self.get(id).as_bytes()),
            },
        }
    }

    /// Every text, in order.
    pub fn iter(&self) -> impl Iterator<Item = (TextId, &str)> {
        (0..self.ends.len()).map(|index| {
            let id = TextId(u32::try_from(index).unwrap_or(u32::MAX));
            (id, self.get(id))
        })
    }

    /// Every charset of the texts other than UTF-8.
    pub fn charsets(&self) -> impl Iterator<Item = Charset> {
        self.provenance.iter().map(|(_, p)| p.charset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_all_texts_have_their_provenance() {
        let mut source = TextArena::default();
        source.push("one");
        source.push_bytes(b"M\xfcller", Charset::Cp1252);
        source.push_decoded("x", b"\x81", Charset::Cp1252);
        let mut copy = TextArena::default();
        copy.push("before");
        copy.push_all(&source);
        copy.push_all(&source);
        assert_eq!(copy.len(), 7);
        for (at, id) in (1..7).map(TextId).enumerate() {
            let of = TextId(u32::try_from(at % 3).expect("a number"));
            assert_eq!(copy.get(id), source.get(of));
            assert_eq!(copy.original(id), source.original(of));
            assert_eq!(copy.provenance(id), source.provenance(of));
        }
        assert_eq!(copy.get(TextId(0)), "before");
    }
}
