//! The names and codes of openings by position, for games whose tags have none.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use tabiya_model::positions::{GameWalker, MoveDelta, WalkStart};
use tabiya_model::tags::Tags;
use tabiya_model::{Board, Game, Result};
use tabiya_openings::{self as openings, Opening, OpeningFollower};

use crate::terms::fields::eco_matches;
use crate::terms::text::TextTest;

/// The tags that name an opening.
pub(crate) const TAGS: [&str; 3] = ["Opening", "Variation", "SubVariation"];

/// Moves that are fetched at a time: most games are named within as many.
const RUN: usize = 24;

/// Whether a tag names the opening.
pub(crate) fn is_named(tags: &Tags) -> bool {
    TAGS.iter().any(|name| !tags.value(name).trim().is_empty())
}

/// Whether one of the tags that name the opening passes a test.
pub(crate) fn tags_match(tags: &Tags, test: &TextTest) -> bool {
    let values = TAGS.iter().map(|name| tags.value(name));
    values
        .filter(|value| !value.trim().is_empty())
        .any(|value| test.matches(value))
}

/// What is asked of an opening.
#[derive(Clone, Debug)]
enum OpeningCriterion {
    /// Its name passes a test.
    Name(TextTest),
    /// Its ECO code is between the two codes, or beginnings of codes, of one of these pairs.
    Code(Vec<(String, String)>),
}

/// A test of the opening by position.
#[derive(Clone, Debug)]
pub struct OpeningTest {
    criterion: OpeningCriterion,
    /// The names that pass, computed for the first game.
    names: Arc<OnceLock<HashSet<&'static str>>>,
}

impl OpeningTest {
    /// By a test of its name.
    #[must_use]
    pub fn of_name(test: TextTest) -> OpeningTest {
        OpeningTest::new(OpeningCriterion::Name(test))
    }

    /// By its ECO code, in pairs of the first and the last one, in capitals.
    #[must_use]
    pub fn of_code(codes: Vec<(String, String)>) -> OpeningTest {
        OpeningTest::new(OpeningCriterion::Code(codes))
    }

    fn new(criterion: OpeningCriterion) -> OpeningTest {
        OpeningTest {
            criterion,
            names: Arc::default(),
        }
    }

    /// Whether an opening passes; games without one have an empty name and no code.
    #[must_use]
    pub fn matches(&self, opening: Option<Opening>) -> bool {
        let test = match (&self.criterion, opening) {
            (OpeningCriterion::Name(test), None) => return test.matches(""),
            (OpeningCriterion::Name(test), Some(_)) => test,
            (OpeningCriterion::Code(codes), opening) => {
                return opening.is_some_and(|opening| {
                    let mut codes = codes.iter();
                    codes.any(|(low, high)| eco_matches(opening.eco, low, high))
                });
            }
        };
        let names = self.names.get_or_init(|| {
            let names = openings::all().map(|opening| opening.name);
            names.filter(|name| test.matches(name)).collect()
        });
        opening.is_some_and(|opening| names.contains(opening.name))
    }
}

/// The opening of a game: that of the last position of its main line that has a name.
pub(crate) fn of_game(game: &Game) -> Option<Opening> {
    let mut board = game.start_board();
    let mut follower = OpeningFollower::new(&board);
    for m in game.tape.main_line() {
        if !follower.goes_on() {
            break;
        }
        follower.play(MoveDelta::of_move(&board, m));
        board.play(m);
    }
    follower.opening()
}

/// Finds the openings of games of a database by their deltas.
pub(crate) struct OpeningNamer<'d> {
    walker: Box<dyn GameWalker + 'd>,
    steps: Vec<MoveDelta>,
    standard: OpeningFollower,
}

impl<'d> OpeningNamer<'d> {
    pub(crate) fn new(walker: Box<dyn GameWalker + 'd>) -> OpeningNamer<'d> {
        OpeningNamer {
            walker,
            steps: Vec::new(),
            standard: OpeningFollower::new(&Board::standard()),
        }
    }

    /// The opening of a game; nothing where only ordinary reading can tell.
    pub(crate) fn name(&mut self, number: u64) -> Result<Option<Option<Opening>>> {
        let mut follower = match self.walker.open(number)? {
            WalkStart::Standard => self.standard,
            WalkStart::Setup(board) => OpeningFollower::new(&board),
            WalkStart::Unreadable => return Ok(None),
        };
        let mut more = true;
        while more && follower.goes_on() {
            self.steps.clear();
            more = self.walker.steps(false, RUN, &mut self.steps)?;
            for delta in &self.steps {
                if !follower.goes_on() {
                    break;
                }
                follower.play(*delta);
            }
        }
        // What stops in damage is read, so that the damage is told.
        let is_damaged = !more && self.walker.is_damaged();
        Ok((!is_damaged).then(|| follower.opening()))
    }
}
