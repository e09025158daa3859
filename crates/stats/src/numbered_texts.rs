//! Texts, each with a number.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Texts with numbers in the order in which they came. They lie behind each other in one piece: there are many thousand
/// of them, and each is short.
#[derive(Default, Debug)]
pub(crate) struct NumberedTexts {
    hashes: DefaultHashBuilder,
    numbers: HashTable<u32>,
    texts: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl NumberedTexts {
    /// The number of a text, which is added where it is new.
    pub(crate) fn number(&mut self, text: &str) -> u32 {
        let hash = self.hashes.hash_one(text);
        let (texts, ends) = (&self.texts, &self.ends);
        let known = self
            .numbers
            .find(hash, |number| at(texts, ends, *number) == text);
        if let Some(number) = known {
            return *number;
        }
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        let (hashes, texts, ends) = (&self.hashes, &self.texts, &self.ends);
        self.numbers.insert_unique(hash, number, |number| {
            hashes.hash_one(at(texts, ends, *number))
        });
        number
    }

    /// Makes room for more.
    pub(crate) fn reserve(&mut self, more: usize) {
        let (hashes, texts, ends) = (&self.hashes, &self.texts, &self.ends);
        self.numbers
            .reserve(more, |number| hashes.hash_one(at(texts, ends, *number)));
        self.ends.reserve(more);
    }

    /// The text of a number.
    pub(crate) fn get(&self, number: u32) -> &str {
        at(&self.texts, &self.ends, number)
    }

    /// All texts in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..).take(self.ends.len()).map(|number| self.get(number))
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn at<'t>(texts: &'t str, ends: &[usize], number: u32) -> &'t str {
    let Ok(place) = usize::try_from(number) else {
        return "";
    };
    let start = match place.checked_sub(1) {
        Some(before) => ends.get(before).copied(),
        None => Some(0),
    };
    let range = start.zip(ends.get(place).copied());
    range
        .and_then(|(start, end)| texts.get(start..end))
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number() {
        let mut texts = NumberedTexts::default();
        let numbers = ["b", "a", "", "b", "ä", ""].map(|text| texts.number(text));
        assert_eq!(numbers, [0, 1, 2, 0, 3, 2]);
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["b", "a", "", "ä"]);
        for number in 4..9_000 {
            assert_eq!(texts.number(&number.to_string()), number);
        }
        assert_eq!((texts.get(5_000), texts.get(3)), ("5000", "ä"));
        assert_eq!((texts.get(9_000), texts.get(u32::MAX)), ("", ""));
    }
}
