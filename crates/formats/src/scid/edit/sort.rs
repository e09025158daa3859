//! The order of games, by what the index says of them.

use std::cmp::Ordering;

use super::super::layout::{Entry, NameKind};
use crate::edit::order::{SortField, SortKey, numbers};

impl SortKey {
    /// Compares two games; `name` gives a name by its number.
    pub(super) fn compare<'n>(
        self,
        a: &Entry,
        b: &Entry,
        name: &impl Fn(NameKind, u32) -> &'n [u8],
    ) -> Ordering {
        let by_name = |kind: NameKind, black: bool| {
            let (a, b) = (
                name(kind, a.name(kind, black)),
                name(kind, b.name(kind, black)),
            );
            let folded = |name: &[u8]| name.to_ascii_lowercase();
            folded(a).cmp(&folded(b)).then_with(|| a.cmp(b))
        };
        let order = match self.field {
            SortField::Date => a.date.cmp(&b.date),
            SortField::EventDate => a.event_date.cmp(&b.event_date),
            SortField::White => by_name(NameKind::Player, false),
            SortField::Black => by_name(NameKind::Player, true),
            SortField::Event => by_name(NameKind::Event, false),
            SortField::Site => by_name(NameKind::Site, false),
            SortField::Round => numbers(name(NameKind::Round, a.round))
                .cmp(&numbers(name(NameKind::Round, b.round)))
                .then_with(|| by_name(NameKind::Round, false)),
            SortField::Result => a.outcome.cmp(&b.outcome),
            SortField::WhiteElo => a.white_rating.cmp(&b.white_rating),
            SortField::BlackElo => a.black_rating.cmp(&b.black_rating),
            SortField::Eco => a.eco.cmp(&b.eco),
            SortField::Plies => a.plies.cmp(&b.plies),
        };
        if self.descending {
            order.reverse()
        } else {
            order
        }
    }
}
