//! A repertoire as games with variations.

use std::collections::{HashMap, HashSet};

use tabiya_model::Game;
use tabiya_model::board::Move;
use tabiya_model::nag::Nag;
use tabiya_repertoire::{Repertoire, RepertoireMove, RepertoirePosition};

use crate::write::edit::repertoire_header;

/// A text for a move: the number of a position, a move in it, and the text. A move that the repertoire does not have is added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RepertoireComment {
    /// The number of the position.
    pub position: u32,
    /// The move; nothing for a text about the position itself.
    pub step: Option<Move>,
    /// The text.
    pub text: String,
}

/// What is still to be written.
enum TreeTask {
    /// The moves of a position.
    Position(u32),
    /// A variation: a move of a position.
    Begin(u32, usize),
    /// The end of a variation.
    End,
}

/// Writes a repertoire as games: one for each starting position, with each position once. If a line transposes to a
/// position that is elsewhere, a comment says so.
#[must_use]
pub fn repertoire_game(repertoire: &Repertoire, comments: &[RepertoireComment]) -> Vec<Game> {
    let mut writer = TreeWriter::new(repertoire);
    for comment in comments {
        let place = (comment.position, comment.step);
        writer
            .comments
            .entry(place)
            .or_default()
            .push(&comment.text);
        let position = repertoire.position(comment.position);
        if let (Some(step), Some(position)) = (comment.step, position)
            && !writer
                .moves_of(comment.position, position)
                .any(|m| m.step == step)
        {
            writer.more.entry(comment.position).or_default().push(step);
        }
    }
    writer.games()
}

/// The same with some of the moves: the numbers of their positions, and their places there.
pub(super) fn repertoire_part(repertoire: &Repertoire, moves: &HashSet<(u32, usize)>) -> Vec<Game> {
    let mut writer = TreeWriter {
        part: Some(moves),
        ..TreeWriter::new(repertoire)
    };
    writer.games()
}

struct TreeWriter<'r> {
    repertoire: &'r Repertoire,
    /// The moves that are written, if not all are.
    part: Option<&'r HashSet<(u32, usize)>>,
    comments: HashMap<(u32, Option<Move>), Vec<&'r str>>,
    /// Moves that the repertoire does not have.
    more: HashMap<u32, Vec<Move>>,
    written: Vec<bool>,
    game: Game,
}

impl<'r> TreeWriter<'r> {
    fn new(repertoire: &'r Repertoire) -> TreeWriter<'r> {
        TreeWriter {
            repertoire,
            part: None,
            comments: HashMap::new(),
            more: HashMap::new(),
            written: vec![false; repertoire.positions().len()],
            game: Game::default(),
        }
    }

    /// A game for each start that has something to write and is not part of the game of another one.
    fn games(&mut self) -> Vec<Game> {
        let mut games = Vec::new();
        for start in self.repertoire.starts() {
            let place = usize::try_from(*start).unwrap_or(usize::MAX);
            let has_moves = self.repertoire.position(*start).is_some_and(|position| {
                let mut moves = 0..position.moves.len();
                self.part.is_none() || moves.any(|at| self.is_written(*start, at))
            });
            if self.written.get(place) == Some(&false) && has_moves {
                games.push(self.write(*start));
            }
        }
        games
    }

    /// Whether a move is to be written.
    fn is_written(&self, number: u32, at: usize) -> bool {
        self.part.is_none_or(|part| part.contains(&(number, at)))
    }

    /// All moves of a position, those that are marked bad after the others.
    fn moves_of(
        &self,
        number: u32,
        position: &'r RepertoirePosition,
    ) -> impl Iterator<Item = RepertoireMove> + use<'r> {
        let more = self.more.get(&number).cloned().unwrap_or_default();
        let known = position.moves.iter().chain(&position.bad_moves).cloned();
        known.chain(more.into_iter().map(|step| RepertoireMove {
            step,
            to: None,
            marks: Default::default(),
            notes: Default::default(),
        }))
    }

    fn write(&mut self, start: u32) -> Game {
        let color = self.repertoire.color();
        if let Some(position) = self.repertoire.position(start) {
            self.game = repertoire_header(color, &position.board);
            for comment in &position.comments {
                self.game.tape.push_comment(comment);
            }
        }
        self.comment(start, None);
        let mut tasks = vec![TreeTask::Position(start)];
        while let Some(task) = tasks.pop() {
            match task {
                TreeTask::Position(number) => self.position(number, &mut tasks),
                TreeTask::Begin(number, at) => {
                    self.game.tape.begin_variation();
                    self.play(number, at);
                }
                TreeTask::End => {
                    self.game.tape.end_variation();
                }
            }
        }
        std::mem::take(&mut self.game)
    }

    fn position(&mut self, number: u32, tasks: &mut Vec<TreeTask>) {
        let repertoire = self.repertoire;
        let Some(position) = repertoire.position(number) else {
            return;
        };
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        let moves = self.moves_of(number, position).enumerate();
        let moves: Vec<(usize, Option<u32>)> = moves
            .filter(|(at, _)| self.is_written(number, *at))
            .map(|(at, m)| (at, m.to))
            .collect();
        let written = self.written.get_mut(place);
        if written.is_none_or(|written| std::mem::replace(written, true)) {
            if !moves.is_empty() {
                let line = repertoire.line_in_words(number);
                let line = match line.is_empty() {
                    true => "the start".to_owned(),
                    false => line,
                };
                self.game
                    .tape
                    .push_comment(&format!("Transposes to {line}"));
            }
            return;
        }
        let Some(((first, to), others)) = moves.split_first() else {
            return;
        };
        self.play(number, *first);
        tasks.extend(to.map(TreeTask::Position));
        for (at, to) in others.iter().rev() {
            tasks.push(TreeTask::End);
            tasks.extend(to.map(TreeTask::Position));
            tasks.push(TreeTask::Begin(number, *at));
        }
    }

    /// Writes a move with what stands beside it.
    fn play(&mut self, number: u32, at: usize) {
        let repertoire = self.repertoire;
        let Some(position) = repertoire.position(number) else {
            return;
        };
        let Some(m) = self.moves_of(number, position).nth(at) else {
            return;
        };
        let tape = &mut self.game.tape;
        tape.push_move(m.step);
        for nag in &m.notes.nags {
            tape.push_nag(Nag(nag.0));
        }
        for comment in &m.notes.comments {
            tape.push_comment(comment);
        }
        self.comment(number, Some(m.step));
        if let Some(to) = m.to {
            self.comment(to, None);
        }
    }

    fn comment(&mut self, number: u32, step: Option<Move>) {
        for text in self.comments.remove(&(number, step)).unwrap_or_default() {
            self.game.tape.push_comment(text);
        }
    }
}
