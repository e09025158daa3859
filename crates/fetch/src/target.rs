//! The base that is updated: which games it has already, and how new ones are added.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabiya::edit::{EditOperation, EditOptions, GameCorrection, LossPolicy};
use tabiya::{Base, Opener};
use tabiya_model::{Control, Game, GameNeeds, TapeOp};

use crate::game_key::{FROM_TAG, TagStorage, is_analysed, is_annotated, is_told_form, key};
use crate::{FetchError, Result};

/// So many games are put into the base at once, at first; more the longer it goes on, since each time costs as much as the base is long.
const FIRST_PART: usize = 1000;

/// The most.
const LARGEST_PART: usize = 16_000;

/// Operations and bytes of texts that wait to be put into the base.
const LARGEST_SIZE: usize = 64 << 20;

/// What is known of a game in the base.
#[derive(Clone, Debug)]
pub(crate) struct KnownGame {
    pub(crate) number: u64,
    /// Whether it has the analysis of its site.
    pub(crate) is_analysed: bool,
    /// When it began, in milliseconds; 0 where that is not said.
    pub(crate) began: u64,
    /// Where it was fetched from.
    pub(crate) from: String,
}

/// What became of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FetchCounts {
    pub(crate) added: u64,
    pub(crate) renewed: u64,
    pub(crate) there: u64,
    pub(crate) refused: u64,
    /// Games with annotations of the user's, to which an analysis was not added.
    pub(crate) annotated: u64,
}

/// What one game becomes: new, renewed, or nothing.
enum FetchedGame {
    New,
    Renewed(Box<Game>),
}

/// The base.
pub(crate) struct FetchTarget {
    path: PathBuf,
    opener: Opener,
    /// Where its games have their tags.
    storage: TagStorage,
    known: HashMap<String, KnownGame>,
    new: Vec<Game>,
    size: usize,
    part: usize,
    /// Games that take the place of others, by their keys.
    renewed: HashMap<String, Game>,
    pub(crate) counts: FetchCounts,
    from: String,
    /// Nothing is put into the base before all of a source is there.
    pub(crate) is_held: bool,
    /// A change of the base failed, and its games are not there: they have to be asked for again.
    has_failed: bool,
    control: Control,
}

impl FetchTarget {
    /// Looks through a base. One that is not there is made as soon as there is something to put into it, or a source was read to
    /// its end: a name that no site knows leaves no empty base.
    pub(crate) fn open(path: &Path, control: &Control) -> Result<FetchTarget> {
        let opener = Opener::default();
        let storage = if is_there(path) {
            tabiya::edit::can_change(&opener, path)?;
            TagStorage::default()
        } else {
            TagStorage::of(tabiya::edit::new_format(path)?)
        };
        let mut target = FetchTarget {
            path: path.to_owned(),
            opener,
            storage,
            known: HashMap::new(),
            new: Vec::new(),
            size: 0,
            part: FIRST_PART,
            renewed: HashMap::new(),
            counts: FetchCounts::default(),
            from: String::new(),
            is_held: false,
            has_failed: false,
            control: control.clone(),
        };
        target.look()?;
        Ok(target)
    }

    fn look(&mut self) -> Result<()> {
        self.known.clear();
        if !is_there(&self.path) {
            return Ok(());
        }
        for base in self.opener.open(&self.path)? {
            self.storage = TagStorage::of(base.format());
            let (storage, known) = (self.storage, &mut self.known);
            base.for_each(storage.needs(), &Control::default(), |game| {
                let tags = &*storage.tags(game);
                let from = tags.value(FROM_TAG);
                let is_issue = from.starts_with("twic ");
                if let Some(key) = key(tags).filter(|_| !is_issue) {
                    let found = KnownGame {
                        number: game.origin.number,
                        is_analysed: is_analysed(tags),
                        began: tags.value("CreatedAt").parse().unwrap_or(0),
                        from: tags.value(FROM_TAG).to_owned(),
                    };
                    known.entry(key).or_insert(found);
                } else if !from.is_empty() {
                    let from = from.to_owned();
                    let found = KnownGame {
                        number: game.origin.number,
                        is_analysed: false,
                        began: 0,
                        from: from.clone(),
                    };
                    known.entry(from).or_insert(found);
                }
                Ok(std::ops::ControlFlow::Continue(()))
            })?;
        }
        Ok(())
    }

    /// Begins with a source.
    pub(crate) fn begin(&mut self, from: &str) -> Result<()> {
        from.clone_into(&mut self.from);
        self.counts = FetchCounts::default();
        if self.has_failed {
            // What was taken for the last source is not in the base.
            self.new.clear();
            self.renewed.clear();
            self.look()?;
            self.has_failed = false;
        }
        Ok(())
    }

    /// What is known of a game.
    pub(crate) fn known(&self, key: &str) -> Option<&KnownGame> {
        self.known.get(key)
    }

    /// Games that were fetched from the source and of which something is true, by their keys in order.
    pub(crate) fn keys_of(&self, is_wanted: impl Fn(&KnownGame) -> bool) -> Vec<String> {
        let mut keys: Vec<String> = self
            .known
            .iter()
            .filter(|(_, known)| known.from == self.from && is_wanted(known))
            .map(|(key, _)| key.clone())
            .collect();
        keys.sort_unstable();
        keys
    }

    /// Makes the base if it is not there yet.
    pub(crate) fn ensure_made(&self) -> Result<()> {
        if !is_there(&self.path) {
            tabiya::edit::make(&self.path, None, Default::default())?;
        }
        Ok(())
    }

    /// A game of the base, as it was given.
    pub(crate) fn read(&self, number: u64) -> Result<Option<Game>> {
        let bases: Vec<Base> = self.opener.open(&self.path)?;
        match bases.first() {
            Some(base) => {
                let game = base.read(number, GameNeeds::ALL)?;
                Ok(Some(self.storage.restored(game)))
            }
            None => Ok(None),
        }
    }

    /// Takes a game of a site that comes once and may get an analysis later.
    pub(crate) fn take(&mut self, game: &Game) -> Result<()> {
        self.control.advance(1, 0);
        match self.judge(game)? {
            Some(FetchedGame::New) => self.add(game.clone()),
            Some(FetchedGame::Renewed(game)) => self.renew(*game),
            None => Ok(()),
        }
    }

    fn judge(&mut self, game: &Game) -> Result<Option<FetchedGame>> {
        let Some(key) = key(&game.tags) else {
            return Ok(Some(FetchedGame::New));
        };
        let Some(known) = self.known.get(&key) else {
            return Ok(Some(FetchedGame::New));
        };
        if known.number == 0 || known.is_analysed || !is_analysed(&game.tags) {
            self.counts.there += 1;
            return Ok(None);
        }
        let number = known.number;
        let Some(old) = self.read(number)? else {
            self.counts.there += 1;
            return Ok(None);
        };
        if is_annotated(&old) {
            self.counts.annotated += 1;
            return Ok(None);
        }
        let mut renewed = old;
        renewed.tape = game.tape.clone();
        for index in 0..game.tags.len() {
            let Some(tag) = game.tags.at(index) else {
                continue;
            };
            match renewed.tags.get(tag.name) {
                None => renewed.tags.push_from(&game.tags, index),
                Some(told) if is_told_form(told, tag.value) => {
                    renewed.tags.set(tag.name, tag.value);
                }
                Some(_) => {}
            }
        }
        Ok(Some(FetchedGame::Renewed(Box::new(renewed))))
    }

    /// Adds a game as it is.
    pub(crate) fn add(&mut self, mut game: Game) -> Result<()> {
        if game.tags.get(FROM_TAG).is_none() {
            game.tags.push(FROM_TAG, &self.from);
        }
        if let Some(key) = key(&game.tags) {
            let known = KnownGame {
                // Its number is not known before it is in the base.
                number: 0,
                is_analysed: is_analysed(&game.tags),
                began: game.tags.value("CreatedAt").parse().unwrap_or(0),
                from: self.from.clone(),
            };
            self.known.insert(key, known);
        }
        self.size += size_of_game(&game);
        self.new.push(game);
        if !self.is_held && (self.new.len() >= self.part || self.size >= LARGEST_SIZE) {
            self.flush()?;
        }
        Ok(())
    }

    /// Puts a game in the place of the one with its key.
    pub(crate) fn renew(&mut self, game: Game) -> Result<()> {
        if let Some(key) = key(&game.tags) {
            if let Some(known) = self.known.get_mut(&key) {
                known.is_analysed = is_analysed(&game.tags);
            }
            self.size += size_of_game(&game);
            self.renewed.insert(key, game);
        }
        if self.size >= LARGEST_SIZE {
            self.flush()?;
        }
        Ok(())
    }

    /// Whether a game with this key waits to replace another one.
    pub(crate) fn is_renewed(&self, key: &str) -> bool {
        self.renewed.contains_key(key)
    }

    /// Whether nothing waits to be put into the base.
    pub(crate) fn is_flushed(&self) -> bool {
        self.new.is_empty() && self.renewed.is_empty() && !self.has_failed
    }

    /// Puts what waits into the base. Once this has failed it fails again, so that the caller does not remember a source as read
    /// whose games are not in the base.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.has_failed {
            return Err(FetchError::NotAdded);
        }
        let added = self.put();
        self.has_failed = added.is_err();
        added
    }

    fn put(&mut self) -> Result<()> {
        if self.new.is_empty() && self.renewed.is_empty() {
            return Ok(());
        }
        self.ensure_made()?;
        let options = |what: &str| -> Result<EditOptions> {
            Ok(EditOptions {
                // What the format cannot hold is kept in a comment before the first move.
                lossy: LossPolicy::Comment,
                wish: Some(format!("fetch {}: {what}", self.from)),
                ..EditOptions::of_user()?
            })
        };
        if !self.renewed.is_empty() {
            let options = options("renew games")?;
            let games = std::mem::take(&mut self.renewed);
            let storage = self.storage;
            let operation = EditOperation::Correct(Arc::new(RenewedGames { games, storage }));
            // A change that was begun is ended: it is all or nothing, and the sites were asked already.
            let done = tabiya::edit::edit_with(
                &self.opener,
                &self.path,
                &operation,
                &options,
                &Control::default(),
                &mut |_| {},
            )?;
            self.counts.renewed += done.games;
        }
        if !self.new.is_empty() {
            let options = options("add games")?;
            let games = std::mem::take(&mut self.new);
            self.put_new(games, &options)?;
            self.part = (self.part * 2).min(LARGEST_PART);
        }
        self.size = 0;
        Ok(())
    }

    /// Adds games. One that the base cannot hold, not even with a comment, does not keep the others out.
    fn put_new(&mut self, games: Vec<Game>, options: &EditOptions) -> Result<()> {
        let mut waiting = vec![games];
        while let Some(games) = waiting.pop() {
            let operation = EditOperation::Add(games);
            let done = tabiya::edit::edit_with(
                &self.opener,
                &self.path,
                &operation,
                options,
                &Control::default(),
                &mut |_| {},
            );
            match (done, operation) {
                (Ok(done), _) => {
                    self.counts.added += done.games;
                    self.counts.refused += done.refused;
                }
                (Err(error), EditOperation::Add(mut games))
                    if *error.code == tabiya_model::error_codes::WOULD_LOSE =>
                {
                    if games.len() <= 1 {
                        self.counts.refused += 1;
                        continue;
                    }
                    let second = games.split_off(games.len() / 2);
                    waiting.extend([second, games]);
                }
                (Err(error), _) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Learns the numbers of the games that were added.
    pub(crate) fn look_again(&mut self) -> Result<()> {
        self.look()
    }
}

/// Whether there is something at a path: what cannot be looked at is there.
pub(crate) fn is_there(path: &Path) -> bool {
    path.try_exists().unwrap_or(true)
}

fn size_of_game(game: &Game) -> usize {
    let tags: usize = game
        .tags
        .iter()
        .map(|tag| tag.name.len() + tag.value.len())
        .sum();
    let comments: usize = game
        .tape
        .ops()
        .map(|op| match op {
            TapeOp::Comment(id) | TapeOp::Raw(id) => game.tape.text(id).len() + 8,
            _ => 4,
        })
        .sum();
    tags + comments
}

/// Games that take the place of others with the same key.
#[derive(Debug)]
struct RenewedGames {
    games: HashMap<String, Game>,
    storage: TagStorage,
}

impl GameCorrection for RenewedGames {
    fn correct(&self, game: &mut Game) -> bool {
        let new = key(&self.storage.tags(game)).and_then(|key| self.games.get(&key));
        let Some(new) = new else {
            return false;
        };
        let origin = game.origin;
        game.clone_from(new);
        game.origin = origin;
        true
    }
}
