//! The last counts of references for repertoires, and the running trainings.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shakmaty::Color;
use tabiya::base::BaseGeneration;
use tabiya::repertoire::{Repertoire, RepertoireReference, TrainingSession};

use crate::limits;
use crate::routes::selection::SelectionParameters;

/// Of which files a repertoire was made, and which games were counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RepertoireKey {
    pub(crate) base: (String, BaseGeneration),
    pub(crate) color: Option<Color>,
    pub(crate) reference: (String, BaseGeneration, SelectionParameters),
}

/// A repertoire, and what a reference has of it.
#[derive(Clone, Debug)]
pub(crate) struct RepertoireEntry {
    pub(crate) repertoire: Arc<Repertoire>,
    /// The sides for which the database has games.
    pub(crate) colors: Vec<Color>,
    pub(crate) reference: Option<Arc<RepertoireReference>>,
}

/// The last ones that were asked for.
#[derive(Default)]
pub(crate) struct RepertoireStore(Mutex<VecDeque<(RepertoireKey, RepertoireEntry)>>);

impl RepertoireStore {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(RepertoireKey, RepertoireEntry)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that was made of the same files.
    pub(crate) fn get(&self, key: &RepertoireKey) -> Option<RepertoireEntry> {
        let mut kept = self.lock();
        let at = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(at)?;
        let entry = found.1.clone();
        kept.push_back(found);
        Some(entry)
    }

    pub(crate) fn keep(&self, key: RepertoireKey, entry: RepertoireEntry) {
        let mut kept = self.lock();
        // What was made of files as they were before is not asked for again.
        kept.retain(|(known, _)| known.base.0 != key.base.0 || known.base.1 == key.base.1);
        kept.push_back((key, entry));
        while kept.len() > limits::REPERTOIRES {
            kept.pop_front();
        }
    }
}

/// A training.
#[derive(Debug)]
pub(crate) struct TrainingEntry {
    pub(crate) id: String,
    pub(crate) session: TrainingSession<'static>,
    /// Positions that were to be asked.
    pub(crate) all: u64,
    /// Right answers that went into the log.
    pub(crate) right: u64,
    /// Wrong answers.
    pub(crate) wrong: u64,
    /// The number of the question that is open.
    pub(crate) number: u64,
    /// Whether it is the first one of its line.
    pub(crate) begins: bool,
}

/// The trainings under way; the oldest goes when there are too many.
#[derive(Default)]
pub(crate) struct Trainings(Mutex<TrainingStore>);

#[derive(Default)]
struct TrainingStore {
    /// How many there were in all.
    begun: u64,
    trainings: VecDeque<(String, Arc<Mutex<TrainingEntry>>)>,
}

impl Trainings {
    /// Begins one.
    pub(crate) fn begin(
        &self,
        session: TrainingSession<'static>,
        all: usize,
    ) -> Arc<Mutex<TrainingEntry>> {
        let mut store = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        store.begun += 1;
        let id = format!("t{}", store.begun);
        let entry = Arc::new(Mutex::new(TrainingEntry {
            id: id.clone(),
            session,
            all: all as u64,
            right: 0,
            wrong: 0,
            number: 1,
            begins: true,
        }));
        store.trainings.push_back((id, Arc::clone(&entry)));
        while store.trainings.len() > limits::TRAININGS {
            store.trainings.pop_front();
        }
        entry
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<Mutex<TrainingEntry>>> {
        let store = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = store.trainings.iter().find(|(known, _)| known == id);
        found.map(|(_, entry)| Arc::clone(entry))
    }
}
