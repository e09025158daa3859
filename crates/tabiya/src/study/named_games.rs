//! Games that a number stands for: every number of a report leads to its games.

use tabiya_answers::GameNumbersAnswer;

/// A game of one of the bases.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NamedGame {
    /// The index of its base among those that were read.
    pub base: usize,
    /// The number of the game.
    pub number: u64,
}

/// Games in their order, each once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedGames {
    games: Vec<NamedGame>,
    /// So many are kept.
    most: usize,
    is_whole: bool,
}

impl NamedGames {
    /// None yet, and `most` of them at most.
    pub(crate) fn new(most: usize) -> NamedGames {
        NamedGames {
            games: Vec::new(),
            most,
            is_whole: true,
        }
    }

    /// The games.
    pub fn games(&self) -> &[NamedGame] {
        &self.games
    }

    /// The games, to give them other numbers.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut NamedGame> {
        self.games.iter_mut()
    }

    /// Whether these are all of them.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Adds a game that is not before the last one.
    pub(crate) fn push(&mut self, game: NamedGame) {
        if self.games.last() == Some(&game) {
            return;
        }
        match self.games.len() < self.most {
            true => self.games.push(game),
            false => self.is_whole = false,
        }
    }

    /// Adds the games of a later run.
    pub(crate) fn append(&mut self, later: &NamedGames, first: u64) {
        for game in &later.games {
            self.push(NamedGame {
                number: game.number.saturating_add(first),
                ..*game
            });
        }
        self.is_whole &= later.is_whole;
    }

    /// Adds games of the same run.
    pub(crate) fn merge(&mut self, other: &NamedGames) {
        self.games.extend(&other.games);
        self.games.sort_unstable();
        self.games.dedup();
        self.is_whole &= other.is_whole && self.games.len() <= self.most;
        self.games.truncate(self.most);
    }

    /// The games by their bases, for programs.
    pub(crate) fn answer(&self, bases: &[String]) -> Vec<GameNumbersAnswer> {
        let of_bases = self.games.chunk_by(|a, b| a.base == b.base);
        of_bases
            .map(|games| GameNumbersAnswer {
                base: (games.first().and_then(|game| bases.get(game.base)))
                    .cloned()
                    .unwrap_or_default(),
                numbers: numbers_text(games),
                whole: self.is_whole,
            })
            .collect()
    }
}

/// Numbers as the term `number:` of queries takes them.
fn numbers_text(games: &[NamedGame]) -> String {
    let runs = games.chunk_by(|a, b| a.number.saturating_add(1) == b.number);
    let runs = runs.filter_map(|run| {
        let (first, last) = (run.first()?.number, run.last()?.number);
        Some(match first == last {
            true => first.to_string(),
            false => format!("{first}..{last}"),
        })
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(numbers: &[u64], most: usize) -> NamedGames {
        let mut games = NamedGames::new(most);
        for &number in numbers {
            games.push(NamedGame { base: 0, number });
        }
        games
    }

    fn text(games: &NamedGames) -> String {
        let answer = games.answer(&["a.pgn".to_owned()]);
        answer
            .first()
            .map(|one| one.numbers.clone())
            .unwrap_or_default()
    }

    #[test]
    fn numbers_are_written_as_queries_take_them() {
        assert_eq!(text(&named(&[], 9)), "");
        assert_eq!(text(&named(&[7], 9)), "7");
        assert_eq!(text(&named(&[1, 1, 2, 3, 5, 7, 8], 9)), "1..3,5,7..8");
    }

    #[test]
    fn games_beyond_the_most_are_told() {
        let mut games = named(&[1, 2, 3], 4);
        assert!(games.is_whole());
        games.append(&named(&[1, 2], 4), 10);
        assert_eq!(text(&games), "1..3,11");
        assert!(!games.is_whole());
        let mut games = named(&[2, 4], 4);
        games.merge(&named(&[1, 2], 4));
        assert_eq!(text(&games), "1..2,4");
        assert!(games.is_whole());
        games.merge(&named(&[9, 10], 4));
        assert_eq!(text(&games), "1..2,4,9");
        assert!(!games.is_whole());
    }

    #[test]
    fn bases_are_told_apart() {
        let mut games = named(&[4], 9);
        games.push(NamedGame { base: 1, number: 5 });
        let answer = games.answer(&["a.pgn".to_owned(), "b.pgn".to_owned()]);
        let answer: Vec<_> = answer
            .iter()
            .map(|one| (one.base.as_str(), one.numbers.as_str()))
            .collect();
        assert_eq!(answer, [("a.pgn", "4"), ("b.pgn", "5")]);
    }
}
