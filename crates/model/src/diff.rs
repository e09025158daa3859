//! The difference of two games, aspect by aspect, in words.

use std::borrow::Cow;
use std::fmt;

use crate::canon_game::{CanonGame, CanonStep, canon, is_same_layout, tags_with};
use crate::game::{Game, StartingPosition};
use crate::loss::GameAspect;
use crate::tape::TapeOp;
use crate::text::TextId;

/// One difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameDifference {
    /// What differs; a loss of the same aspect explains it.
    pub aspect: GameAspect,
    /// Both sides, in words.
    pub message: String,
}

impl fmt::Display for GameDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.aspect.name(), self.message)
    }
}

/// All aspects in which two games differ; empty if their canonical forms are equal.
///
/// `b` is treated as a copy of `a`: a space in `a` may be a line break in `b`.
pub fn diff(a: &Game, b: &Game) -> Vec<GameDifference> {
    let mut found = diff_canon(&canon(a), &canon(b));
    diff_layout(a, b, &mut found);
    found
}

/// Differences in white space between texts that are otherwise equal.
fn diff_layout(a: &Game, b: &Game, found: &mut Vec<GameDifference>) {
    let differs =
        |found: &[GameDifference], aspect| found.iter().any(|other| other.aspect == aspect);
    let mut message = None;
    if !differs(found, GameAspect::Tags) {
        let [left, right] = [a, b].map(|game| tags_with(game, str::to_owned));
        message = left
            .iter()
            .zip(&right)
            .find(|((_, text), (_, copy))| !is_same_layout(text, copy))
            .map(|((name, text), (_, copy))| format!("[{name} {text:?}] | {copy:?}"));
    }
    // The same position can be written in several forms.
    if message.is_none() && !differs(found, GameAspect::Start) && !differs(found, GameAspect::Tags)
    {
        let told = |game: &Game| {
            (game.start != StartingPosition::Standard)
                .then(|| game.tags.get("FEN").map(str::to_owned))
        };
        if let (Some(Some(left)), Some(Some(right))) = (told(a), told(b))
            && left != right
        {
            message = Some(format!("[FEN {left:?}] | {right:?}"));
        }
    }
    if message.is_none() && !differs(found, GameAspect::Comments) {
        message = texts_apart(a, b, |op| match op {
            TapeOp::Comment(id) => Some(id),
            _ => None,
        })
        .map(|(text, copy)| format!("{{{text}}} | {{{copy}}}"));
    }
    let is_moved = differs(found, GameAspect::Moves) || differs(found, GameAspect::Variations);
    if message.is_none() && !is_moved {
        message = texts_apart(a, b, |op| match op {
            TapeOp::Raw(id) => Some(id),
            _ => None,
        })
        .map(|(text, copy)| format!("unreadable {text:?} | {copy:?}"));
    }
    if let Some(message) = message {
        let aspect = GameAspect::Layout;
        found.push(GameDifference { aspect, message });
    }
}

/// The first texts of a kind whose layout differs in the copy.
fn texts_apart(
    a: &Game,
    b: &Game,
    kind: impl Fn(TapeOp) -> Option<TextId> + Copy,
) -> Option<(String, String)> {
    let texts = |game: &Game| -> Vec<TextId> { game.tape.ops().filter_map(kind).collect() };
    let (left, right) = (texts(a), texts(b));
    // Where one piece of unreadable text ends and the next begins has no meaning.
    if left.len() != right.len() {
        return None;
    }
    (left.into_iter().zip(right))
        .map(|(text, copy)| (a.tape.text(text), b.tape.text(copy)))
        .find(|(text, copy)| !is_same_layout(text, copy))
        .map(|(text, copy)| {
            (
                text.escape_debug().to_string(),
                copy.escape_debug().to_string(),
            )
        })
}

/// All aspects in which two canonical games differ.
pub fn diff_canon(a: &CanonGame, b: &CanonGame) -> Vec<GameDifference> {
    let mut found = Vec::new();
    if a == b {
        return found;
    }
    let mut add = |aspect, message| found.push(GameDifference { aspect, message });
    diff_tags(a, b, &mut add);
    if a.start != b.start || a.variant != b.variant {
        let show = |c: &CanonGame| {
            let fen = c.start.as_deref().unwrap_or("the normal starting position");
            format!("{fen} ({:?})", c.variant)
        };
        add(GameAspect::Start, format!("{} | {}", show(a), show(b)));
    }
    if a.outcome != b.outcome {
        add(
            GameAspect::Outcome,
            format!("{} | {}", a.outcome.as_pgn(), b.outcome.as_pgn()),
        );
    }
    // Each aspect of the movetext is compared alone, each step with the moves before it as its place, so that a
    // comment that was dropped does not make the moves look different.
    let apart = DiffRegion::of(&a.steps, &b.steps);
    for aspect in [
        GameAspect::Moves,
        GameAspect::Variations,
        GameAspect::Comments,
        GameAspect::Nags,
        GameAspect::Outcome,
        GameAspect::Extensions,
    ] {
        if placed(apart.left, apart.from, aspect) == placed(apart.right, apart.from, aspect) {
            continue;
        }
        // A step that one of them lacks is compared with its next one, which may be the same in both.
        let left = placed(apart.left_to_end, apart.from, aspect);
        let right = placed(apart.right_to_end, apart.from, aspect);
        let at = left.iter().zip(&right).take_while(|(x, y)| x == y).count();
        add(
            aspect,
            format!("{} | {}", show(left.get(at)), show(right.get(at))),
        );
    }
    if found.is_empty() {
        // The same steps in another order at the same places.
        found.push(GameDifference {
            aspect: GameAspect::Comments,
            message: "the order of comments, NAGs and variations differs".to_owned(),
        });
    }
    found
}

fn diff_tags(a: &CanonGame, b: &CanonGame, add: &mut impl FnMut(GameAspect, String)) {
    if a.tags == b.tags {
        return;
    }
    let only = |x: &CanonGame, y: &CanonGame| {
        x.tags
            .iter()
            .filter(|tag| {
                let count = |c: &CanonGame| c.tags.iter().filter(|other| other == tag).count();
                count(x) > count(y)
            })
            .map(|(name, value)| format!("[{name} {value:?}]"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (left, right) = (only(a, b), only(b, a));
    if left.is_empty() && right.is_empty() {
        add(
            GameAspect::Tags,
            "the order of equal tags differs".to_owned(),
        );
    } else {
        add(GameAspect::Tags, format!("{left} | {right}"));
    }
}

/// A step and its place: plies of the main line before it, and moves of variations since the last of those.
type DiffStep<'a> = (usize, usize, Cow<'a, CanonStep>);

/// A place between two steps.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
struct DiffPlace {
    depth: usize,
    plies: usize,
    inner: usize,
}

impl DiffPlace {
    fn before(&mut self, step: &CanonStep) {
        if *step == CanonStep::End {
            self.depth = self.depth.saturating_sub(1);
        }
    }

    fn after(&mut self, step: &CanonStep) {
        match step {
            CanonStep::Begin => self.depth += 1,
            CanonStep::Move { .. } if self.depth == 0 => {
                (self.plies, self.inner) = (self.plies + 1, 0)
            }
            CanonStep::Move { .. } => self.inner += 1,
            _ => {}
        }
    }

    fn past(mut self, steps: &[CanonStep]) -> DiffPlace {
        for step in steps {
            self.before(step);
            self.after(step);
        }
        self
    }
}

fn placed(steps: &[CanonStep], from: DiffPlace, aspect: GameAspect) -> Vec<DiffStep<'_>> {
    let mut at = from;
    let mut list = Vec::new();
    for step in steps {
        at.before(step);
        if aspect_of(step, at.depth) == aspect {
            let place = if at.depth == 0 { 0 } else { at.inner };
            add_placed(&mut list, (at.plies, place, Cow::Borrowed(step)));
        }
        at.after(step);
    }
    list
}

/// The range where two movetexts differ. If very large ones differ in one word, only that word is compared closely.
struct DiffRegion<'s> {
    /// The place where the range begins.
    from: DiffPlace,
    /// The steps on either side until both are equal again at the same place.
    left: &'s [CanonStep],
    right: &'s [CanonStep],
    left_to_end: &'s [CanonStep],
    right_to_end: &'s [CanonStep],
}

impl<'s> DiffRegion<'s> {
    fn of(a: &'s [CanonStep], b: &'s [CanonStep]) -> DiffRegion<'s> {
        let whole = DiffRegion {
            from: DiffPlace::default(),
            left: a,
            right: b,
            left_to_end: a,
            right_to_end: b,
        };
        // Unreadable text continues the one before it, which may precede a whole variation.
        if a.iter()
            .chain(b)
            .any(|step| matches!(step, CanonStep::Raw(_)))
        {
            return whole;
        }
        let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let (before, left) = a.split_at(same);
        let right = b.get(same..).unwrap_or_default();
        let from = DiffPlace::default().past(before);
        let ends = left.iter().rev().zip(right.iter().rev());
        let same = ends.take_while(|(x, y)| x == y).count();
        let [near, far] =
            [left, right].map(|side| side.get(..side.len() - same).unwrap_or_default());
        let meet = from.past(near) == from.past(far);
        DiffRegion {
            from,
            left: if meet { near } else { left },
            right: if meet { far } else { right },
            left_to_end: left,
            right_to_end: right,
        }
    }
}

/// Adds a step; unreadable text continues the one before it if nothing of the aspect is between them.
fn add_placed<'a>(list: &mut Vec<DiffStep<'a>>, placed: DiffStep<'a>) {
    if let (Some((plies, place, before)), CanonStep::Raw(text)) = (list.last_mut(), &*placed.2)
        && (*plies, *place) == (placed.0, placed.1)
        && let CanonStep::Raw(start) = &**before
    {
        *before = Cow::Owned(CanonStep::Raw(format!("{start} {text}")));
        return;
    }
    list.push(placed);
}

fn aspect_of(step: &CanonStep, depth: usize) -> GameAspect {
    match step {
        CanonStep::Move { .. } | CanonStep::Raw(_) if depth == 0 => GameAspect::Moves,
        CanonStep::Move { .. } | CanonStep::Raw(_) | CanonStep::Begin | CanonStep::End => {
            GameAspect::Variations
        }
        CanonStep::Nag(_) => GameAspect::Nags,
        CanonStep::Comment(_) => GameAspect::Comments,
        CanonStep::Extension(..) => GameAspect::Extensions,
        CanonStep::Outcome(_) => GameAspect::Outcome,
    }
}

fn show(step: Option<&DiffStep<'_>>) -> String {
    let Some((plies, inner, step)) = step else {
        return "nothing".to_owned();
    };
    let text = match &**step {
        CanonStep::Move { uci } => uci.as_str().to_owned(),
        CanonStep::Nag(n) => format!("${n}"),
        CanonStep::Comment(text) => format!("{{{text}}}"),
        CanonStep::Raw(text) => format!("unreadable {text:?}"),
        CanonStep::Extension(name, data) => format!("extension {name} of {} bytes", data.len()),
        CanonStep::Begin => "(".to_owned(),
        CanonStep::End => ")".to_owned(),
        CanonStep::Outcome(outcome) => outcome.as_pgn().to_owned(),
    };
    match inner {
        0 => format!("{text} after ply {plies}"),
        _ => format!("{text} after ply {plies} and {inner} moves of variations"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// A few steps drawn from a seed, most of them equal to those of another, near seed.
    fn drawn(seed: u64) -> Vec<CanonStep> {
        let board = Board::standard();
        let mut game = Game::default();
        for text in [&b"e2e4"[..], b"d2d4"] {
            game.tape.push_move(board.parse_uci(text).expect("legal"));
        }
        let mut kinds = canon(&game).steps;
        kinds.extend([CanonStep::Begin, CanonStep::End, CanonStep::Nag(1)]);
        kinds.extend([
            CanonStep::Raw("x".to_owned()),
            CanonStep::Comment("c".to_owned()),
        ]);
        let mut state = seed / 4;
        let mut steps = Vec::new();
        for _ in 0..8 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            steps.push(kinds[usize::try_from(state >> 33).expect("small") % kinds.len()].clone());
        }
        match seed % 4 {
            0 => {}
            1 => drop(steps.remove(3)),
            2 => steps.insert(4, CanonStep::Nag(2)),
            _ => steps.insert(2, kinds[seed as usize / 4 % kinds.len()].clone()),
        }
        steps
    }

    #[test]
    fn what_is_equal_around_a_difference_changes_nothing_of_it() {
        for seed in 0..40_000 {
            let [a, b] = [seed, seed ^ 3].map(drawn);
            let with = |steps: &[CanonStep]| CanonGame {
                steps: steps.to_vec(),
                ..canon(&Game::default())
            };
            let mut plain = Vec::new();
            for aspect in [
                GameAspect::Moves,
                GameAspect::Variations,
                GameAspect::Comments,
                GameAspect::Nags,
                GameAspect::Outcome,
                GameAspect::Extensions,
            ] {
                let [left, right] =
                    [&a, &b].map(|steps| placed(steps, DiffPlace::default(), aspect));
                if left != right {
                    let at = left.iter().zip(&right).take_while(|(x, y)| x == y).count();
                    let message = format!("{} | {}", show(left.get(at)), show(right.get(at)));
                    plain.push(GameDifference { aspect, message });
                }
            }
            let found = diff_canon(&with(&a), &with(&b));
            if plain.is_empty() {
                assert_eq!(found.len(), usize::from(a != b), "{a:?} {b:?}");
            } else {
                assert_eq!(found, plain, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn folded_white_space_is_a_difference_in_layout_alone() {
        let mut a = Game::default();
        a.tape.push_comment("one\n\ntwo");
        let mut b = Game::default();
        b.tape.push_comment("one two");
        let aspects: Vec<_> = diff(&a, &b).iter().map(|d| d.aspect).collect();
        assert_eq!(aspects, [GameAspect::Layout]);
        assert_eq!(diff(&b, &b), []);
    }

    #[test]
    fn white_space_at_the_end_of_a_name_of_rules_is_no_difference() {
        let with = |tag: Option<&str>| {
            let mut game = Game::default();
            game.variant = crate::game::Variant::Chess960;
            if let Some(value) = tag {
                game.tags.push("Variant", value);
            }
            game
        };
        for value in [
            None,
            Some("Chess960"),
            Some("Chess960 "),
            Some("\t\nChess960"),
        ] {
            assert_eq!(diff(&with(value), &with(Some("Chess960"))), []);
        }
        let other = diff(&with(Some("fischerandom")), &with(Some("Chess960")));
        assert_eq!(other.len(), 1, "{other:?}");
    }

    #[test]
    fn an_extension_dropped_from_unreadable_text_is_a_difference_in_extensions_alone() {
        let mut a = Game::default();
        a.tape.push_raw("e9");
        let mut b = a.clone();
        a.tape.push_extension("other.sign", &[7]);
        for game in [&mut a, &mut b] {
            game.tape.push_raw("xyzzy");
        }
        let aspects: Vec<_> = diff(&a, &b).iter().map(|d| d.aspect).collect();
        assert_eq!(aspects, [GameAspect::Extensions]);
    }

    #[test]
    fn a_dropped_comment_is_a_difference_in_comments_alone() {
        let m = Board::standard().parse_uci(b"e2e4").expect("legal");
        let mut a = Game::default();
        a.tape.push_move(m);
        let mut b = a.clone();
        a.tape.push_comment("best by test");
        b.tags.push("Site", "Paris");
        let aspects: Vec<_> = diff(&a, &b).iter().map(|d| d.aspect).collect();
        assert_eq!(aspects, [GameAspect::Tags, GameAspect::Comments]);
        assert!(diff(&a, &a).is_empty());
    }
}
