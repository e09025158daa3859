//! Whichever positions are treated as common, the same bytes are written.

use std::io;
use std::ops::Range;

use tabiya_model::board::{Board, MoveList};
use tabiya_model::error_codes;
use tabiya_model::{
    Block, Control, Database, DatabaseInfo, Error, Game, GameNeeds, Result, Source,
};

use super::builder::{CountingWriter, LayerResources, layer_with};
use super::frequent::FrequentPositions;
use super::spool::SpillFile;
use tabiya_openings::position_key::PositionKey;
use tabiya_testing::TestRandom;

/// Games in memory.
struct MemoryGames(Vec<Game>);

struct GamesSource<'g>(Option<GamesBlock<'g>>);

struct GamesBlock<'g> {
    games: &'g [Game],
    first: u64,
}

impl Block for GamesBlock<'_> {
    fn next(&mut self, _: GameNeeds, game: &mut Game) -> Result<bool> {
        let Some((next, rest)) = self.games.split_first() else {
            return Ok(false);
        };
        game.clone_from(next);
        self.games = rest;
        Ok(true)
    }

    fn first(&self) -> Option<u64> {
        Some(self.first)
    }
}

impl<'g> Source<'g> for GamesSource<'g> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'g>>> {
        Ok(self.0.take().map(|block| Box::new(block) as Box<dyn Block>))
    }
}

impl Database for MemoryGames {
    fn info(&self) -> DatabaseInfo {
        DatabaseInfo::default()
    }

    fn len(&self) -> Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read(&self, number: u64, _: GameNeeds, game: &mut Game) -> Result<()> {
        let found = self.0.get(number as usize - 1);
        game.clone_from(
            found.ok_or_else(|| Error::new(&error_codes::NO_SUCH_GAME, "no such game"))?,
        );
        Ok(())
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        let games = games.unwrap_or(1..u64::MAX);
        let end = games.end.min(self.0.len() as u64 + 1);
        Ok(Box::new(GamesSource(Some(GamesBlock {
            games: &self.0[games.start as usize - 1..end as usize - 1],
            first: games.start,
        }))))
    }
}

/// A place in memory.
#[derive(Default)]
struct MemorySpillFile(std::sync::Mutex<Vec<u8>>);

impl SpillFile for MemorySpillFile {
    fn append(&self, block: &[u8]) -> io::Result<u64> {
        let mut bytes = self.0.lock().expect("sound");
        bytes.extend_from_slice(block);
        Ok((bytes.len() - block.len()) as u64)
    }

    fn read(&self, at: u64, block: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.lock().expect("sound");
        block.copy_from_slice(&bytes[at as usize..at as usize + block.len()]);
        Ok(())
    }
}

/// Games that share their first moves, some with a variation and some that repeat moves.
fn games(count: usize) -> MemoryGames {
    let mut random = TestRandom::new(7);
    let mut below = move |limit: usize| random.below(limit.max(1));
    let mut list = MoveList::new();
    let games = (1..=count).map(|number| {
        let mut game = Game::default();
        game.origin.number = number as u64;
        let mut board = Board::standard();
        for ply in 0..24 + below(12) {
            board.legal_moves(&mut list);
            // One of two moves in each of the first plies, then any.
            let among = if ply < 8 { 2 } else { list.len() };
            let Some(m) = list.get(below(among)).copied() else {
                break;
            };
            game.tape.push_move(m);
            if ply % 5 == 1 && list.len() > 2 {
                game.tape.begin_variation();
                game.tape.push_move(list[2]);
                game.tape.end_variation();
            }
            board.play(m);
        }
        game
    });
    MemoryGames(games.collect())
}

fn written(
    games: &MemoryGames,
    common: &FrequentPositions,
    threads: usize,
    memory: u64,
) -> Vec<u8> {
    let control = Control::default().with_threads(threads).with_memory(memory);
    let spill = MemorySpillFile::default();
    let work = LayerResources {
        spill: &spill,
        control: &control,
    };
    let mut bytes = Vec::new();
    let mut out = CountingWriter::new(&mut bytes);
    let head = layer_with(
        common,
        games,
        1..games.0.len() as u64 + 1,
        0,
        work,
        &mut out,
    );
    assert!(head.expect("written").is_some());
    bytes
}

#[test]
fn what_is_taken_for_common_changes_no_byte() {
    let games = games(1_500);
    let all = written(&games, &FrequentPositions::all(), 1, u64::MAX);
    // The first positions of games, of which all, some or none are in the table.
    let mut keys = Vec::new();
    for game in &games.0 {
        let mut board = Board::standard();
        keys.push(PositionKey::of_board(&board).0);
        for m in game.tape.main_line().take(9) {
            board.play(m);
            keys.push(PositionKey::of_board(&board).0);
        }
    }
    keys.sort_unstable();
    keys.dedup();
    let some: Vec<u64> = keys.iter().copied().step_by(3).collect();
    for known in [&keys[..], &some, &[]] {
        for (threads, memory) in [(1, 0), (2, u64::MAX)] {
            let bytes = written(&games, &FrequentPositions::of(known), threads, memory);
            assert!(bytes == all, "{} keys, {threads} threads", known.len());
        }
    }
}
