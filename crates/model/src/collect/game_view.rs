//! A game as a collector sees it.

use std::borrow::Cow;

use shakmaty::Color;

use crate::board::Board;
use crate::database::{Block, Database, GameNeeds};
use crate::diagnostic::Severity;
use crate::error::{Error, Result};
use crate::error_codes;
use crate::facts::{FactFields, FactSource, GameFacts, NameTable};
use crate::game::{Game, StartingPosition};
use crate::positions::{GameWalker, MoveDelta, WalkStart};
use crate::tape::{Replay, TapeOp};

use super::StepScope;

/// How more of a game can be read than the pass has read already.
pub(super) enum GameAccess<'r> {
    /// By its number.
    Numbered(&'r dyn Database, u64),
    /// By reading the block's game again; `Some(number)` if its number is known.
    Block(&'r mut dyn Block, Option<u64>),
}

/// The names that a game's facts have.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NameField {
    /// White's.
    White,
    /// Black's.
    Black,
    /// The event's.
    Event,
    /// The site's.
    Site,
    /// The round's.
    Round,
}

impl NameField {
    /// The name of a player.
    #[must_use]
    pub const fn player(color: Color) -> NameField {
        match color {
            Color::White => NameField::White,
            Color::Black => NameField::Black,
        }
    }

    /// The field with the name.
    #[must_use]
    pub const fn field(self) -> FactFields {
        match self {
            NameField::White => FactFields::WHITE,
            NameField::Black => FactFields::BLACK,
            NameField::Event => FactFields::EVENT,
            NameField::Site => FactFields::SITE,
            NameField::Round => FactFields::ROUND,
        }
    }

    /// The table that it is in.
    #[must_use]
    pub const fn table(self) -> NameTable {
        match self {
            NameField::White | NameField::Black => NameTable::Players,
            NameField::Event => NameTable::Events,
            NameField::Site => NameTable::Sites,
            NameField::Round => NameTable::Rounds,
        }
    }

    fn tag(self) -> &'static str {
        match self {
            NameField::White => "White",
            NameField::Black => "Black",
            NameField::Event => "Event",
            NameField::Site => "Site",
            NameField::Round => "Round",
        }
    }

    fn number(self, fact: &GameFacts) -> u32 {
        match self {
            NameField::White => fact.players[0],
            NameField::Black => fact.players[1],
            NameField::Event => fact.event,
            NameField::Site => fact.site,
            NameField::Round => fact.round,
        }
    }
}

/// A known name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NameRef<'n> {
    /// By its number in the database's table of names; that table is longer.
    Number(u32),
    /// As text.
    Text(Cow<'n, str>),
}

/// The buffers of one thread.
pub(super) struct GameBuffers {
    pub(super) game: Game,
    pub(super) steps: Vec<MoveDelta>,
    pub(super) replay: Replay,
}

impl Default for GameBuffers {
    fn default() -> GameBuffers {
        GameBuffers {
            game: Game::default(),
            steps: Vec::new(),
            replay: Replay::new(&Board::standard()),
        }
    }
}

/// The current game of a pass.
pub struct GameView<'g> {
    pub(super) place: u64,
    pub(super) reach: GameAccess<'g>,
    /// The database for reading games by their numbers, if a block cannot go back.
    pub(super) database: Option<&'g dyn Database>,
    /// The parts of the game that were read.
    pub(super) read: Option<GameNeeds>,
    pub(super) buffers: &'g mut GameBuffers,
    /// Facts without reading, and the fields that the pass needs.
    pub(super) facts: Option<&'g dyn FactSource>,
    /// The number of names in each table.
    pub(super) names: &'g [u32; NameTable::ALL.len()],
    pub(super) fields: FactFields,
    pub(super) fact: Option<GameFacts>,
    pub(super) wanted: StepScope,
    pub(super) walker: Option<&'g mut dyn GameWalker>,
    pub(super) start: Option<WalkStart>,
    pub(super) steps: StepsState,
}

/// How far the steps of a game have been decoded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum StepsState {
    Nothing,
    Some,
    All,
}

impl GameView<'_> {
    /// Its place in its run, from 0: the number of the run's first game is known when the run is taken.
    #[inline]
    pub fn place(&self) -> u64 {
        self.place
    }

    /// Its number, if already known: games of a stream get theirs when their run is taken.
    #[inline]
    pub fn number(&self) -> Option<u64> {
        match &self.reach {
            GameAccess::Numbered(_, number) => Some(*number),
            GameAccess::Block(_, number) => *number,
        }
    }

    /// Its facts. The [needed](super::CollectorNeeds::facts) fields are always said, from an index or from the game. The
    /// numbers of names have no meaning here: use [`GameView::player`] and the like.
    #[inline]
    pub fn fact(&mut self) -> Result<&GameFacts> {
        if self.fact.is_none() {
            let fact = self.find_fact()?;
            self.fact = Some(fact);
        }
        Ok(self.fact.get_or_insert_default())
    }

    fn find_fact(&mut self) -> Result<GameFacts> {
        if let (Some(facts), Some(number)) = (self.facts, self.number())
            && let Some(fact) = facts.fact(number, self.fields)
            && !fact.unsaid.meets(self.fields)
            && (fact.plies.is_some() || !self.fields.meets(FactFields::PLIES))
        {
            return Ok(fact);
        }
        let fields = self.fields;
        if let Some(fact) = self.with_known_plies()? {
            // Its names are in the game and in no table.
            self.facts = None;
            return Ok(fact);
        }
        let of_moves = fields.meets(FactFields::PLIES.union(FactFields::ANNOTATIONS));
        let want = if of_moves {
            GameNeeds {
                verify: false,
                ..GameNeeds::ALL
            }
        } else {
            GameNeeds::TAGS
        };
        let game = self.game(want)?;
        let fact = if of_moves {
            GameFacts::of_game(game, |_, _| Some(0))
        } else {
            GameFacts::of_tags(game, fields, |_, _| Some(0))
        };
        // Its names are in the game and in no table.
        self.facts = None;
        Ok(fact)
    }

    /// The facts of a game whose number of plies is known to its block, so that its moves need not be read.
    fn with_known_plies(&mut self) -> Result<Option<GameFacts>> {
        let fields = self.fields;
        if !fields.meets(FactFields::PLIES) || fields.meets(FactFields::ANNOTATIONS) {
            return Ok(None);
        }
        let plies = match &mut self.reach {
            GameAccess::Block(block, _) => block.plies()?,
            GameAccess::Numbered(..) => None,
        };
        let Some(plies) = plies else {
            return Ok(None);
        };
        let game = self.game(GameNeeds::TAGS)?;
        // A damaged game is read as a whole.
        if game.diagnostics.at_least(Severity::Damage) > 0 {
            return Ok(None);
        }
        let mut fact = GameFacts::of_tags(game, fields, |_, _| Some(0));
        fact.plies = Some(plies);
        fact.unsaid = fact.unsaid.without(FactFields::PLIES);
        Ok(Some(fact))
    }

    /// A name, by its number if the facts know it: counting names does not need their text.
    #[inline]
    pub fn name(&mut self, of: NameField) -> Result<NameRef<'_>> {
        self.fact()?;
        if let (Some(facts), Some(fact)) = (self.facts, &self.fact)
            && !fact.unsaid.meets(of.field())
        {
            let number = of.number(fact);
            return Ok(if number < self.names[of.table() as usize] {
                NameRef::Number(number)
            } else {
                NameRef::Text(facts.name(of.table(), number))
            });
        }
        let game = self.game(GameNeeds::TAGS)?;
        Ok(NameRef::Text(Cow::Borrowed(game.tags.value(of.tag()))))
    }

    fn text(&mut self, of: NameField) -> Result<Cow<'_, str>> {
        let facts = self.facts;
        Ok(match self.name(of)? {
            NameRef::Text(text) => text,
            NameRef::Number(number) => {
                facts.map_or(Cow::Borrowed(""), |facts| facts.name(of.table(), number))
            }
        })
    }

    /// The name of the player of a side.
    pub fn player(&mut self, color: Color) -> Result<Cow<'_, str>> {
        self.text(NameField::player(color))
    }

    /// The name of the event.
    pub fn event(&mut self) -> Result<Cow<'_, str>> {
        self.text(NameField::Event)
    }

    /// The name of the site.
    pub fn site(&mut self) -> Result<Cow<'_, str>> {
        self.text(NameField::Site)
    }

    /// The round.
    pub fn round(&mut self) -> Result<Cow<'_, str>> {
        self.text(NameField::Round)
    }

    /// The game, with at least these parts.
    pub fn game(&mut self, want: GameNeeds) -> Result<&Game> {
        if !self.read.is_some_and(|read| read.covers(want)) {
            let want = self.read.map_or(want, |read| read.union(want));
            let game = &mut self.buffers.game;
            match &mut self.reach {
                GameAccess::Numbered(database, number) => database.read(*number, want, game)?,
                GameAccess::Block(block, number) => {
                    let again = block.again(want, game)?;
                    if let (false, Some(database), Some(number)) = (again, self.database, *number) {
                        database.read(number, want, game)?;
                    } else if !again {
                        return Err(Error::new(
                            &error_codes::INTERNAL,
                            "a collector needs more of a game than it declared, and the source cannot go back",
                        ));
                    }
                }
            }
            self.read = Some(want);
        }
        Ok(&self.buffers.game)
    }

    /// Its start.
    pub fn start(&mut self) -> Result<&WalkStart> {
        if self.start.is_none() {
            let start = match (&mut self.walker, &self.reach) {
                (Some(walker), GameAccess::Numbered(_, number)) => walker.open(*number)?,
                _ => match &self.game(of_steps(self.wanted))?.start {
                    StartingPosition::Standard => WalkStart::Standard,
                    StartingPosition::Setup(board, _) => WalkStart::Setup(board.clone()),
                },
            };
            self.start = Some(start);
        }
        Ok(self.start.get_or_insert(WalkStart::Standard))
    }

    /// Its moves, as the steps of any board: of the main line, and of variations if they are
    /// [needed](super::CollectorNeeds::steps) by any collector of the pass: a collector that does not need them skips
    /// everything between [`MoveDelta::BEGIN`] and [`MoveDelta::END`].
    pub fn steps(&mut self) -> Result<&[MoveDelta]> {
        while self.steps != StepsState::All {
            self.decode(usize::from(u8::MAX))?;
        }
        Ok(&self.buffers.steps)
    }

    /// Only the moves of the main line, regardless of the other collectors of the pass. At least they are
    /// [needed](super::CollectorNeeds::steps).
    pub fn main_line_steps(&mut self) -> Result<impl Iterator<Item = MoveDelta> + '_> {
        let mut depth = 0_u32;
        let is_of_main_line = move |step: &MoveDelta| {
            match *step {
                MoveDelta::BEGIN => depth += 1,
                MoveDelta::END => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        };
        Ok(self.steps()?.iter().copied().filter(is_of_main_line))
    }

    /// The same from a step on, about `most` of them: none at the end of the game. Decoding stops with the last
    /// requested step.
    #[inline]
    pub fn steps_from(&mut self, at: usize, most: usize) -> Result<&[MoveDelta]> {
        while self.steps != StepsState::All
            && (self.steps == StepsState::Nothing || self.buffers.steps.len() <= at)
        {
            self.decode(most)?;
        }
        Ok(self.buffers.steps.get(at..).unwrap_or(&[]))
    }

    /// Decodes about `most` further steps.
    fn decode(&mut self, most: usize) -> Result<()> {
        let variations = self.wanted == StepScope::Variations;
        if self.steps == StepsState::Nothing {
            self.steps = StepsState::Some;
            self.buffers.steps.clear();
            if *self.start()? == WalkStart::Unreadable {
                self.steps = StepsState::All;
                return Ok(());
            }
        }
        match &mut self.walker {
            Some(walker) => {
                if !walker.steps(variations, most, &mut self.buffers.steps)? {
                    self.steps = StepsState::All;
                }
            }
            None => {
                self.steps = StepsState::All;
                self.game(of_steps(self.wanted))?;
                steps_of(self.buffers, variations);
            }
        }
        Ok(())
    }

    /// The game and its steps, if the game was read.
    pub fn read(&mut self) -> Result<Option<(&Game, &[MoveDelta])>> {
        if self.read.is_none() {
            return Ok(None);
        }
        self.steps()?;
        Ok(Some((&self.buffers.game, &self.buffers.steps)))
    }

    /// Whether it could not be decoded, or not to its end, as far as it was read.
    pub fn is_damaged(&self) -> bool {
        match &self.walker {
            Some(walker) if self.steps != StepsState::Nothing => {
                self.start == Some(WalkStart::Unreadable) || walker.is_damaged()
            }
            _ => {
                self.read.is_some() && self.buffers.game.diagnostics.at_least(Severity::Damage) > 0
            }
        }
    }
}

/// What must be read of a game for its steps.
pub(super) fn of_steps(steps: StepScope) -> GameNeeds {
    GameNeeds {
        moves: true,
        variations: steps == StepScope::Variations,
        ..GameNeeds::TAGS
    }
}

fn steps_of(buffers: &mut GameBuffers, variations: bool) {
    let GameBuffers {
        game,
        steps,
        replay,
    } = buffers;
    replay.reset(&game.start_board());
    let mut at = 0;
    while let Some(op) = game.tape.get(at) {
        match op {
            TapeOp::Begin(_) if !variations => {
                at = game.tape.skip(at);
                continue;
            }
            TapeOp::Move(m) => steps.push(MoveDelta::of_move(replay.now(), m)),
            TapeOp::Begin(_) => steps.push(MoveDelta::BEGIN),
            TapeOp::End => steps.push(MoveDelta::END),
            _ => {}
        }
        replay.follow(op);
        at += 1;
    }
}
