//! Players by keys that all forms of their names share, and whether two names are forms of one name.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;

use tabiya_model::Result;
use tabiya_model::control::Control;
use tabiya_model::facts::{FactSource, NameTable};
use tabiya_query::Aliases;
use tabiya_query::fold::fold;
use tabiya_query::names::{NameTest, key_words};
use tabiya_query::spelling::{LONG, skeleton};

/// Pairs of names of which it is remembered whether they fit.
const REMEMBERED: usize = 1 << 16;

/// What is asked of a name before anybody compares letters.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct NameKey {
    /// The words under which it is found, or parts of them; 0 for none, and behind none nothing.
    pub(super) words: [u32; 4],
    /// The same for names that are the same but for case and accents.
    pub(super) exact: u64,
}

/// How well two names go together.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum NameMatch {
    /// Not at all.
    None,
    /// One letter of the surname is another one.
    Misspelt,
    /// They are forms of one.
    Forms,
}

/// Makes keys of names, and compares names.
pub(super) struct NameComparer<'a> {
    hasher: RandomState,
    aliases: Option<&'a Aliases>,
    /// Whether a letter of a surname may be wrong.
    misspelt: bool,
    known: Mutex<HashMap<(u64, u64), NameMatch>>,
}

impl<'a> NameComparer<'a> {
    pub(super) fn new(aliases: Option<&'a Aliases>, misspelt: bool) -> NameComparer<'a> {
        NameComparer {
            hasher: RandomState::new(),
            aliases,
            misspelt,
            known: Mutex::default(),
        }
    }

    /// The name that stands for all aliases of a player.
    fn own<'n>(&'n self, name: &'n str) -> &'n str {
        let group = self.aliases.map_or(&[][..], |aliases| aliases.of(name));
        group.first().map_or(name, String::as_str)
    }

    /// The hash of a text without case and accents.
    pub(super) fn text(&self, text: &str) -> u32 {
        // The upper half is as good as the whole.
        let [_, _, _, _, a, b, c, d] = self.hasher.hash_one(fold(text.trim())).to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    pub(super) fn key(&self, name: &str) -> NameKey {
        if is_blank(name) {
            return NameKey::default();
        }
        let name = self.own(name);
        let bones = skeleton(name);
        let mut words = [0; 4];
        let found = key_words(&bones).into_iter().flatten();
        let parts = found.flat_map(|word| self.parts(word)).flatten();
        for (slot, part) in words.iter_mut().zip(parts) {
            *slot = self.text(&part).max(1);
        }
        NameKey {
            words,
            exact: self.hasher.hash_one(fold(name.trim())).max(1),
        }
    }

    /// What of a word has to be the same: all of it, or, where a letter may be wrong, one of its ends.
    fn parts<'w>(&self, word: &'w str) -> [Option<Cow<'w, str>>; 2] {
        if !self.misspelt || word.chars().count() < LONG {
            return [Some(word.into()), None];
        }
        let (front, back) = (word.char_indices().nth(3), word.char_indices().nth_back(2));
        [
            front.map(|(at, _)| format!("{}<", word.split_at(at).0).into()),
            back.map(|(at, _)| format!(">{}", word.split_at(at).1).into()),
        ]
    }

    /// The keys of all players of a base, by the numbers of their names.
    pub(super) fn keys(&self, facts: &dyn FactSource, control: &Control) -> Vec<NameKey> {
        let count = facts.names(NameTable::Players);
        let threads = u32::try_from(control.threads()).unwrap_or(1).max(1);
        let share = count.div_ceil(threads).max(1);
        let range = |part: u32| {
            let first = part.saturating_mul(share).min(count);
            first..first.saturating_add(share).min(count)
        };
        let of = |part: u32| -> Vec<NameKey> {
            range(part)
                .map(|number| self.key(&facts.name(NameTable::Players, number)))
                .collect()
        };
        let of = &of;
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|part| (part, scope.spawn(move || of(part))))
                .collect();
            let mut keys = of(0);
            for (part, other) in others {
                // A thread that died leaves its share to this one.
                keys.extend(other.join().unwrap_or_else(|_| of(part)));
            }
            keys
        })
    }

    /// How well two names go together. The texts are asked for only where their keys leave it open.
    pub(super) fn fit<'n>(
        &self,
        keys: [u64; 2],
        texts: impl FnOnce() -> Result<[Cow<'n, str>; 2]>,
    ) -> Result<NameMatch> {
        let [one, two] = keys;
        if one == two {
            return Ok(NameMatch::Forms);
        }
        if one == 0 || two == 0 {
            return Ok(NameMatch::None);
        }
        let pair = (one.min(two), one.max(two));
        if let Ok(known) = self.known.lock()
            && let Some(fit) = known.get(&pair)
        {
            return Ok(*fit);
        }
        let [one, two] = texts()?;
        let fit = self.fit_of(&one, &two);
        if let Ok(mut known) = self.known.lock() {
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(pair, fit);
        }
        Ok(fit)
    }

    fn fit_of(&self, one: &str, two: &str) -> NameMatch {
        let bones = [self.own(one), self.own(two)].map(skeleton);
        let [one, two] = &bones;
        let test = NameTest::new(one);
        if one == two || test.matches(two) || NameTest::new(two).matches(one) {
            return NameMatch::Forms;
        }
        match self.misspelt && test.is_misspelt(two) {
            true => NameMatch::Misspelt,
            false => NameMatch::None,
        }
    }
}

/// Whether a name says nothing.
fn is_blank(name: &str) -> bool {
    name.trim_matches([' ', '?', '-', ',']).is_empty()
}
