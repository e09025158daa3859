//! Moves the annotations of a duplicate into the game that is kept: those at the same moves, and moves that only the
//! duplicate has.

use tabiya_model::canon_game::fold;
use tabiya_model::{Game, Tape, TapeOp};

/// What stands between two moves of a main line: a NAG, a comment, or a whole variation, as a run of the tape.
type AnnotationUnit = std::ops::Range<usize>;

/// Puts into a game what another one of the same moves has more; says whether there was anything.
pub(super) fn take_over(game: &mut Game, other: &Game) -> bool {
    let (mine, theirs) = (&game.tape, &other.tape);
    let (own, others) = (MainLineSegment::all(mine), MainLineSegment::all(theirs));
    let mut tape = Tape::default();
    let mut is_new = false;
    for at in 0..own.len().max(others.len()) {
        let (one, two) = (own.get(at), others.get(at));
        let same = match (one, two) {
            (Some(one), Some(two)) => one.m(mine) == two.m(theirs),
            _ => true,
        };
        if !same {
            // No double: nothing is taken over.
            return false;
        }
        let (leading, tail) = one.map_or((&[][..], &[][..]), |one| one.parts(mine));
        match (one, two) {
            (Some(one), _) => push(&mut tape, mine, one.head()),
            (None, Some(two)) => {
                push(&mut tape, theirs, two.head());
                is_new = true;
            }
            (None, None) => {}
        }
        let known: Vec<String> = one.map_or_else(Vec::new, |one| one.texts(mine));
        let more: Vec<&AnnotationUnit> = two
            .into_iter()
            .flat_map(|two| &two.units)
            .filter(|unit| is_taken(theirs, unit) && !known.contains(&text(theirs, unit)))
            .collect();
        is_new |= !more.is_empty();
        let (nags, rest): (Vec<&AnnotationUnit>, Vec<&AnnotationUnit>) = more
            .into_iter()
            .partition(|unit| matches!(theirs.get(unit.start), Some(TapeOp::Nag(_))));
        leading
            .iter()
            .for_each(|unit| push(&mut tape, mine, unit.clone()));
        nags.into_iter()
            .for_each(|unit| push(&mut tape, theirs, unit.clone()));
        let (end, middle): (Vec<&AnnotationUnit>, Vec<&AnnotationUnit>) = tail
            .iter()
            .partition(|unit| matches!(mine.get(unit.start), Some(TapeOp::Outcome(_))));
        middle
            .into_iter()
            .for_each(|unit| push(&mut tape, mine, unit.clone()));
        rest.into_iter()
            .for_each(|unit| push(&mut tape, theirs, unit.clone()));
        end.into_iter()
            .for_each(|unit| push(&mut tape, mine, unit.clone()));
    }
    if is_new && tape.is_well_formed() {
        game.tape = tape;
        return true;
    }
    false
}

/// A move of the main line with all that stands behind it; the first has no move.
struct MainLineSegment {
    m: Option<usize>,
    units: Vec<AnnotationUnit>,
}

impl MainLineSegment {
    fn all(tape: &Tape) -> Vec<MainLineSegment> {
        let mut segments = vec![MainLineSegment {
            m: None,
            units: Vec::new(),
        }];
        let mut at = 0;
        while let Some(op) = tape.get(at) {
            let end = match op {
                TapeOp::Begin(_) => tape.skip(at).max(at + 1),
                _ => at + 1,
            };
            match op {
                TapeOp::Move(_) => segments.push(MainLineSegment {
                    m: Some(at),
                    units: Vec::new(),
                }),
                _ => {
                    if let Some(segment) = segments.last_mut() {
                        segment.units.push(at..end);
                    }
                }
            }
            at = end;
        }
        segments
    }

    fn m(&self, tape: &Tape) -> Option<TapeOp> {
        self.m.and_then(|at| tape.get(at))
    }

    fn head(&self) -> AnnotationUnit {
        self.m.map_or(0..0, |at| at..at + 1)
    }

    /// The NAGs with which it begins, and the rest.
    fn parts(&self, tape: &Tape) -> (&[AnnotationUnit], &[AnnotationUnit]) {
        let is_nag = |unit: &AnnotationUnit| matches!(tape.get(unit.start), Some(TapeOp::Nag(_)));
        let nags = self.units.iter().take_while(|unit| is_nag(unit)).count();
        self.units.split_at_checked(nags).unwrap_or((&[], &[]))
    }

    fn texts(&self, tape: &Tape) -> Vec<String> {
        self.units.iter().map(|unit| text(tape, unit)).collect()
    }
}

/// Whether a unit goes into another game.
fn is_taken(tape: &Tape, unit: &AnnotationUnit) -> bool {
    match tape.get(unit.start) {
        Some(TapeOp::Nag(_) | TapeOp::Begin(_)) => true,
        Some(TapeOp::Comment(id)) => !tape.text(id).trim().is_empty(),
        _ => false,
    }
}

fn push(tape: &mut Tape, from: &Tape, unit: AnnotationUnit) {
    for at in unit {
        if let Some(op) = from.get(at) {
            tape.push_from(from, op);
        }
    }
}

/// What a unit says, whatever its spaces are.
fn text(tape: &Tape, unit: &AnnotationUnit) -> String {
    let mut out = String::new();
    for at in unit.clone() {
        match tape.get(at) {
            Some(TapeOp::Comment(id) | TapeOp::Raw(id)) => {
                out.push('{');
                out.push_str(&fold(tape.text(id)));
                out.push('}');
            }
            Some(TapeOp::Ext(index)) => {
                let extension = usize::try_from(index)
                    .ok()
                    .and_then(|index| tape.extensions().get(index));
                out.push_str(&format!(
                    "{:?}",
                    extension.map(|one| (&one.name, &one.data))
                ));
            }
            Some(TapeOp::Begin(_)) => out.push('('),
            Some(op) => out.push_str(&format!("{op:?} ")),
            None => {}
        }
    }
    out
}
