//! Tags: ordered name and value pairs, duplicates kept.
//!
//! A tag has the text of the source. Typed readings ([`Tags::date`], [`Tags::number`], …) are made on demand and
//! never replace the text.

use crate::date::Date;
use crate::outcome::Outcome;
use crate::text::{OwnedText, TextArena, TextId};
use tabiya_text::charset::Charset;

/// The seven tags that every exported game has, in their order.
pub const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// A set of tag names in any case, for readers that skip unneeded tags. It may contain names that were never added.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TagSet(u64);

impl TagSet {
    /// Every name.
    pub const ALL: TagSet = TagSet(u64::MAX);
    /// No name.
    pub const NONE: TagSet = TagSet(0);

    /// These names.
    pub fn of(names: &[&str]) -> TagSet {
        names.iter().fold(TagSet::NONE, |set, name| {
            set.union(TagSet(TagSet::bit(name.as_bytes())))
        })
    }

    /// The names of both.
    #[must_use]
    pub const fn union(self, other: TagSet) -> TagSet {
        TagSet(self.0 | other.0)
    }

    /// Whether a name may be in the set.
    #[inline]
    pub fn may_hold(self, name: &[u8]) -> bool {
        self.0 & TagSet::bit(name) != 0
    }

    /// The bit of a name: its length and two of its letters distinguish the usual names.
    #[inline]
    fn bit(name: &[u8]) -> u64 {
        let letter = |byte: Option<&u8>| u32::from(byte.copied().unwrap_or(0) & 31);
        let length = u32::try_from(name.len() & 63).unwrap_or(0);
        1 << ((length * 5 + letter(name.first()) * 3 + letter(name.last())) & 63)
    }
}

/// The tags of a game.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Tags {
    /// Names have even numbers, each followed by its value.
    texts: TextArena,
}

/// One tag, as lent by [`Tags::iter`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Tag<'a> {
    /// The name as the source spells it.
    pub name: &'a str,
    /// The value without quotes and escapes.
    pub value: &'a str,
}

impl Tags {
    /// Removes all tags and keeps the memory.
    pub fn clear(&mut self) {
        self.texts.clear();
    }

    /// The number of tags.
    pub fn len(&self) -> usize {
        self.texts.len() / 2
    }

    /// Whether there is no tag.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Adds a tag at the end, even if there is one with the same name.
    pub fn push(&mut self, name: &str, value: &str) {
        self.texts.push(name);
        self.texts.push(value);
    }

    /// Adds a tag whose name and value are in `charset`.
    pub fn push_bytes(&mut self, name: &[u8], value: &[u8], charset: Charset) {
        self.texts.push_bytes(name, charset);
        self.texts.push_bytes(value, charset);
    }

    /// Adds a tag whose value a format decoded by its own rules from bytes in `charset`.
    pub fn push_decoded(&mut self, name: &str, value: &str, bytes: &[u8], charset: Charset) {
        self.texts.push(name);
        self.texts.push_decoded(value, bytes, charset);
    }

    /// Adds a tag unless its value is empty.
    pub fn push_some(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.push(name, value);
        }
    }

    /// Adds a copy of a tag of another list, with the original bytes of its value.
    pub fn push_from(&mut self, other: &Tags, index: usize) {
        if index < other.len() {
            self.texts.push_from(&other.texts, name_id(index));
            self.texts.push_from(&other.texts, value_id(index));
        }
    }

    /// Adds a tag from owned texts.
    pub fn push_owned(&mut self, name: &OwnedText, value: &OwnedText) {
        self.texts.push_owned(name);
        self.texts.push_owned(value);
    }

    /// A copy of the name and the value of a tag, with their provenance.
    pub fn owned(&self, index: usize) -> Option<(OwnedText, OwnedText)> {
        (index < self.len()).then(|| {
            (
                self.texts.owned(name_id(index)),
                self.texts.owned(value_id(index)),
            )
        })
    }

    /// The tag at an index.
    pub fn at(&self, index: usize) -> Option<Tag<'_>> {
        (index < self.len()).then(|| Tag {
            name: self.texts.get(name_id(index)),
            value: self.texts.get(value_id(index)),
        })
    }

    /// All tags in order.
    pub fn iter(&self) -> impl Iterator<Item = Tag<'_>> {
        (0..self.len()).filter_map(|index| self.at(index))
    }

    /// The index of the first tag of a name.
    pub fn position(&self, name: &str) -> Option<usize> {
        (0..self.len()).find(|&index| self.texts.is(name_id(index), name))
    }

    /// The value of the first tag of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.position(name)
            .map(|index| self.texts.get(value_id(index)))
    }

    /// The value of the first tag of a name, or the empty text.
    pub fn value(&self, name: &str) -> &str {
        self.get(name).unwrap_or("")
    }

    /// Sets the first tag with a name, or adds it at the end.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.position(name) {
            None => self.push(name, value),
            Some(at) => self.rebuild(|index, tags, old| {
                if index == at {
                    tags.push(name, value);
                } else {
                    tags.push_from(old, index);
                }
            }),
        }
    }

    /// Removes every tag with a name and returns their number.
    pub fn remove(&mut self, name: &str) -> usize {
        let before = self.len();
        if self.position(name).is_some() {
            self.rebuild(|index, tags, old| {
                if old.texts.get(name_id(index)) != name {
                    tags.push_from(old, index);
                }
            });
        }
        before - self.len()
    }

    fn rebuild(&mut self, mut each: impl FnMut(usize, &mut Tags, &Tags)) {
        let old = std::mem::take(self);
        for index in 0..old.len() {
            each(index, self, &old);
        }
    }

    /// The original bytes of the value of the tag at an index.
    pub fn original(&self, index: usize) -> std::borrow::Cow<'_, [u8]> {
        self.texts.original(value_id(index))
    }

    /// The arena of names (even numbers) and values (odd ones).
    pub fn texts(&self) -> &TextArena {
        &self.texts
    }

    /// The value of a date tag as far as it can be read.
    pub fn date(&self, name: &str) -> Option<Date> {
        Date::parse(self.get(name)?)
    }

    /// The value of the Result tag, if it is a result.
    pub fn result(&self) -> Option<Outcome> {
        Outcome::read(self.get("Result")?)
    }

    /// The value of the Result tag, if it is not one of the four results of PGN, such as a double forfeit. Its reading
    /// still counts as the result.
    pub fn odd_result(&self) -> Option<&str> {
        let value = self.get("Result")?;
        (!value.is_empty() && Outcome::from_pgn(value).is_none()).then_some(value)
    }

    /// The number in a tag such as `WhiteElo`.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.get(name)?.trim().parse().ok()
    }
}

fn name_id(index: usize) -> TextId {
    TextId(u32::try_from(index * 2).unwrap_or(u32::MAX))
}

fn value_id(index: usize) -> TextId {
    TextId(u32::try_from(index * 2 + 1).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_and_order_are_kept() {
        let mut tags = Tags::default();
        tags.push("White", "Botvinnik");
        tags.push("Note", "one");
        tags.push("Note", "two");
        assert_eq!(tags.get("Note"), Some("one"));
        tags.set("Note", "three");
        let all: Vec<_> = tags.iter().map(|t| (t.name, t.value)).collect();
        assert_eq!(
            all,
            [("White", "Botvinnik"), ("Note", "three"), ("Note", "two")]
        );
        assert_eq!(tags.remove("Note"), 2);
        assert_eq!(tags.len(), 1);
    }

    #[test]
    fn original_bytes_come_back() {
        let mut tags = Tags::default();
        tags.push_bytes(b"White", b"M\xfcller", Charset::Cp1252);
        assert_eq!(tags.get("White"), Some("Müller"));
        assert_eq!(&*tags.original(0), b"M\xfcller");
    }
}
