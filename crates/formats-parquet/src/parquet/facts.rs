//! Facts from the columns: for the requested row groups and fields, when they are first needed. Names get numbers in the
//! order of their first use.
//!
//! The cache is bounded: for a large database, the oldest fields make room for others, and names without room are left
//! unsaid.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use tabiya_model::Result;
use tabiya_model::facts::{FactFields, FactSource, GameFacts, NameTable};

use super::database::ParquetDatabase;
use super::fact_slots::{FactSlot, ListedTagRows, MOVE_COLUMNS, SlotCells};

/// The memory for all fields together, and that for names.
const MOST: usize = 256 << 20;
const MOST_NAMES: usize = 256 << 20;

/// The names of a table, with their numbers.
#[derive(Default)]
struct ParquetNames {
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
    weight: usize,
}

impl ParquetNames {
    /// The number of a name, which is added if it is new; `None` if there is no room.
    fn number(&mut self, name: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        // A text, two pointers to it, and its share of the map.
        self.weight += name.len() + 64;
        let number = u32::try_from(self.texts.len()).ok();
        let number = number.filter(|_| self.weight <= MOST_NAMES)?;
        let name: Arc<str> = name.into();
        self.texts.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        Some(number)
    }
}

/// A row group of a file.
struct FactRowGroup {
    /// Its first game, counted from 0 through all files, and the one after its last.
    first: u64,
    end: u64,
    told: OnceLock<ListedTagRows>,
    cells: [RwLock<Option<SlotCells>>; FactSlot::ALL.len()],
}

/// The fields that were read, the oldest first: file, row group, field and weight.
#[derive(Default)]
struct SlotHistory {
    fields: VecDeque<(usize, usize, usize, usize)>,
    weight: usize,
}

/// The known facts about the games of a database.
#[derive(Default)]
pub(super) struct ParquetFactCache {
    files: Vec<OnceLock<Box<[FactRowGroup]>>>,
    names: [RwLock<ParquetNames>; NameTable::ALL.len()],
    /// Which fields have numbers for all of their names.
    whole: [OnceLock<()>; FactSlot::ALL.len()],
    /// Whether the first file has the facts that follow from the moves.
    says_moves: OnceLock<bool>,
    taken: Mutex<SlotHistory>,
}

impl ParquetFactCache {
    /// For a number of files, with nothing known yet.
    pub(super) fn new(files: usize) -> ParquetFactCache {
        ParquetFactCache {
            files: (0..files).map(|_| OnceLock::new()).collect(),
            ..ParquetFactCache::default()
        }
    }

    fn groups(&self, base: &ParquetDatabase, file: usize) -> &[FactRowGroup] {
        let Some(groups) = self.files.get(file) else {
            return &[];
        };
        groups.get_or_init(|| {
            // A file that cannot be opened gives no facts: the error is reported when its games are read.
            let Ok(opened) = base.file(file) else {
                return Box::default();
            };
            let before = base.start_of(file);
            let mut groups = Vec::new();
            let mut next = 0;
            while next < opened.count() {
                let (end, _) = opened.group_end(next);
                if end <= next {
                    break;
                }
                groups.push(FactRowGroup {
                    first: before + next,
                    end: before + end,
                    told: OnceLock::new(),
                    cells: Default::default(),
                });
                next = end;
            }
            groups.into()
        })
    }

    /// Adds what a field has about a row of a row group.
    #[inline]
    fn say(
        &self,
        base: &ParquetDatabase,
        at: (usize, usize),
        game: u64,
        slot: FactSlot,
        fact: &mut GameFacts,
    ) {
        let Some(group) = self.groups(base, at.0).get(at.1) else {
            return slot.unsay(fact);
        };
        let row = usize::try_from(game - group.first).unwrap_or(usize::MAX);
        let Some(place) = group.cells.get(slot as usize) else {
            return slot.unsay(fact);
        };
        let cells = place.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(cells) = &*cells {
            return cells.say(slot, row, fact);
        }
        drop(cells);
        let mut cells = place.write().unwrap_or_else(PoisonError::into_inner);
        let weight = match &*cells {
            Some(_) => 0,
            None => {
                let taken = self.take(base, at.0, group, slot);
                // An unreadable field gives no facts.
                let taken = taken.unwrap_or_else(|_| SlotCells::none());
                cells.insert(taken).weight()
            }
        };
        if let Some(cells) = &*cells {
            cells.say(slot, row, fact);
        }
        drop(cells);
        if weight > 0 {
            self.keep(base, (at.0, at.1, slot as usize, weight));
        }
    }

    /// Records a field that was read, and drops others if they take too much memory together.
    fn keep(&self, base: &ParquetDatabase, field: (usize, usize, usize, usize)) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.weight += field.3;
        taken.fields.push_back(field);
        while taken.weight > MOST && taken.fields.len() > 1 {
            let Some((file, group, slot, weight)) = taken.fields.pop_front() else {
                break;
            };
            taken.weight -= weight;
            let groups = self.groups(base, file);
            let place = groups.get(group).and_then(|group| group.cells.get(slot));
            // A field that is in use is dropped another time.
            match place.map(RwLock::try_write) {
                Some(Ok(mut cells)) => *cells = None,
                Some(Err(_)) => {
                    taken.weight += weight;
                    taken.fields.push_back((file, group, slot, weight));
                    break;
                }
                None => {}
            }
        }
    }

    fn take(
        &self,
        base: &ParquetDatabase,
        file: usize,
        group: &FactRowGroup,
        slot: FactSlot,
    ) -> Result<SlotCells> {
        let opened = base.file(file)?;
        let before = base.start_of(file);
        let rows = group.first - before..group.end - before;
        let told = match group.told.get() {
            Some(told) => told,
            None => {
                let told = ListedTagRows::read(&opened, &rows)?;
                group.told.get_or_init(|| told)
            }
        };
        let mut cells = SlotCells::read(&opened, &rows, before, slot, told)?;
        if let Some(table) = slot.table()
            && let Some(names) = self.names.get(table as usize)
        {
            let mut names = names.write().unwrap_or_else(PoisonError::into_inner);
            cells.number(|name| names.number(name));
        }
        Ok(cells)
    }

    /// Whether the files have the columns that follow from the moves, judged by the first of them.
    fn says_moves(&self, base: &ParquetDatabase) -> bool {
        *self.says_moves.get_or_init(|| {
            let file = base.file(0);
            file.is_ok_and(|file| file.has_derived(MOVE_COLUMNS))
        })
    }

    /// Reads all names of fields, on all threads.
    fn complete(&self, base: &ParquetDatabase, slots: &[FactSlot]) {
        let work: Vec<(usize, FactSlot)> = (0..self.files.len())
            .flat_map(|file| slots.iter().map(move |slot| (file, *slot)))
            .collect();
        let next = AtomicUsize::new(0);
        let job = || {
            while let Some((file, slot)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                for (at, group) in self.groups(base, *file).iter().enumerate() {
                    let mut fact = GameFacts::default();
                    self.say(base, (*file, at), group.first, *slot, &mut fact);
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 1..threads.min(work.len()) {
                scope.spawn(job);
            }
            job();
        });
    }
}

impl FactSource for ParquetDatabase {
    fn len(&self) -> u64 {
        self.count()
    }

    #[inline]
    fn fact(&self, number: u64, wanted: FactFields) -> Option<GameFacts> {
        let game = number.checked_sub(1).filter(|game| *game < self.count())?;
        let known = self.known();
        let file = self.member_of(game);
        let groups = known.groups(self, file);
        let group = groups.partition_point(|group| group.first <= game);
        let group = group.saturating_sub(1);
        let mut fact = GameFacts {
            unsaid: FactFields::ALL.without(wanted),
            ..GameFacts::default()
        };
        for slot in FactSlot::ALL {
            if wanted.meets(slot.fields()) {
                known.say(self, (file, group), game, slot, &mut fact);
            }
        }
        Some(fact)
    }

    fn never_says(&self) -> FactFields {
        match self.known().says_moves(self) {
            true => FactFields::NONE,
            false => FactFields::MOVES,
        }
    }

    fn is_index(&self) -> bool {
        // Columns are decompressed for many games at once.
        false
    }

    fn has_more_tags(&self, _: u64, _: FactFields) -> bool {
        // Tag values without a field here are left unsaid.
        false
    }

    fn spells_otherwise(&self, _: u64, _: FactFields) -> bool {
        // A cell is judged by its meaning: only the game shows its spelling, and whether there is a tag at all.
        true
    }

    fn names(&self, table: NameTable) -> u32 {
        self.names_of(table, table.fields())
    }

    fn names_of(&self, table: NameTable, fields: FactFields) -> u32 {
        let known = self.known();
        let is_whole = |slot: FactSlot| {
            let whole = known.whole.get(slot as usize);
            whole.is_some_and(|whole| whole.get().is_some())
        };
        let slots: Vec<FactSlot> = FactSlot::ALL
            .into_iter()
            .filter(|slot| slot.table() == Some(table) && slot.fields().meets(fields))
            .filter(|slot| !is_whole(*slot))
            .collect();
        if !slots.is_empty() {
            known.complete(self, &slots);
            for whole in slots
                .iter()
                .filter_map(|slot| known.whole.get(*slot as usize))
            {
                let _ = whole.set(());
            }
        }
        let count = known.names.get(table as usize).map_or(0, |names| {
            let names = names.read().unwrap_or_else(PoisonError::into_inner);
            names.texts.len()
        });
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn name(&self, table: NameTable, number: u32) -> Cow<'_, str> {
        let name = self.known().names.get(table as usize).and_then(|names| {
            let names = names.read().unwrap_or_else(PoisonError::into_inner);
            names.texts.get(number as usize).cloned()
        });
        name.map_or(Cow::Borrowed(""), |name| Cow::Owned(name.as_ref().into()))
    }
}
