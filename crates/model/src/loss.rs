//! Losses: data that a target cannot hold, as counted values.
//!
//! A loss says which aspect of which game is missing in the target, or has another form there. The law
//! of every format is `canon(read(write(g))) == canon(g)` apart from the aspects that were reported: a sink that
//! drops something without reporting it is a failing test, and `convert --verify` proves it for a real conversion.

/// The part of a game that a loss touches. A difference in this aspect is explained by the loss.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GameAspect {
    /// The game is not in the target at all.
    Game,
    /// Tags: one is missing, cut, renamed, or its value has another form.
    Tags,
    /// The starting position.
    Start,
    /// Moves of the main line or of a variation.
    Moves,
    /// Whole variations.
    Variations,
    /// The text or the place of comments.
    Comments,
    /// NAGs: dropped, or in another order.
    Nags,
    /// The result of the movetext, or results within it.
    Outcome,
    /// Data specific to the source format.
    Extensions,
    /// White space and similar things without meaning: reported, but not a loss.
    Layout,
    /// Metadata of the database: explains no difference between games.
    Database,
}

impl GameAspect {
    /// Every aspect, in the order of their bits.
    pub const ALL: [GameAspect; 11] = [
        GameAspect::Game,
        GameAspect::Tags,
        GameAspect::Start,
        GameAspect::Moves,
        GameAspect::Variations,
        GameAspect::Comments,
        GameAspect::Nags,
        GameAspect::Outcome,
        GameAspect::Extensions,
        GameAspect::Layout,
        GameAspect::Database,
    ];

    /// A bit for sets of aspects.
    pub fn bit(self) -> u16 {
        1 << self as u16
    }

    /// Whether a loss of this aspect explains a difference in another one: a lost part takes its content along.
    pub fn explains(self, other: GameAspect) -> bool {
        use GameAspect::{
            Comments, Extensions, Game, Layout, Moves, Nags, Outcome, Tags, Variations,
        };
        match self {
            Game => true,
            Moves => matches!(
                other,
                Moves | Variations | Comments | Nags | Outcome | Extensions | Layout
            ),
            Variations => {
                matches!(
                    other,
                    Variations | Comments | Nags | Outcome | Extensions | Layout
                )
            }
            Comments | Tags => other == self || other == Layout,
            _ => self == other,
        }
    }

    /// A word for people.
    pub fn name(self) -> &'static str {
        match self {
            GameAspect::Game => "game",
            GameAspect::Tags => "tags",
            GameAspect::Start => "start",
            GameAspect::Moves => "moves",
            GameAspect::Variations => "variations",
            GameAspect::Comments => "comments",
            GameAspect::Nags => "nags",
            GameAspect::Outcome => "outcome",
            GameAspect::Extensions => "extensions",
            GameAspect::Layout => "layout",
            GameAspect::Database => "database",
        }
    }
}

/// A kind of loss.
#[derive(Debug)]
pub struct LossKind {
    /// Stable name in kebab case.
    pub name: &'static str,
    /// The aspect that is affected.
    pub aspect: GameAspect,
    /// What is lost and why, in one sentence.
    pub summary: &'static str,
    /// Whether the user chose to leave this out, so that a conversion with it is still complete.
    pub asked_for: bool,
}

impl LossKind {
    /// A kind of loss that was not requested.
    pub const fn new(name: &'static str, aspect: GameAspect, summary: &'static str) -> LossKind {
        LossKind {
            name,
            aspect,
            summary,
            asked_for: false,
        }
    }
}

impl LossKind {
    /// Whether only layout is lost: this is reported, but the conversion is complete.
    pub fn is_layout(&self) -> bool {
        self.aspect == GameAspect::Layout
    }
}

impl PartialEq for LossKind {
    fn eq(&self, other: &LossKind) -> bool {
        self.name == other.name
    }
}

impl Eq for LossKind {}

/// One loss.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// Its kind.
    pub kind: &'static LossKind,
    /// The game's number in the source, from 1; 0 if it belongs to no game.
    pub game: u64,
    /// The exact loss: the text, the tag, the move and its ply.
    pub detail: String,
}

/// Losses in the order in which they happened.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Losses {
    list: Vec<Loss>,
}

impl Losses {
    /// Adds a loss.
    pub fn report(&mut self, kind: &'static LossKind, game: u64, detail: impl Into<String>) {
        self.list.push(Loss {
            kind,
            game,
            detail: detail.into(),
        });
    }

    /// Removes all losses and keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Removes all losses except the first `length` ones.
    pub fn truncate(&mut self, length: usize) {
        self.list.truncate(length);
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of losses.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All losses.
    pub fn iter(&self) -> impl Iterator<Item = &Loss> {
        self.list.iter()
    }

    /// All losses, open to corrections of the game's number.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Loss> {
        self.list.iter_mut()
    }

    /// Moves all losses of another list here.
    pub fn append(&mut self, other: &mut Losses) {
        self.list.append(&mut other.list);
    }
}

/// Losses of a whole conversion: counted by kind, with the first ones of each kind.
#[derive(Clone, Debug, Default)]
pub struct LossReport {
    kinds: Vec<(&'static LossKind, u64, Vec<Loss>)>,
}

impl LossReport {
    /// How many losses of a kind are kept with their details.
    pub const EXAMPLES: usize = 20;

    /// Counts a loss.
    pub fn add(&mut self, loss: &Loss) {
        let at = match self.kinds.iter().position(|(kind, ..)| *kind == loss.kind) {
            Some(at) => at,
            None => {
                self.kinds.push((loss.kind, 0, Vec::new()));
                self.kinds.len() - 1
            }
        };
        if let Some((_, count, examples)) = self.kinds.get_mut(at) {
            *count += 1;
            if examples.len() < Self::EXAMPLES {
                examples.push(loss.clone());
            }
        }
    }

    /// Adds the counts of another report.
    pub fn append(&mut self, other: &LossReport) {
        for (kind, count, examples) in other.kinds() {
            for loss in examples {
                self.add(loss);
            }
            let more = count.saturating_sub(examples.len() as u64);
            if let Some((_, all, _)) = self.kinds.iter_mut().find(|(known, ..)| *known == kind) {
                *all += more;
            }
        }
    }

    /// Every kind with its count and first examples.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static LossKind, u64, &[Loss])> {
        self.kinds
            .iter()
            .map(|(kind, count, examples)| (*kind, *count, &examples[..]))
    }

    /// The number of requested losses.
    pub fn total_asked(&self) -> u64 {
        let asked = self
            .kinds
            .iter()
            .filter(|(kind, ..)| kind.asked_for && !kind.is_layout());
        asked.map(|(_, count, _)| count).sum()
    }

    /// The number of losses, not counting changes of layout.
    pub fn total(&self) -> u64 {
        let losses = self.kinds.iter().filter(|(kind, ..)| !kind.is_layout());
        losses.map(|(_, count, _)| count).sum()
    }
}
