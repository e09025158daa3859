//! The marks of a move in a file: that it is bad, chosen, left out, how often it is played, and its evaluation.

use tabiya_model::command::{CommentCommand, Evaluation, commands};
use tabiya_model::judgement::evaluation;
use tabiya_model::nag::Nag;

/// The command in comments that holds the marks `skip` and `only`.
const COMMAND: &str = "rep";
/// What comes before a share in per cent.
const SHARE: &str = "prc:";
/// What a mate counts, in hundredths of a pawn, less its moves.
const MATE: i64 = 100_000;

/// The marks of a move, in all lines that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RepertoireMarks {
    /// `?`, `??` or `?!`.
    pub bad: bool,
    /// `!` or `!!`.
    pub good: bool,
    /// `[%rep only]`.
    pub only: bool,
    /// `[%rep skip]`.
    pub skip: bool,
    /// `prc:NN`: how often the move is played, in per cent.
    pub share: Option<u8>,
    /// The evaluation of the position after the move, seen from White, in hundredths of a pawn.
    pub evaluation: Option<i64>,
}

/// The annotations of a move, each once, in the order of the lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RepertoireNotes {
    /// The NAGs.
    pub nags: Vec<Nag>,
    /// The comments, those before the move first.
    pub comments: Vec<String>,
}

impl RepertoireNotes {
    pub(crate) fn add_nag(&mut self, nag: Nag) {
        if !self.nags.contains(&nag) {
            self.nags.push(nag);
        }
    }

    pub(crate) fn add_comment(&mut self, comment: &str) {
        let is_known = self.comments.iter().any(|known| known == comment);
        if !comment.trim().is_empty() && !is_known {
            self.comments.push(comment.to_owned());
        }
    }
}

impl RepertoireMarks {
    /// Reads a NAG behind the move.
    pub(crate) fn read_nag(&mut self, nag: Nag) {
        match nag.0 {
            1 | 3 => self.good = true,
            2 | 4 | 6 => self.bad = true,
            _ => {}
        }
    }

    /// Reads a comment behind the move. Of several shares and evaluations the first counts.
    pub(crate) fn read_comment(&mut self, comment: &str) {
        if self.share.is_none() {
            self.share = share(comment);
        }
        if !comment.contains("[%") {
            return;
        }
        if self.evaluation.is_none() {
            self.evaluation = evaluation(comment).map(|score| match score {
                Evaluation::Centipawns(value) => i64::from(value),
                Evaluation::Mate(moves) => {
                    let moves = i64::from(moves);
                    moves.signum() * (MATE - moves.abs().min(MATE))
                }
            });
        }
        for command in commands(comment) {
            if let CommentCommand::Other { name, args } = command
                && name == COMMAND
            {
                for word in args.split([' ', ',']) {
                    match word {
                        "only" => self.only = true,
                        "skip" => self.skip = true,
                        _ => {}
                    }
                }
            }
        }
    }

    /// Adds what another line says of the same move.
    pub(crate) fn merge(&mut self, other: RepertoireMarks) {
        self.bad |= other.bad;
        self.good |= other.good;
        self.only |= other.only;
        self.skip |= other.skip;
        self.share = self.share.or(other.share);
        self.evaluation = self.evaluation.or(other.evaluation);
    }

    /// Whether the move is chosen among several.
    #[must_use]
    pub fn is_chosen(&self) -> bool {
        self.good || self.only
    }
}

/// The share of a move that a comment gives, in per cent.
fn share(comment: &str) -> Option<u8> {
    let mut rest = comment;
    let mut before = None;
    while let Some(at) = rest.find(SHARE) {
        let (head, tail) = rest.split_at(at);
        let last = head.chars().next_back().or(before);
        let tail = tail.get(SHARE.len()..).unwrap_or_default();
        let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = tail.get(..digits).and_then(|digits| digits.parse().ok());
        if !last.is_some_and(char::is_alphanumeric)
            && let Some(number) = number.filter(|number| *number <= 100)
        {
            return Some(number);
        }
        before = Some(':');
        rest = tail;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_say_what_a_move_is() {
        let read = |text: &str| {
            let mut marks = RepertoireMarks::default();
            marks.read_comment(text);
            marks
        };
        assert_eq!(read("the main line, prc:40 of all").share, Some(40));
        assert_eq!(read("prc:7").share, Some(7));
        for none in [
            "",
            "prc:",
            "prc:x",
            "prc:101",
            "prc:99999",
            "carprc:5",
            "PRC:5",
        ] {
            assert_eq!(read(none).share, None, "{none}");
        }
        assert_eq!(read("carprc:5 prc:6").share, Some(6));
        let marks = read("[%rep skip] known [%eval -0.31]");
        assert!(marks.skip && !marks.only);
        assert_eq!(marks.evaluation, Some(-31));
        assert!(read("[%rep only,skip]").only);
        let plain = read("skip this, only a draw");
        assert!(!plain.skip && !plain.only, "words alone are no marks");
        assert_eq!(read("[%eval #-3]").evaluation, Some(-99_997));
    }
}
