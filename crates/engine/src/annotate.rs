//! Writes evaluations into a game: a pure function, so that the same evaluations always make the same game.
//!
//! Each evaluation becomes `[%eval …]` at the start of the first comment after its move, as at Lichess. A move that gives
//! away too much gets `?!`, `?` or `??` unless somebody has judged it already, and the better line as a variation. Accuracy
//! and average loss become tags. Nothing in the game is lost; only evaluations, and the judgements that followed from them,
//! are replaced, and only on request.

use tabiya_model::command::{self, CommentCommand};
use tabiya_model::game::StartingPosition;
use tabiya_model::judgement::{ByColor, EvaluationStep, Evaluations, Judgement};
use tabiya_model::nag::Nag;
use tabiya_model::{Board, Game, Move, Tape, TapeOp};

use crate::engine_line::Wdl;
use crate::position_evaluation::PositionEvaluation;

/// The tags of accuracy, White's and Black's.
pub const ACCURACY_TAGS: [&str; 2] = ["WhiteAccuracy", "BlackAccuracy"];
/// The tags of average loss in hundredths of a pawn, White's and Black's.
pub const LOSS_TAGS: [&str; 2] = ["WhiteACPL", "BlackACPL"];

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotateStyle {
    /// The depth after each evaluation, `[%eval 0.35,18]`.
    pub depth: bool,
    /// Winning chances, `[%wdl …]`, if the engine reports them.
    pub wdl: bool,
    /// Annotation symbols after moves.
    pub nags: bool,
    /// The better line if a move deserves this judgement or worse; none for never.
    pub lines: Option<Judgement>,
    /// The maximum number of plies of such a line.
    pub longest: usize,
    /// Accuracy and average loss as tags.
    pub tags: bool,
    /// The annotator of games that have none.
    pub annotator: Option<String>,
    /// Replace existing evaluations in the game, and the judgements that follow from them.
    pub redo: bool,
}

impl Default for AnnotateStyle {
    fn default() -> AnnotateStyle {
        AnnotateStyle {
            depth: false,
            wdl: false,
            nags: true,
            lines: Some(Judgement::Inaccuracy),
            longest: 12,
            tags: true,
            annotator: None,
            redo: false,
        }
    }
}

/// The quality of one player's moves.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct PlayerAccuracy {
    /// Moves between two evaluations.
    pub moves: u32,
    /// `?!`
    pub inaccuracies: u32,
    /// `?`
    pub mistakes: u32,
    /// `??`
    pub blunders: u32,
    /// In per cent; none if the evaluations have gaps.
    pub accuracy: Option<f64>,
    /// Hundredths of a pawn lost on average.
    pub average_loss: Option<u32>,
}

/// The positions of the main line: before the first move, and after each.
#[must_use]
pub fn positions(game: &Game) -> Vec<Board> {
    let mut board = game.start_board();
    let mut all = vec![board.clone()];
    for m in game.tape.main_line() {
        board.play(m);
        all.push(board.clone());
    }
    all
}

/// The evaluations of a game when new ones, one a position as [`positions`] gives them, are put beside those that stand.
fn merge(game: &Game, found: &[Option<PositionEvaluation>], redo: bool) -> Evaluations {
    let mut all = Evaluations::of(game);
    let score = |index: usize| found.get(index).and_then(Option::as_ref).map(|e| e.score);
    if !matches!(game.start, StartingPosition::Standard) && (redo || all.start.is_none()) {
        all.start = score(0).or(all.start);
    }
    for (index, after) in all.after.iter_mut().enumerate() {
        if redo || after.is_none() {
            *after = score(index + 1).or(*after);
        }
    }
    all
}

/// The quality of both players' moves by the evaluations of a game.
#[must_use]
pub fn sides(all: &Evaluations) -> ByColor<PlayerAccuracy> {
    let mut sides: ByColor<PlayerAccuracy> = ByColor::default();
    for step in all.steps() {
        let side = match step.mover {
            shakmaty::Color::White => &mut sides.white,
            shakmaty::Color::Black => &mut sides.black,
        };
        side.moves += 1;
        match step.judgement() {
            Some(Judgement::Inaccuracy) => side.inaccuracies += 1,
            Some(Judgement::Mistake) => side.mistakes += 1,
            Some(Judgement::Blunder) => side.blunders += 1,
            None => {}
        }
    }
    if let Some(run) = all.run() {
        let (accuracy, loss) = (run.accuracy(), run.average_loss());
        (sides.white.accuracy, sides.black.accuracy) = (accuracy.white, accuracy.black);
        (sides.white.average_loss, sides.black.average_loss) = (loss.white, loss.black);
    }
    sides
}

/// A game with the results for its positions; `found` has one entry for each position of [`positions`].
#[must_use]
pub fn annotate(
    game: &Game,
    found: &[Option<PositionEvaluation>],
    style: &AnnotateStyle,
) -> (Game, ByColor<PlayerAccuracy>) {
    let old = Evaluations::of(game);
    let all = merge(game, found, style.redo);
    let sides = sides(&all);
    let mut annotated = game.clone();
    if found.iter().all(Option::is_none) {
        return (annotated, sides);
    }
    let steps = by_ply(&all);
    let old_steps = by_ply(&old);
    let mut writer = AnnotationWriter {
        source: &game.tape,
        tape: Tape::default(),
        style,
    };
    let first = writer.tail(0);
    let is_setup = !matches!(game.start, StartingPosition::Standard);
    let start = found
        .first()
        .and_then(Option::as_ref)
        .filter(|_| is_setup && (style.redo || old.start.is_none()));
    writer.write_tail(0..first, start, None, None, None);
    let (mut at, mut ply) = (first, 0);
    while let Some(TapeOp::Move(m)) = game.tape.get(at) {
        let end = writer.tail(at + 1);
        writer.tape.push_move(m);
        let here = found
            .get(ply + 1)
            .and_then(Option::as_ref)
            .filter(|_| style.redo || old.after.get(ply).is_none_or(Option::is_none));
        let judged = |steps: &[Option<EvaluationStep>]| {
            steps
                .get(ply)
                .and_then(Option::as_ref)
                .and_then(EvaluationStep::judgement)
        };
        let judgement = judged(&steps);
        let better = found
            .get(ply)
            .and_then(Option::as_ref)
            .map(|before| before.line.as_slice())
            .filter(|line| line.first().is_some_and(|best| *best != m))
            .filter(|_| judgement.is_some() && judgement >= style.lines && style.lines.is_some());
        writer.write_tail(at + 1..end, here, judgement, judged(&old_steps), better);
        at = end;
        ply += 1;
    }
    annotated.tape = writer.tape;
    tag(&mut annotated, &sides, style);
    (annotated, sides)
}

fn by_ply(all: &Evaluations) -> Vec<Option<EvaluationStep>> {
    let mut steps = vec![None; all.after.len()];
    for step in all.steps() {
        if let Some(slot) = steps.get_mut(step.ply) {
            *slot = Some(step);
        }
    }
    steps
}

fn tag(game: &mut Game, sides: &ByColor<PlayerAccuracy>, style: &AnnotateStyle) {
    if style.tags {
        for (side, accuracy, loss) in [
            (&sides.white, ACCURACY_TAGS[0], LOSS_TAGS[0]),
            (&sides.black, ACCURACY_TAGS[1], LOSS_TAGS[1]),
        ] {
            if let Some(value) = side.accuracy {
                game.tags.set(accuracy, &format!("{value:.1}"));
            }
            if let Some(value) = side.average_loss {
                game.tags.set(loss, &value.to_string());
            }
        }
    }
    if let Some(name) = &style.annotator
        && matches!(game.tags.value("Annotator"), "" | "?" | "-")
    {
        game.tags.set("Annotator", name);
    }
}

struct AnnotationWriter<'g> {
    source: &'g Tape,
    tape: Tape,
    style: &'g AnnotateStyle,
}

impl AnnotationWriter<'_> {
    /// The index of the next move of the main line, or of the end.
    fn tail(&self, mut at: usize) -> usize {
        while let Some(op) = self.source.get(at) {
            match op {
                TapeOp::Move(_) => break,
                TapeOp::Begin(_) => at = self.source.skip(at),
                _ => at += 1,
            }
        }
        at
    }

    /// Writes what stands behind a move (or before the first one), with what is new among it.
    fn write_tail(
        &mut self,
        range: std::ops::Range<usize>,
        found: Option<&PositionEvaluation>,
        judgement: Option<Judgement>,
        old: Option<Judgement>,
        better: Option<&[Move]>,
    ) {
        let source = self.source;
        // What stands at this level: variations are one piece each.
        let mut pieces = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let next = match source.get(at) {
                Some(TapeOp::Begin(_)) => source.skip(at),
                _ => at + 1,
            };
            pieces.push(at..next);
            at = next;
        }
        let op = |piece: &std::ops::Range<usize>| source.get(piece.start);
        let replaced = found.is_some() && self.style.redo;
        let is_stale = |nag: Nag| replaced && old.is_some_and(|old| old.nag() == nag);
        let has_sign = pieces.iter().any(|piece| {
            matches!(op(piece), Some(TapeOp::Nag(nag)) if (1..=9).contains(&nag.0) && !is_stale(nag))
        });
        let mut sign = judgement.filter(|_| self.style.nags && !has_sign);
        let mut text = found.map(|found| self.commands(found));
        let mut line = better.filter(|line| !self.has_line(&pieces, line));
        // The first comment before any variation takes the evaluation.
        let mut host = pieces
            .iter()
            .take_while(|piece| !matches!(op(piece), Some(TapeOp::Begin(_))))
            .find(|piece| {
                matches!(op(piece), Some(TapeOp::Comment(id)) if source.texts().provenance(id).is_none())
            })
            .map(|piece| piece.start);
        for piece in &pieces {
            let here = op(piece);
            if let Some(TapeOp::Nag(nag)) = here {
                if !is_stale(nag) {
                    self.tape.push_nag(nag);
                }
                continue;
            }
            // Behind the signs that stand already, before everything else.
            if let Some(sign) = sign.take() {
                self.tape.push_nag(sign.nag());
            }
            if host.is_none()
                && let Some(text) = text.take()
            {
                self.tape.push_comment(&text);
            }
            match here {
                Some(TapeOp::Comment(id)) => {
                    let old = source.text(id);
                    let kept = if replaced {
                        without_evaluation(old)
                    } else {
                        None
                    };
                    if host == Some(piece.start)
                        && let Some(text) = text.take()
                    {
                        host = None;
                        let rest = kept.as_deref().unwrap_or(old).trim_start();
                        let space = if rest.is_empty() { "" } else { " " };
                        self.tape.push_comment(&format!("{text}{space}{rest}"));
                    } else {
                        match kept {
                            Some(kept) if kept.trim().is_empty() => {}
                            Some(kept) => {
                                self.tape.push_comment(&kept);
                            }
                            None => self.tape.push_from(source, TapeOp::Comment(id)),
                        }
                    }
                }
                Some(TapeOp::Begin(_)) => {
                    for op in piece.clone().filter_map(|index| source.get(index)) {
                        self.tape.push_from(source, op);
                    }
                }
                Some(op @ (TapeOp::Raw(_) | TapeOp::Outcome(_))) => {
                    if let Some(line) = line.take() {
                        self.push_line(line);
                    }
                    self.tape.push_from(source, op);
                }
                Some(op) => self.tape.push_from(source, op),
                None => {}
            }
        }
        if let Some(sign) = sign {
            self.tape.push_nag(sign.nag());
        }
        if let Some(text) = text {
            self.tape.push_comment(&text);
        }
        if let Some(line) = line {
            self.push_line(line);
        }
    }

    fn commands(&self, found: &PositionEvaluation) -> String {
        let depth = self.style.depth.then_some(found.depth);
        let mut text = CommentCommand::Eval(found.score, depth).to_string();
        if self.style.wdl
            && let Some(Wdl { win, draw, loss }) = found.wdl
        {
            text.push_str(&format!(" [%wdl {win},{draw},{loss}]"));
        }
        text
    }

    /// Whether a variation begins like a line.
    fn has_line(&self, pieces: &[std::ops::Range<usize>], line: &[Move]) -> bool {
        pieces.iter().any(|piece| {
            matches!(self.source.get(piece.start), Some(TapeOp::Begin(_)))
                && piece
                    .clone()
                    .find_map(|index| match self.source.get(index) {
                        Some(TapeOp::Move(m)) => Some(m),
                        _ => None,
                    })
                    .is_some_and(|m| line.first() == Some(&m))
        })
    }

    fn push_line(&mut self, line: &[Move]) {
        self.tape.begin_variation();
        for m in line.iter().take(self.style.longest.max(1)) {
            self.tape.push_move(*m);
        }
        self.tape.end_variation();
    }
}

/// A comment without its evaluations; none where it has none.
fn without_evaluation(comment: &str) -> Option<String> {
    let is_ours = |piece: &command::CommentPart<'_>| {
        matches!(
            piece,
            command::CommentPart::Command {
                name: "eval" | "wdl",
                ..
            }
        )
    };
    if !command::pieces(comment).any(|piece| is_ours(&piece)) {
        return None;
    }
    let mut kept = String::with_capacity(comment.len());
    for piece in command::pieces(comment).filter(|piece| !is_ours(piece)) {
        let text = piece.text();
        // The space on one side of what is left out goes with it.
        if kept.is_empty() || kept.ends_with(' ') {
            kept.push_str(text.strip_prefix(' ').unwrap_or(text));
        } else {
            kept.push_str(text);
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine_line::{EvaluationBound, legal};
    use tabiya_model::command::Evaluation;

    /// A game of moves as engines write them; tokens in braces are comments, with `$` NAGs, parentheses variations.
    fn game(text: &str) -> Game {
        let mut game = Game::default();
        let mut replay = tabiya_model::Replay::new(&Board::standard());
        let mut rest = text;
        while let Some(token) = rest.split_whitespace().next() {
            let at = rest.find(token).unwrap_or(0);
            if let Some(open) = token.strip_prefix('{') {
                let _ = open;
                let end = rest.find('}').expect("closed");
                game.tape.push_comment(&rest[at + 1..end]);
                rest = &rest[end + 1..];
                continue;
            }
            rest = &rest[at + token.len()..];
            match token {
                "(" => {
                    game.tape.begin_variation();
                    assert!(replay.begin());
                }
                ")" => {
                    game.tape.end_variation();
                    assert!(replay.end());
                }
                _ => match Nag::from_pgn(token) {
                    Some(nag) => game.tape.push_nag(nag),
                    None => {
                        let m = legal(replay.now(), token).expect("a legal move");
                        game.tape.push_move(m);
                        replay.play(m);
                    }
                },
            }
        }
        game
    }

    /// The text that makes a game again.
    fn text(game: &Game) -> String {
        let mut out = Vec::new();
        let mut replay = tabiya_model::Replay::new(&game.start_board());
        for op in game.tape.ops() {
            out.push(match op {
                TapeOp::Move(m) => crate::driver::uci(
                    replay.now(),
                    m,
                    tabiya_model::board::CastlingStyle::KingMoves,
                ),
                TapeOp::Nag(nag) => nag.to_string(),
                TapeOp::Comment(id) => format!("{{{}}}", game.tape.text(id)),
                TapeOp::Begin(_) => "(".to_owned(),
                TapeOp::End => ")".to_owned(),
                other => format!("{other:?}"),
            });
            replay.follow(op);
        }
        out.join(" ")
    }

    fn found(game: &Game, entries: &[(usize, i32, &str)]) -> Vec<Option<PositionEvaluation>> {
        let boards = positions(game);
        let mut all = vec![None; boards.len()];
        for (index, score, line) in entries {
            let mut board = boards[*index].clone();
            let mut moves = Vec::new();
            for token in line.split_whitespace() {
                let m = legal(&board, token).expect("legal");
                board.play(m);
                moves.push(m);
            }
            all[*index] = Some(PositionEvaluation {
                score: Evaluation::Centipawns(*score),
                bound: EvaluationBound::Exact,
                depth: 9,
                nodes: 1,
                wdl: Some(Wdl {
                    win: 100,
                    draw: 800,
                    loss: 100,
                }),
                line: moves,
            });
        }
        all
    }

    #[test]
    fn evaluations_signs_and_lines_find_their_places() {
        let game = game("f2f3 e7e5 {[%clk 0:01:00] hm} g2g4 $8 {one} ( g1h3 ) {two} d8h4");
        let found = found(
            &game,
            &[
                (0, 30, "e2e4 e7e5"),
                (1, -60, "e7e5"),
                (2, -70, "e2e4 g8f6 f1c4"),
                (3, -900, "d8h4"),
            ],
        );
        let (annotated, sides) = annotate(&game, &found, &AnnotateStyle::default());
        // The first move has lost a tenth, the second nothing, the third is judged already and mates: no evaluation.
        assert_eq!(
            text(&annotated),
            "f2f3 $6 {[%eval -0.60]} ( e2e4 e7e5 ) e7e5 {[%eval -0.70] [%clk 0:01:00] hm} \
             g2g4 $8 {[%eval -9.00] one} ( g1h3 ) {two} ( e2e4 g8f6 f1c4 ) d8h4"
        );
        assert_eq!(
            (
                sides.white.inaccuracies,
                sides.white.blunders,
                sides.white.moves
            ),
            (1, 1, 2)
        );
        assert_eq!((sides.black.moves, sides.black.average_loss), (1, Some(0)));
        assert_eq!(annotated.tags.get("BlackAccuracy"), Some("100.0"));
        assert_eq!(annotated.tags.get("WhiteACPL"), Some("453"));
        // Once more, nothing changes.
        let (again, _) = annotate(&annotated, &found, &AnnotateStyle::default());
        assert_eq!(text(&again), text(&annotated));
        let redo = AnnotateStyle {
            redo: true,
            ..AnnotateStyle::default()
        };
        assert_eq!(
            text(&annotate(&annotated, &found, &redo).0),
            text(&annotated)
        );
    }

    #[test]
    fn redoing_replaces_evaluations_and_what_followed_from_them() {
        let game = game(
            "e2e4 $4 {[%eval -3.00] [%wdl 1,2,3] ugh} e7e5 $1 {a [%eval -2.00] b} g1f3 $2 {[%eval -1.90]}",
        );
        let found = found(&game, &[(1, 20, ""), (2, 30, ""), (3, 25, "")]);
        let kept = annotate(
            &game,
            &found,
            &AnnotateStyle {
                tags: false,
                ..AnnotateStyle::default()
            },
        );
        assert_eq!(text(&kept.0), text(&game));
        let redo = AnnotateStyle {
            redo: true,
            depth: true,
            wdl: true,
            ..AnnotateStyle::default()
        };
        assert_eq!(
            text(&annotate(&game, &found, &redo).0),
            "e2e4 {[%eval 0.20,9] [%wdl 100,800,100] ugh} e7e5 $1 {[%eval 0.30,9] [%wdl 100,800,100] a b} \
             g1f3 $2 {[%eval 0.25,9] [%wdl 100,800,100]}"
        );
    }

    #[test]
    fn only_what_is_missing_is_added() {
        let game = game("e2e4 {[%eval 0.30]} e7e5 g1f3 {[%eval 0.25]} b8c6");
        let found = found(&game, &[(2, 200, ""), (4, 30, "")]);
        let (annotated, sides) = annotate(
            &game,
            &found,
            &AnnotateStyle {
                tags: false,
                ..AnnotateStyle::default()
            },
        );
        assert_eq!(
            text(&annotated),
            "e2e4 {[%eval 0.30]} e7e5 $2 {[%eval 2.00]} g1f3 $4 {[%eval 0.25]} b8c6 {[%eval 0.30]}"
        );
        assert_eq!((sides.white.moves, sides.black.mistakes), (2, 1));
    }

    #[test]
    fn a_game_without_anything_new_stays_as_it_is() {
        let game = game("e2e4 e7e5");
        let (annotated, sides) = annotate(&game, &[None, None, None], &AnnotateStyle::default());
        assert_eq!(annotated, game);
        assert_eq!(sides.white.accuracy, None);
    }

    #[test]
    fn texts_in_other_charsets_keep_their_bytes() {
        let mut game = game("e2e4");
        game.tape
            .push_comment_bytes(b"sch\xf6n", tabiya_model::charset::Charset::Cp1252);
        let found = found(&game, &[(1, 20, "")]);
        let (annotated, _) = annotate(&game, &found, &AnnotateStyle::default());
        assert_eq!(text(&annotated), "e2e4 {[%eval 0.20]} {schön}");
        let mut last = annotated.tape.ops().filter_map(|op| match op {
            TapeOp::Comment(id) => Some(annotated.tape.texts().original(id).into_owned()),
            _ => None,
        });
        assert_eq!(last.next_back().as_deref(), Some(&b"sch\xf6n"[..]));
    }

    #[test]
    fn a_position_at_the_start_gets_its_evaluation_before_the_first_move() {
        let (board, problems) = Board::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").expect("valid");
        let mut game = Game {
            start: StartingPosition::Setup(Box::new(board.clone()), problems),
            ..Game::default()
        };
        game.tape.push_comment("White wins");
        game.tape.push_move(legal(&board, "e1d2").expect("legal"));
        let found = found(&game, &[(0, 500, ""), (1, 510, "")]);
        let (annotated, _) = annotate(&game, &found, &AnnotateStyle::default());
        assert_eq!(
            text(&annotated),
            "{[%eval 5.00] White wins} e1d2 {[%eval 5.10]}"
        );
        assert_eq!(
            Evaluations::of(&annotated).start,
            Some(Evaluation::Centipawns(500))
        );
    }
}
