//! The moves of games, and of their beginnings, as hashes.
//!
//! The hash of a line is a polynomial of its moves at a point that is drawn at random for each run, so that nobody can make
//! games that look like duplicates.

use std::hash::{BuildHasher, RandomState};

use tabiya_model::collect::{
    Collector, CollectorNeeds, CollectorWorker, GameView, NameField, NameRef, StepScope,
};
use tabiya_model::date::Date;
use tabiya_model::facts::FactFields;
use tabiya_model::outcome::Outcome;
use tabiya_model::positions::{MoveDelta, WalkStart};
use tabiya_model::round::{Round, RoundNumber};
use tabiya_model::{Game, GameNeeds, Result, TapeOp};

use super::names::NameComparer;

/// A prime number.
const PRIME: u64 = (1 << 61) - 1;

/// After so many plies it is noted how a line begins; shorter games are contained in no other.
pub(super) const EARLY: u32 = 16;

/// Makes numbers of lines.
#[derive(Clone, Debug)]
pub(super) struct LineHasher {
    at: u64,
    start: RandomState,
}

impl LineHasher {
    pub(super) fn new() -> LineHasher {
        let start = RandomState::new();
        LineHasher {
            at: start.hash_one("lines") % (PRIME - 2) + 2,
            start,
        }
    }

    fn start(&self, from: &WalkStart) -> u64 {
        match from {
            WalkStart::Standard => 1,
            WalkStart::Unreadable => 2,
            WalkStart::Setup(board) => self.start.hash_one(board.to_fen()) % PRIME,
        }
    }

    #[inline]
    fn next(&self, line: u64, delta: MoveDelta) -> u64 {
        let null = u64::from(delta.is_null()) << 16;
        let m = u64::from(delta.from())
            | u64::from(delta.to()) << 6
            | u64::from(delta.becomes()) << 12
            | null;
        let product = u128::from(line) * u128::from(self.at) + u128::from(m + 1);
        // The remainder by a number of only ones is the sum of the digits.
        let low = (product & u128::from(PRIME)) as u64;
        let high = (product >> 61) as u64;
        let sum = low + high;
        if sum >= PRIME { sum - PRIME } else { sum }
    }

    /// Walks along a game.
    pub(super) fn walk(
        &self,
        game: &mut GameView<'_>,
        mut each: impl FnMut(u32, u64),
    ) -> Result<()> {
        let mut line = self.start(game.start()?);
        let mut plies = 0;
        each(plies, line);
        for delta in game.main_line_steps()? {
            line = self.next(line, delta);
            plies += 1;
            each(plies, line);
        }
        Ok(())
    }
}

/// What is known of a game that may have a double.
#[derive(Copy, Clone, Debug)]
pub(super) struct DedupeFacts {
    /// The number of all of its moves.
    pub(super) line: u64,
    /// The number of the first of them.
    pub(super) early: u64,
    pub(super) plies: u32,
    /// Comments, NAGs and variations.
    pub(super) notes: u32,
    /// Whether all of it could be read; else it is unknown what it has more.
    pub(super) is_whole: bool,
    pub(super) players: [u64; 2],
    pub(super) event: u32,
    pub(super) round: RoundKey,
    pub(super) date: Date,
    pub(super) outcome: Outcome,
    pub(super) elos: [u16; 2],
}

/// What a round says, as far as it is compared.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum RoundKey {
    Unknown,
    Number(RoundNumber),
    /// The hash of a text that is no number.
    Text(u32),
}

impl RoundKey {
    /// Whether two may be one round: `2` is what one source says where another says the board too, `2.1`.
    pub(super) fn may_be(self, other: RoundKey) -> bool {
        match (self, other) {
            (RoundKey::Unknown, _) | (_, RoundKey::Unknown) => true,
            (RoundKey::Number(one), RoundKey::Number(two)) => {
                one.parts().zip(two.parts()).all(|(one, two)| one == two)
            }
            (one, two) => one == two,
        }
    }
}

/// The fields of a card.
pub(super) const CARD: FactFields = FactFields::WHITE
    .union(FactFields::BLACK)
    .union(FactFields::EVENT)
    .union(FactFields::ROUND)
    .union(FactFields::DATE)
    .union(FactFields::OUTCOME)
    .union(FactFields::ELOS)
    .union(FactFields::ANNOTATIONS);

/// Makes cards of games.
pub(super) struct DedupeFactsBuilder<'c> {
    pub(super) lines: &'c LineHasher,
    pub(super) names: &'c NameComparer<'c>,
    pub(super) keys: &'c [crate::study::dedupe::names::NameKey],
}

impl Collector for DedupeFactsBuilder<'_> {
    type Part = Vec<DedupeFacts>;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(CARD).with_steps(StepScope::MainLine)
    }

    fn worker(&self) -> impl CollectorWorker<Part = Vec<DedupeFacts>> {
        DedupeFactsWorker {
            cards: self,
            part: Vec::new(),
        }
    }
}

struct DedupeFactsWorker<'c> {
    cards: &'c DedupeFactsBuilder<'c>,
    part: Vec<DedupeFacts>,
}

impl CollectorWorker for DedupeFactsWorker<'_> {
    type Part = Vec<DedupeFacts>;

    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        let card = self.card(game)?;
        self.part.push(card);
        Ok(())
    }

    fn take(&mut self) -> Result<Vec<DedupeFacts>> {
        Ok(std::mem::take(&mut self.part))
    }
}

impl DedupeFactsWorker<'_> {
    fn card(&self, game: &mut GameView<'_>) -> Result<DedupeFacts> {
        let DedupeFactsBuilder { lines, names, keys } = self.cards;
        let (mut line, mut early, mut plies) = (0, 0, 0);
        lines.walk(game, |at, number| {
            if at <= EARLY {
                early = number;
            }
            (plies, line) = (at, number);
        })?;
        let fact = *game.fact()?;
        let mut player = |of: NameField| -> Result<u64> {
            Ok(match game.name(of)? {
                NameRef::Number(number) => usize::try_from(number)
                    .ok()
                    .and_then(|number| keys.get(number))
                    .map_or(0, |key| key.exact),
                NameRef::Text(text) => names.key(&text).exact,
            })
        };
        let players = [player(NameField::White)?, player(NameField::Black)?];
        let event = names.text(&game.event()?);
        let round = game.round()?;
        let round = match (round.trim(), Round::parse(&round)) {
            ("", _) | (_, Some(Round::Unknown | Round::Inapplicable)) => RoundKey::Unknown,
            (_, Some(Round::Number(number))) => RoundKey::Number(number),
            (text, None) => RoundKey::Text(names.text(text)),
        };
        let is_annotated = fact.comments || fact.variations || fact.nags;
        let notes = match is_annotated {
            true => notes_of(game.game(WHOLE)?),
            false => 0,
        };
        Ok(DedupeFacts {
            notes,
            line,
            early,
            plies,
            is_whole: !game.is_damaged(),
            players,
            event,
            round,
            date: fact.date,
            outcome: fact.outcome,
            elos: fact.elos,
        })
    }
}

/// The whole of a game, as it stands there.
const WHOLE: GameNeeds = GameNeeds {
    verify: false,
    ..GameNeeds::ALL
};

/// How much stands in a game beside its main line.
fn notes_of(game: &Game) -> u32 {
    let notes = game.tape.ops().filter(|op| match op {
        TapeOp::Comment(id) => !game.tape.text(*id).is_empty(),
        TapeOp::Nag(_) | TapeOp::Begin(_) => true,
        _ => false,
    });
    u32::try_from(notes.count()).unwrap_or(u32::MAX)
}

/// The numbers of the beginnings of some games, each of the lengths that are asked of it.
pub(super) struct BeginningHashes<'b> {
    pub(super) lines: &'b LineHasher,
    /// For each game of the list: rising lengths.
    pub(super) lengths: &'b [std::sync::Arc<[u32]>],
    /// The place of the game in the list by its number.
    pub(super) place: &'b (dyn Fn(u64) -> Option<usize> + Sync),
}

impl Collector for BeginningHashes<'_> {
    type Part = Vec<(usize, Vec<(u32, u64)>)>;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::default().with_steps(StepScope::MainLine)
    }

    fn worker(&self) -> impl CollectorWorker<Part = Self::Part> {
        BeginningHashWorker {
            beginnings: self,
            part: Vec::new(),
        }
    }
}

struct BeginningHashWorker<'b> {
    beginnings: &'b BeginningHashes<'b>,
    part: Vec<(usize, Vec<(u32, u64)>)>,
}

impl CollectorWorker for BeginningHashWorker<'_> {
    type Part = Vec<(usize, Vec<(u32, u64)>)>;

    fn see(&mut self, game: &mut GameView<'_>) -> Result<()> {
        let Some(place) = game.number().and_then(self.beginnings.place) else {
            return Ok(());
        };
        let Some(lengths) = self.beginnings.lengths.get(place) else {
            return Ok(());
        };
        let mut wanted = lengths.iter().copied().peekable();
        let mut found = Vec::new();
        self.beginnings.lines.walk(game, |plies, line| {
            if wanted.next_if_eq(&plies).is_some() {
                found.push((plies, line));
            }
        })?;
        // The whole game is no beginning of itself; who asks knows its length.
        self.part.push((place, found));
        Ok(())
    }

    fn take(&mut self) -> Result<Self::Part> {
        Ok(std::mem::take(&mut self.part))
    }
}
