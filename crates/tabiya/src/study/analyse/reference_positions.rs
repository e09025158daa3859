//! Positions of the opening that are known well enough not to be analysed.

use std::collections::{HashMap, HashSet};

use tabiya_explore::explorer::ExploreTarget;
use tabiya_model::{Board, Control, Game, Result};
use tabiya_openings::position_key::PositionKey;

use crate::open::base::Base;
use crate::select::base_view::{IndexUse, index_of};
use crate::select::selection::Selection;
use crate::study::explorer::{ExploreFilter, Explorer};

/// How far into a game the opening reaches at most, in plies.
const LONGEST: usize = 40;

/// The positions that enough games of a reference reach. Which of them count is asked once, for those that stand in the
/// openings of the games that are analysed: how large the reference is costs no memory.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferencePositions {
    known: HashSet<PositionKey>,
}

impl ReferencePositions {
    /// Asks a reference about the openings of games: through its index of positions where it has one, else by one walk
    /// over its games. Either way the answer is the same.
    pub(super) fn of(
        games: impl Iterator<Item = Result<Game>>,
        reference: &[Base],
        least: u32,
        control: &Control,
    ) -> Result<ReferencePositions> {
        let mut lines: HashSet<Vec<PositionKey>> = HashSet::new();
        let mut targets: HashMap<PositionKey, ExploreTarget> = HashMap::new();
        for game in games.take_while(|_| !control.is_stopped()) {
            let game = game?;
            let mut board = game.start_board();
            let mut line = Vec::new();
            for m in game.tape.main_line().take(LONGEST) {
                board.play(m);
                let target = ExploreTarget::of_board(&board);
                targets.insert(target.key, target);
                line.push(target.key);
            }
            lines.insert(line);
        }
        let mut asking = ReferenceLookup {
            explorer: Explorer::new(Selection::of(reference), &ExploreFilter::default(), control)?,
            least: u64::from(least.max(1)),
            asked: HashSet::new(),
            book: ReferencePositions::default(),
        };
        if reference
            .iter()
            .all(|base| index_of(base, true, IndexUse::Positions).is_some())
        {
            // Positions of few games are dear to ask about, and behind the first of them nothing is asked any more.
            for ply in 0..LONGEST {
                let left = |line: &Vec<PositionKey>| {
                    let known = &asking.book.known;
                    let (before, rest) = line.split_at_checked(ply)?;
                    let stays = before.last().is_none_or(|key| known.contains(key));
                    rest.first().copied().filter(|_| stays)
                };
                let keys: Vec<PositionKey> = lines.iter().filter_map(left).collect();
                asking.ask(keys, &targets, control)?;
            }
        } else {
            asking.ask(targets.keys().copied().collect(), &targets, control)?;
        }
        Ok(asking.book)
    }

    /// How many positions from the start of a game it knows without a gap.
    pub(super) fn known_plies(&self, boards: &[Board]) -> usize {
        let known = |board: &&Board| self.known.contains(&PositionKey::of_board(board));
        let opening = boards.iter().skip(1).take(LONGEST);
        opening.take_while(known).count()
    }
}

struct ReferenceLookup {
    explorer: Explorer,
    least: u64,
    asked: HashSet<PositionKey>,
    book: ReferencePositions,
}

impl ReferenceLookup {
    fn ask(
        &mut self,
        keys: Vec<PositionKey>,
        targets: &HashMap<PositionKey, ExploreTarget>,
        control: &Control,
    ) -> Result<()> {
        let new = keys.into_iter().filter(|key| self.asked.insert(*key));
        let targets: Vec<ExploreTarget> =
            new.filter_map(|key| targets.get(&key).copied()).collect();
        if targets.is_empty() || control.is_stopped() {
            return Ok(());
        }
        let explored = self.explorer.explore(&targets, control)?;
        for (target, tally) in targets.iter().zip(&explored.tallies) {
            if tally.total().games >= self.least {
                self.book.known.insert(target.key);
            }
        }
        Ok(())
    }
}
