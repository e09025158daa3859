//! What the encoders of both formats of Windows ([`crate::cbh`], [`crate::cbh2`]) have in common.
//!
//! A tape becomes a tree of moves with their annotations ([`walk`], [`tree`]), which each format writes in its own order and
//! its own words. Both read tags in the same way ([`tag_values`]), and tell what a copy has not ([`compare`]).

pub(crate) mod compare;
pub(crate) mod tag_values;
pub(crate) mod tree;
pub(crate) mod walk;

use tabiya_codec::fact_losses::ResultPair;
use tabiya_model::{Game, GameAspect, LossKind, Losses, Tape};

/// What a format tells as lost.
pub(crate) struct CbhLossKinds {
    /// Tags that are not there, or new.
    pub(crate) tag: &'static LossKind,
    /// Names that are cut.
    pub(crate) name: &'static LossKind,
    /// The starting position.
    pub(crate) start: &'static LossKind,
    /// Moves of the main line.
    pub(crate) moves: &'static LossKind,
    /// Variations.
    pub(crate) variation: &'static LossKind,
    /// Variations in another form.
    pub(crate) moved_variation: &'static LossKind,
    /// Comments at another place.
    pub(crate) moved_comment: &'static LossKind,
    /// NAGs.
    pub(crate) nag: &'static LossKind,
    /// NAGs at another place.
    pub(crate) moved_nag: &'static LossKind,
    /// Results at the end of the moves.
    pub(crate) ending: &'static LossKind,
    /// Results within the moves.
    pub(crate) outcome: &'static LossKind,
    /// Data that only one format has.
    pub(crate) extension: &'static LossKind,
    /// White space.
    pub(crate) layout: &'static LossKind,
}

/// The losses of one game.
pub(crate) struct CbhLossReport<'a> {
    pub(crate) losses: &'a mut Losses,
    pub(crate) kinds: &'static CbhLossKinds,
    number: u64,
    /// The aspects of what was told, one bit each.
    aspects: u16,
    /// Whether the first Result tag was told as lost.
    is_result_told: bool,
}

impl<'a> CbhLossReport<'a> {
    /// Begins the report of a game.
    pub(crate) fn of(
        game: &Game,
        kinds: &'static CbhLossKinds,
        losses: &'a mut Losses,
    ) -> CbhLossReport<'a> {
        CbhLossReport {
            losses,
            kinds,
            number: game.origin.number,
            aspects: 0,
            is_result_told: false,
        }
    }

    pub(crate) fn loss(&mut self, kind: &'static LossKind, detail: impl Into<String>) {
        self.aspects |= kind.aspect.bit();
        self.losses.report(kind, self.number, detail);
    }

    /// Tells results besides that of the header.
    pub(crate) fn other_results(&mut self, results: &ResultPair<'_>) {
        if results.other_tag().is_some() {
            self.loss(self.kinds.tag, results.both());
            self.is_result_told = true;
        }
        if results.other_ending().is_some() {
            self.loss(self.kinds.ending, results.both());
        }
    }

    /// Tells an annotation that was kept as bytes.
    pub(crate) fn lost_annotation(&mut self, kind: u8) {
        let what = format!("annotation of type {kind:02x}");
        self.loss(self.kinds.extension, what);
    }

    /// Whether something that was told explains a difference.
    fn explains(&self, aspect: GameAspect) -> bool {
        let mut told = GameAspect::ALL.into_iter();
        told.any(|told| self.aspects & told.bit() != 0 && told.explains(aspect))
    }
}

/// The data of the only extension of this name.
pub(crate) fn only_extension<'g>(tape: &'g Tape, name: &str) -> Option<&'g [u8]> {
    let mut all = tape.extensions().iter().filter(|it| it.name == name);
    let only = all.next()?;
    all.next().is_none().then_some(&only.data[..])
}
