//! The results of searches, kept for the pages of a list. If there are too many, the oldest is dropped.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use tabiya::Base;

use crate::limits;
use crate::routes::selection::SelectionParameters;

/// A game that was found: its number, and the ply where the query first holds.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ViewMatch {
    pub(crate) number: u64,
    pub(crate) ply: Option<u32>,
}

/// What was searched for: in which base, which games, in which order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ViewKey {
    pub(crate) base: String,
    pub(crate) games: SelectionParameters,
    pub(crate) sort: String,
    /// The state of all databases, if the query may name a repertoire among them.
    pub(crate) state: Option<u64>,
}

/// The hits of one search, in the order in which they are shown.
pub(crate) struct SearchView {
    pub(crate) base: Base,
    of: ViewKey,
    hits: RwLock<Vec<ViewMatch>>,
    /// What was said of a search that was done whole: it is not done twice.
    done: OnceLock<Vec<String>>,
}

impl SearchView {
    pub(crate) fn push(&self, hit: ViewMatch) -> usize {
        let mut hits = self.hits.write().unwrap_or_else(PoisonError::into_inner);
        hits.push(hit);
        hits.len()
    }

    /// Takes all hits at once.
    pub(crate) fn fill(&self, all: Vec<ViewMatch>) {
        *self.hits.write().unwrap_or_else(PoisonError::into_inner) = all;
    }

    /// The search was done whole; `notes` were said of it.
    pub(crate) fn finish(&self, notes: Vec<String>) {
        let _ = self.done.set(notes);
    }

    /// What was said of it, where it was done whole.
    pub(crate) fn notes(&self) -> Option<&[String]> {
        self.done.get().map(Vec::as_slice)
    }

    pub(crate) fn len(&self) -> usize {
        self.hits
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    /// Hits from a place on.
    pub(crate) fn page(&self, from: u64, count: u64) -> Vec<ViewMatch> {
        let hits = self.hits.read().unwrap_or_else(PoisonError::into_inner);
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(hits.len());
        let to = from
            .saturating_add(usize::try_from(count).unwrap_or(usize::MAX))
            .min(hits.len());
        hits.get(from..to).unwrap_or(&[]).to_vec()
    }
}

/// The views that are kept.
#[derive(Default)]
pub(crate) struct SearchViews(Mutex<SearchViewStore>);

#[derive(Default)]
struct SearchViewStore {
    /// How many there were in all.
    begun: u64,
    /// With their ids, the newest last.
    views: VecDeque<(String, Arc<SearchView>)>,
}

impl SearchViews {
    /// A new one for a base, or the one of the same search where it was done whole on the same files.
    pub(crate) fn begin(&self, base: Base, of: ViewKey) -> (String, Arc<SearchView>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |view: &SearchView| {
            view.of == of && view.notes().is_some() && view.base.generation() == base.generation()
        };
        if let Some(at) = kept.views.iter().position(|(_, view)| same(view))
            && let Some((id, view)) = kept.views.remove(at)
        {
            kept.views.push_back((id.clone(), Arc::clone(&view)));
            return (id, view);
        }
        let view = Arc::new(SearchView {
            base,
            of,
            hits: RwLock::default(),
            done: OnceLock::new(),
        });
        kept.begun += 1;
        let id = format!("v{}", kept.begun);
        kept.views.push_back((id.clone(), Arc::clone(&view)));
        let mut hits: usize = kept.views.iter().map(|(_, view)| view.len()).sum();
        while kept.views.len() > limits::VIEWS || (hits > limits::HITS && kept.views.len() > 1) {
            if let Some((_, view)) = kept.views.pop_front() {
                hits -= view.len();
            }
        }
        (id, view)
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<SearchView>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.views
            .iter()
            .find(|(known, _)| known == id)
            .map(|(_, view)| Arc::clone(view))
    }
}
