//! A line that is added to a repertoire: after the part of it that the games of the base have.

use std::ops::ControlFlow;

use shakmaty::Color;
use tabiya_model::board::{Board, Move, PositionProblems};
use tabiya_model::command::{self, CommentPart};
use tabiya_model::editor::{CommentSide, EditError, GameEditor, PlayMode};
use tabiya_model::game::StartingPosition;
use tabiya_model::nag::Nag;
use tabiya_model::{Control, Error, Game, GameNeeds, Replay, Result, TapeOp};
use tabiya_openings::position_key::PositionKey;

use super::EditOperation;
use crate::error_codes;
use crate::open::base::Base;
use crate::select::numbers::{self, GameNumbers};

/// The tag that says for which side a game of a repertoire is.
const TAG: &str = "Repertoire";

/// The command in comments that holds the marks `only` and `skip`.
const COMMAND: &str = "rep";

/// The signs of which a move has one: `!` to `?!`.
const SIGNS: std::ops::RangeInclusive<u32> = 1..=6;

/// A line for a repertoire.
#[derive(Clone, Debug)]
pub struct RepertoireLineRequest {
    /// Whose repertoire it is: games for the other side are left unchanged.
    pub color: Color,
    /// The position before the first move.
    pub start: Board,
    /// The moves.
    pub moves: Vec<Move>,
    /// A NAG for the last move, instead of the one that it has; `$0`, which has no meaning, removes that one.
    pub nag: Option<Nag>,
    /// Whether the last move is trained alone: `[%rep only]`.
    pub only: Option<bool>,
    /// Whether the last move is left out, with what only it leads to: `[%rep skip]`.
    pub skip: Option<bool>,
}

/// The change that adds a line to a base.
#[derive(Clone, Debug)]
pub struct RepertoireLineChange {
    /// The change; nothing if the base has all of the line.
    pub change: Option<EditOperation>,
    /// The number of the game that gets the line; nothing for a new one.
    pub game: Option<u64>,
    /// How many moves of the line are new.
    pub added: usize,
}

/// A game of a repertoire without moves.
#[must_use]
pub fn repertoire_header(color: Color, start: &Board) -> Game {
    let mut game = Game::default();
    let color = match color {
        Color::White => "white",
        Color::Black => "black",
    };
    let event = format!("Repertoire for {color}");
    for (name, value) in [
        ("Event", &*event),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("White", "?"),
        ("Black", "?"),
        ("Result", "*"),
        (TAG, color),
    ] {
        game.tags.push(name, value);
    }
    if *start != Board::standard() {
        game.tags.push("SetUp", "1");
        game.tags.push("FEN", &start.to_fen());
        if start.is_chess960() {
            game.tags.push("Variant", "Chess960");
        }
        game.start = StartingPosition::Setup(Box::new(start.clone()), PositionProblems::NONE);
    }
    game
}

/// Finds where a base leaves a line, and makes a change that adds the rest there: as a variation, or at the end of a line.
/// Positions count: the beginning may be in several games and in other move orders.
///
/// # Errors
///
/// If games cannot be read, and if a move is illegal.
pub fn repertoire_line(
    base: &Base,
    line: &RepertoireLineRequest,
    control: &Control,
) -> Result<RepertoireLineChange> {
    let mut places = LinePlaces::new(line)?;
    let ended = numbers::games(base, &GameNumbers::ALL, GameNeeds::ALL, control, |game| {
        if is_for(game, line.color) {
            places.look(game);
        }
        Ok(match places.is_complete() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    })?;
    if !ended.is_whole() {
        return Err(Error::new(
            &error_codes::INTERRUPTED,
            "the repertoire was not read completely",
        ));
    }
    let missing = places.steps.iter().position(Option::is_none);
    let known = missing.unwrap_or(line.moves.len());
    let place = match known.checked_sub(1) {
        Some(last) => places.steps.get(last).copied().flatten(),
        None => places.start,
    };
    let rest = line.moves.get(known..).unwrap_or_default();
    let (number, place) = place.unwrap_or((0, 0));
    let old = match number {
        0 => repertoire_header(line.color, &line.start),
        number => base.read(number, GameNeeds::ALL)?,
    };
    let refuse = |error: EditError| Error::new(error.code(), error.to_string());
    let mut editor = GameEditor::new(old.clone()).map_err(refuse)?;
    editor
        .together("repertoire", |editor| {
            editor.go_to(place)?;
            for m in rest {
                editor.play_move(*m, PlayMode::Variation)?;
            }
            let has_move = number != 0 || !rest.is_empty();
            if !has_move || line.moves.is_empty() {
                return Ok(());
            }
            if let Some(nag) = line.nag {
                sign(editor, nag)?;
            }
            for (word, is_set) in [("only", line.only), ("skip", line.skip)] {
                if let Some(is_set) = is_set {
                    mark(editor, word, is_set)?;
                }
            }
            Ok(())
        })
        .map_err(refuse)?;
    let is_changed = number == 0 || !editor.done().is_empty();
    let game = Box::new(editor.into_game());
    Ok(RepertoireLineChange {
        change: is_changed.then(|| match number {
            0 => EditOperation::Add(vec![*game]),
            number => EditOperation::Replace {
                number,
                game,
                was: Some(Box::new(old)),
            },
        }),
        game: (number != 0).then_some(number),
        added: rest.len(),
    })
}

/// Gives a move a sign instead of the one that it has.
fn sign(editor: &mut GameEditor, nag: Nag) -> std::result::Result<(), EditError> {
    let had = editor.nags();
    let others = had.iter().filter(|had| !SIGNS.contains(&had.0));
    let new = Some(nag).filter(|nag| nag.0 != 0);
    let nags: Vec<Nag> = new.into_iter().chain(others.copied()).collect();
    match nags == had {
        true => Ok(()),
        false => editor.set_nags(&nags),
    }
}

/// Sets a word of the command `rep` in the comments behind a move, or takes it away; everything else in them stays.
fn mark(editor: &mut GameEditor, word: &str, is_set: bool) -> std::result::Result<(), EditError> {
    let comments: Vec<(usize, String)> = editor
        .comments(CommentSide::After)?
        .into_iter()
        .map(|(index, comment)| (index, comment.to_owned()))
        .collect();
    let has = |comment: &str| words_of(comment).any(|known| known == word);
    if comments.iter().any(|(_, comment)| has(comment)) == is_set {
        return Ok(());
    }
    if is_set {
        return match comments
            .iter()
            .find(|(_, it)| words_of(it).next().is_some())
        {
            Some((index, comment)) => {
                let words: Vec<&str> = words_of(comment).chain([word]).collect();
                editor.set_comment_at(*index, &with_words(comment, &words))
            }
            None => editor.add_comment(CommentSide::After, &with_words("", &[word])),
        };
    }
    // The last one first: a comment that goes moves those behind it.
    for (index, comment) in comments.iter().rev().filter(|(_, it)| has(it)) {
        let words: Vec<&str> = words_of(comment).filter(|known| *known != word).collect();
        let left = with_words(comment, &words);
        let left = if left.trim().is_empty() { "" } else { &left };
        editor.set_comment_at(*index, left)?;
    }
    Ok(())
}

/// The words of the commands `rep` of a comment.
fn words_of(comment: &str) -> impl Iterator<Item = &str> {
    command::pieces(comment)
        .filter_map(|piece| match piece {
            CommentPart::Command { name, args, .. } if name == COMMAND => Some(args),
            _ => None,
        })
        .flat_map(|args| args.split([' ', ',']))
        .filter(|word| !word.is_empty())
}

/// A comment with one command `rep` of some words, in the place of its first one or at its beginning; without words it has none.
fn with_words(comment: &str, words: &[&str]) -> String {
    let command = match words {
        [] => String::new(),
        words => format!("[%{COMMAND} {}]", words.join(",")),
    };
    let is_ours = |piece: &CommentPart<'_>| matches!(piece, CommentPart::Command { name, .. } if *name == COMMAND);
    let mut text = String::with_capacity(comment.len() + command.len());
    let mut is_put = command.is_empty();
    if !command::pieces(comment).any(|piece| is_ours(&piece)) {
        text.push_str(&command);
        is_put = true;
    }
    let mut was_cut = false;
    for piece in command::pieces(comment) {
        if !is_ours(&piece) {
            // One space of the two around what goes is left.
            let rest = piece.text();
            let ends = text.is_empty() || text.ends_with(' ');
            text.push_str(if was_cut && ends {
                rest.trim_start()
            } else {
                rest
            });
            was_cut = false;
        } else if !is_put {
            text.push_str(&command);
            is_put = true;
        } else {
            was_cut = true;
        }
    }
    text
}

/// Whether a game belongs to the repertoire of a side.
fn is_for(game: &Game, color: Color) -> bool {
    let other = color.fold_wb("black", "white");
    !game.tags.value(TAG).trim().eq_ignore_ascii_case(other)
}

/// Where games have the moves of a line: the number of the game, and the place behind the move.
struct LinePlaces {
    /// The positions of the line.
    keys: Vec<PositionKey>,
    start: Option<(u64, usize)>,
    steps: Vec<Option<(u64, usize)>>,
}

impl LinePlaces {
    fn new(line: &RepertoireLineRequest) -> Result<LinePlaces> {
        let mut board = line.start.clone();
        let mut keys = vec![PositionKey::of_board(&board)];
        for m in &line.moves {
            if m.is_null() || !board.is_legal(*m) {
                return Err(Error::new(
                    &error_codes::BAD_LINE,
                    "a move of the line is illegal",
                ));
            }
            board.play(*m);
            keys.push(PositionKey::of_board(&board));
        }
        Ok(LinePlaces {
            keys,
            start: None,
            steps: vec![None; line.moves.len()],
        })
    }

    fn is_complete(&self) -> bool {
        self.start.is_some() && self.steps.iter().all(Option::is_some)
    }

    /// Looks for the moves in a game and its variations. What follows a null move is no part of a repertoire.
    fn look(&mut self, game: &Game) {
        let number = game.origin.number;
        let start = game.start_board();
        let mut replay = Replay::new(&start);
        let first = PositionKey::of_board(&start);
        self.see(first, (number, 0));
        // The position of the line now, and the one before its last move.
        let mut line = (Some(first), None);
        let mut outer = Vec::new();
        for (at, op) in game.tape.ops().enumerate() {
            match op {
                TapeOp::Move(m) => {
                    replay.play(m);
                    let before = line.0;
                    let now = match before {
                        Some(_) if !m.is_null() => Some(PositionKey::of_board(replay.now())),
                        _ => None,
                    };
                    line = (now, before);
                    if let (Some(before), Some(now)) = (before, now) {
                        self.step(before, now, (number, at + 1));
                    }
                }
                TapeOp::Begin(_) => {
                    outer.push(line);
                    line = (line.1, line.1);
                    replay.begin();
                }
                TapeOp::End => {
                    if let Some(before) = outer.pop() {
                        line = before;
                        replay.end();
                    }
                }
                _ => {}
            }
        }
    }

    fn see(&mut self, key: PositionKey, place: (u64, usize)) {
        if self.keys.first() == Some(&key) {
            self.start.get_or_insert(place);
        }
    }

    /// A move is known by where it leads: castling and promotions are written in more than one way.
    fn step(&mut self, before: PositionKey, now: PositionKey, place: (u64, usize)) {
        self.see(now, place);
        let pairs = self.keys.windows(2).zip(&mut self.steps);
        for (pair, slot) in pairs {
            if *pair == [before, now] {
                slot.get_or_insert(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "[Repertoire \"black\"]\n\n1. e4 e5 2. Nf3 *\n\n\
        [Repertoire \"white\"]\n\n1. e4 c5 (1... -- 2. d4) 2. Nf3 *\n\n\
        [White \"both\"]\n\n1. d4 d5 2. c4 e6 *\n\n";

    /// Where a line goes in these games, how many of its moves are new, and whether anything is changed.
    fn placed(fen: Option<&str>, moves: &[&str], nag: Option<u32>) -> (Option<u64>, usize, bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lines.pgn");
        std::fs::write(&path, GAMES).expect("written");
        let bases = crate::open(&path).expect("it opens");
        let start = fen.map_or_else(Board::standard, |fen| {
            Board::from_fen(fen).expect("a position").0
        });
        let mut board = start.clone();
        let mut line = Vec::new();
        for uci in moves {
            let m = board.parse_uci(uci.as_bytes()).expect("a move");
            board.play(m);
            line.push(m);
        }
        let request = RepertoireLineRequest {
            color: Color::White,
            start,
            moves: line,
            nag: nag.map(Nag),
            only: None,
            skip: None,
        };
        let found = repertoire_line(&bases[0], &request, &Control::default()).expect("placed");
        (found.game, found.added, found.change.is_some())
    }

    #[test]
    fn lines_go_where_their_beginning_stands() {
        // The games for the other side are left alone.
        assert_eq!(placed(None, &["e2e4", "e7e5"], None), (Some(2), 1, true));
        assert_eq!(
            placed(None, &["e2e4", "c7c5", "g1f3"], None),
            (Some(2), 0, false)
        );
        assert_eq!(placed(None, &["e2e4"], Some(1)), (Some(2), 0, true));
        // By other moves to a position that stands there: the line has a beginning of its own.
        let transposed = ["c2c4", "e7e6", "d2d4", "d7d5", "b1c3"];
        assert_eq!(placed(None, &transposed, None), (Some(2), 5, true));
        // From that position on it goes on where the position stands.
        let fen = "rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3";
        assert_eq!(placed(Some(fen), &["b1c3"], None), (Some(3), 1, true));
        // What follows a null move is no part of a repertoire, and a position that no game has begins a game.
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert_eq!(placed(Some(fen), &["d2d4"], None), (None, 1, true));
    }

    /// The comments behind 1.e4 after marks were set there, one after another; the game was read anew each time.
    fn marked(comments: &str, marks: &[(&str, bool)]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("marks.pgn");
        let text = format!("[Repertoire \"white\"]\n\n1. e4 $1 {comments} e5 *\n");
        std::fs::write(&path, text).expect("written");
        let bases = crate::open(&path).expect("it opens");
        let mut game = bases[0].read(1, GameNeeds::ALL).expect("a game");
        for (word, is_set) in marks {
            let mut editor = GameEditor::new(game).expect("an editor");
            editor.go_to(1).expect("a place");
            mark(&mut editor, word, *is_set).expect("marked");
            game = editor.into_game();
        }
        let mut editor = GameEditor::new(game).expect("an editor");
        editor.go_to(1).expect("a place");
        assert_eq!(editor.nags(), [Nag(1)]);
        let all = editor.comments(CommentSide::After).expect("comments");
        all.into_iter().map(|(_, it)| it.to_owned()).collect()
    }

    #[test]
    fn marks_come_and_go_and_everything_else_stays() {
        let only = ("only", true);
        assert_eq!(marked("", &[only]), ["[%rep only]"]);
        assert_eq!(marked("", &[only, ("skip", true)]), ["[%rep only,skip]"]);
        assert_eq!(marked("", &[only, ("only", false)]), [""; 0]);
        assert_eq!(marked("{words}", &[only]), ["words", "[%rep only]"]);
        assert_eq!(marked("{words}", &[only, ("only", false)]), ["words"]);
        let both = "{[%rep skip] known [%eval 0.3]} {[%rep skip only]}";
        assert_eq!(
            marked(both, &[("skip", false)]),
            ["known [%eval 0.3]", "[%rep only]"]
        );
        assert_eq!(
            marked("{see [%rep skip] there}", &[("skip", false)]),
            ["see there"]
        );
        assert_eq!(marked("{[%rep other]}", &[only]), ["[%rep other,only]"]);
        assert_eq!(marked(both, &[("skip", true), ("only", true)]).len(), 2);
    }

    #[test]
    fn a_move_that_breaks_the_rules_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lines.pgn");
        std::fs::write(&path, GAMES).expect("written");
        let bases = crate::open(&path).expect("it opens");
        let request = RepertoireLineRequest {
            color: Color::White,
            start: Board::standard(),
            moves: vec![Move::NULL],
            nag: None,
            only: None,
            skip: None,
        };
        let refused = repertoire_line(&bases[0], &request, &Control::default());
        assert_eq!(*refused.expect_err("refused").code, error_codes::BAD_LINE);
    }
}
