//! A game as a collector sees it.

use std::borrow::Cow;

use shakmaty::Color;

use crate::board::Board;
use crate::database::{Block, Database, Want};
use crate::diagnostic::Severity;
use crate::error::{Error, Result};
use crate::facts::{Fact, Facts, Fields, NameTable};
use crate::game::{Game, Start};
use crate::positions::{Delta, From, Walker};
use crate::tape::{Op, Replay};

use super::Steps;

/// How more of a game is read than a pass has read by itself.
pub(super) enum Reach<'r> {
    /// By its number.
    Numbered(&'r dyn Database, u64),
    /// By its block once more; `Some(number)` where it is known.
    Block(&'r mut dyn Block, Option<u64>),
}

/// The names that a game's facts have.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NameOf {
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

impl NameOf {
    /// The name of a player.
    #[must_use]
    pub const fn player(color: Color) -> NameOf {
        match color {
            Color::White => NameOf::White,
            Color::Black => NameOf::Black,
        }
    }

    /// The field that says it.
    #[must_use]
    pub const fn field(self) -> Fields {
        match self {
            NameOf::White => Fields::WHITE,
            NameOf::Black => Fields::BLACK,
            NameOf::Event => Fields::EVENT,
            NameOf::Site => Fields::SITE,
            NameOf::Round => Fields::ROUND,
        }
    }

    /// The table that it is in.
    #[must_use]
    pub const fn table(self) -> NameTable {
        match self {
            NameOf::White | NameOf::Black => NameTable::Players,
            NameOf::Event => NameTable::Events,
            NameOf::Site => NameTable::Sites,
            NameOf::Round => NameTable::Rounds,
        }
    }

    fn tag(self) -> &'static str {
        match self {
            NameOf::White => "White",
            NameOf::Black => "Black",
            NameOf::Event => "Event",
            NameOf::Site => "Site",
            NameOf::Round => "Round",
        }
    }

    fn number(self, fact: &Fact) -> u32 {
        match self {
            NameOf::White => fact.players[0],
            NameOf::Black => fact.players[1],
            NameOf::Event => fact.event,
            NameOf::Site => fact.site,
            NameOf::Round => fact.round,
        }
    }
}

/// A name as it is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Name<'n> {
    /// By its number in its table of the facts that the database has; the table is longer.
    Number(u32),
    /// As text.
    Text(Cow<'n, str>),
}

/// The buffers of one thread.
pub(super) struct Buffers {
    pub(super) game: Game,
    pub(super) steps: Vec<Delta>,
    pub(super) replay: Replay,
}

impl Default for Buffers {
    fn default() -> Buffers {
        Buffers {
            game: Game::default(),
            steps: Vec::new(),
            replay: Replay::new(&Board::standard()),
        }
    }
}

/// A game under way.
pub struct Seen<'g> {
    pub(super) place: u64,
    pub(super) reach: Reach<'g>,
    /// Where games are found by their numbers, where a block cannot go back.
    pub(super) database: Option<&'g dyn Database>,
    /// How far the game was read.
    pub(super) read: Option<Want>,
    pub(super) buffers: &'g mut Buffers,
    /// Facts without reading, and the fields that the pass needs.
    pub(super) facts: Option<&'g dyn Facts>,
    /// How many names each of their tables has.
    pub(super) names: &'g [u32; NameTable::ALL.len()],
    pub(super) fields: Fields,
    pub(super) fact: Option<Fact>,
    pub(super) wanted: Steps,
    pub(super) walker: Option<&'g mut dyn Walker>,
    pub(super) start: Option<From>,
    pub(super) steps: Decoded,
}

/// How far the steps of a game have been decoded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Decoded {
    Nothing,
    Some,
    All,
}

impl Seen<'_> {
    /// Its place in its run, from 0: the number of the run's first game is known when the run is taken.
    #[inline]
    pub fn place(&self) -> u64 {
        self.place
    }

    /// Its number, where that is known already: games of a stream learn theirs when their run is taken.
    #[inline]
    pub fn number(&self) -> Option<u64> {
        match &self.reach {
            Reach::Numbered(_, number) => Some(*number),
            Reach::Block(_, number) => *number,
        }
    }

    /// What is known of it. The fields that are [needed](super::Needs::facts) are said, whether an index says them or the
    /// game has to be read. The numbers of names mean nothing: ask [`Seen::player`] and its like.
    #[inline]
    pub fn fact(&mut self) -> Result<&Fact> {
        if self.fact.is_none() {
            let fact = self.find_fact()?;
            self.fact = Some(fact);
        }
        Ok(self.fact.get_or_insert_default())
    }

    fn find_fact(&mut self) -> Result<Fact> {
        if let (Some(facts), Some(number)) = (self.facts, self.number())
            && let Some(fact) = facts.fact(number, self.fields)
            && !fact.unsaid.meets(self.fields)
            && (fact.plies.is_some() || !self.fields.meets(Fields::PLIES))
        {
            return Ok(fact);
        }
        let fields = self.fields;
        if let Some(fact) = self.with_known_plies()? {
            // Its names are in the game and in no table.
            self.facts = None;
            return Ok(fact);
        }
        let of_moves = fields.meets(Fields::PLIES.union(Fields::ANNOTATIONS));
        let want = if of_moves {
            Want {
                verify: false,
                ..Want::ALL
            }
        } else {
            Want::TAGS
        };
        let game = self.game(want)?;
        let fact = if of_moves {
            Fact::of_game(game, |_, _| Some(0))
        } else {
            Fact::of_tags(game, fields, |_, _| Some(0))
        };
        // Its names are in the game and in no table.
        self.facts = None;
        Ok(fact)
    }

    /// The facts of a game whose half-moves its block knows, so that its moves need not be read.
    fn with_known_plies(&mut self) -> Result<Option<Fact>> {
        let fields = self.fields;
        if !fields.meets(Fields::PLIES) || fields.meets(Fields::ANNOTATIONS) {
            return Ok(None);
        }
        let plies = match &mut self.reach {
            Reach::Block(block, _) => block.plies()?,
            Reach::Numbered(..) => None,
        };
        let Some(plies) = plies else {
            return Ok(None);
        };
        let game = self.game(Want::TAGS)?;
        // What is damaged is read as a whole.
        if game.diagnostics.at_least(Severity::Damage) > 0 {
            return Ok(None);
        }
        let mut fact = Fact::of_tags(game, fields, |_, _| Some(0));
        fact.plies = Some(plies);
        fact.unsaid = fact.unsaid.without(Fields::PLIES);
        Ok(Some(fact))
    }

    /// A name, by its number where the facts know it: who counts names need not read them.
    #[inline]
    pub fn name(&mut self, of: NameOf) -> Result<Name<'_>> {
        self.fact()?;
        if let (Some(facts), Some(fact)) = (self.facts, &self.fact)
            && !fact.unsaid.meets(of.field())
        {
            let number = of.number(fact);
            return Ok(if number < self.names[of.table() as usize] {
                Name::Number(number)
            } else {
                Name::Text(facts.name(of.table(), number))
            });
        }
        let game = self.game(Want::TAGS)?;
        Ok(Name::Text(Cow::Borrowed(game.tags.value(of.tag()))))
    }

    fn text(&mut self, of: NameOf) -> Result<Cow<'_, str>> {
        let facts = self.facts;
        Ok(match self.name(of)? {
            Name::Text(text) => text,
            Name::Number(number) => {
                facts.map_or(Cow::Borrowed(""), |facts| facts.name(of.table(), number))
            }
        })
    }

    /// The name of the player of a side.
    pub fn player(&mut self, color: Color) -> Result<Cow<'_, str>> {
        self.text(NameOf::player(color))
    }

    /// The name of the event.
    pub fn event(&mut self) -> Result<Cow<'_, str>> {
        self.text(NameOf::Event)
    }

    /// The name of the site.
    pub fn site(&mut self) -> Result<Cow<'_, str>> {
        self.text(NameOf::Site)
    }

    /// The round.
    pub fn round(&mut self) -> Result<Cow<'_, str>> {
        self.text(NameOf::Round)
    }

    /// The game, read at least so far.
    pub fn game(&mut self, want: Want) -> Result<&Game> {
        if !self.read.is_some_and(|read| read.covers(want)) {
            let want = self.read.map_or(want, |read| read.union(want));
            let game = &mut self.buffers.game;
            match &mut self.reach {
                Reach::Numbered(database, number) => database.read(*number, want, game)?,
                Reach::Block(block, number) => {
                    let again = block.again(want, game)?;
                    if let (false, Some(database), Some(number)) = (again, self.database, *number) {
                        database.read(number, want, game)?;
                    } else if !again {
                        return Err(Error::usage(
                            "a collector asks for more of a game than it said, and the source cannot go back",
                        ));
                    }
                }
            }
            self.read = Some(want);
        }
        Ok(&self.buffers.game)
    }

    /// Where it starts.
    pub fn start(&mut self) -> Result<&From> {
        if self.start.is_none() {
            let start = match (&mut self.walker, &self.reach) {
                (Some(walker), Reach::Numbered(_, number)) => walker.open(*number)?,
                _ => match &self.game(of_steps(self.wanted))?.start {
                    Start::Standard => From::Standard,
                    Start::Setup(board, _) => From::Setup(board.clone()),
                },
            };
            self.start = Some(start);
        }
        Ok(self.start.get_or_insert(From::Standard))
    }

    /// Its moves, as the steps of any board: of the main line, and of variations where they are
    /// [needed](super::Needs::steps) (by whatever collector of the pass: who wants none passes over what stands between
    /// [`Delta::BEGIN`] and [`Delta::END`]).
    pub fn steps(&mut self) -> Result<&[Delta]> {
        while self.steps != Decoded::All {
            self.decode(usize::from(u8::MAX))?;
        }
        Ok(&self.buffers.steps)
    }

    /// The same from a step on, about `most` of them: none at the end of the game. Who has seen enough asks no more, and
    /// nothing more is decoded.
    #[inline]
    pub fn steps_from(&mut self, at: usize, most: usize) -> Result<&[Delta]> {
        while self.steps != Decoded::All
            && (self.steps == Decoded::Nothing || self.buffers.steps.len() <= at)
        {
            self.decode(most)?;
        }
        Ok(self.buffers.steps.get(at..).unwrap_or(&[]))
    }

    /// Decodes about so many steps more.
    fn decode(&mut self, most: usize) -> Result<()> {
        let variations = self.wanted == Steps::Variations;
        if self.steps == Decoded::Nothing {
            self.steps = Decoded::Some;
            self.buffers.steps.clear();
            if *self.start()? == From::Unreadable {
                self.steps = Decoded::All;
                return Ok(());
            }
        }
        match &mut self.walker {
            Some(walker) => {
                if !walker.steps(variations, most, &mut self.buffers.steps)? {
                    self.steps = Decoded::All;
                }
            }
            None => {
                self.steps = Decoded::All;
                self.game(of_steps(self.wanted))?;
                steps_of(self.buffers, variations);
            }
        }
        Ok(())
    }

    /// The game and its steps, where the game was read.
    pub fn read(&mut self) -> Result<Option<(&Game, &[Delta])>> {
        if self.read.is_none() {
            return Ok(None);
        }
        self.steps()?;
        Ok(Some((&self.buffers.game, &self.buffers.steps)))
    }

    /// Whether it could not be decoded, or not to its end, as far as it was looked at.
    pub fn is_damaged(&self) -> bool {
        match &self.walker {
            Some(walker) if self.steps != Decoded::Nothing => {
                self.start == Some(From::Unreadable) || walker.is_damaged()
            }
            _ => {
                self.read.is_some() && self.buffers.game.diagnostics.at_least(Severity::Damage) > 0
            }
        }
    }
}

/// What has to be read of a game for its steps.
pub(super) fn of_steps(steps: Steps) -> Want {
    Want {
        moves: true,
        variations: steps == Steps::Variations,
        ..Want::TAGS
    }
}

fn steps_of(buffers: &mut Buffers, variations: bool) {
    let Buffers {
        game,
        steps,
        replay,
    } = buffers;
    replay.reset(&game.start_board());
    let mut at = 0;
    while let Some(op) = game.tape.get(at) {
        match op {
            Op::Begin(_) if !variations => {
                at = game.tape.skip(at);
                continue;
            }
            Op::Move(m) => steps.push(Delta::of_move(replay.now(), m)),
            Op::Begin(_) => steps.push(Delta::BEGIN),
            Op::End => steps.push(Delta::END),
            _ => {}
        }
        replay.follow(op);
        at += 1;
    }
}
