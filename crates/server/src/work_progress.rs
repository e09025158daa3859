//! How far requests have come that are not answered yet: a tab gives its work a name, and asks by it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tabiya_model::Control;

use crate::work_slots;

/// Work that is under way.
struct NamedWork {
    /// The tab whose work it is: nobody else is told of it.
    tab: Arc<str>,
    name: Arc<str>,
    control: Control,
    /// Tells it from other work of the same name.
    number: u64,
}

#[derive(Default)]
struct NamedWorks {
    count: u64,
    all: Vec<NamedWork>,
}

/// The work under way of all tabs, as long as somebody waits for its answer.
#[derive(Clone, Default)]
pub(crate) struct WorkProgress(Arc<Mutex<NamedWorks>>);

/// Work is told of until this is dropped.
pub(crate) struct WorkProgressGuard {
    of: WorkProgress,
    number: u64,
}

impl WorkProgress {
    fn lock(&self) -> MutexGuard<'_, NamedWorks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of the work of the request that is answered now, if its tab has given it a name.
    pub(crate) fn tell(&self, control: &Control) -> Option<WorkProgressGuard> {
        let name = work_slots::work_name()?;
        let mut works = self.lock();
        works.count += 1;
        let number = works.count;
        works.all.push(NamedWork {
            tab: work_slots::who(),
            name,
            control: control.clone(),
            number,
        });
        Some(WorkProgressGuard {
            of: self.clone(),
            number,
        })
    }

    /// The control of work of the tab that asks now; the newest of several of one name.
    pub(crate) fn find(&self, name: &str) -> Option<Control> {
        let tab = work_slots::who();
        let works = self.lock();
        let mut newest_first = works.all.iter().rev();
        let found = newest_first.find(|work| work.tab == tab && &*work.name == name);
        found.map(|work| work.control.clone())
    }
}

impl Drop for WorkProgressGuard {
    fn drop(&mut self) {
        self.of.lock().all.retain(|work| work.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tab_that_waits_is_told() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        let works = WorkProgress::default();
        let control = Control::default();
        control.expect(Some(10));
        let tell = |tab: &'static str, work: &'static str| {
            let works = works.clone();
            let control = control.clone();
            runtime.block_on(work_slots::as_client(tab, work, async move {
                works.tell(&control)
            }))
        };
        let find = |tab: &'static str, name: &'static str| {
            let works = works.clone();
            runtime.block_on(work_slots::as_client(tab, "", async move {
                works.find(name).map(|control| control.progress().total)
            }))
        };
        assert!(
            tell("a", "").is_none(),
            "work without a name is not told of"
        );
        let first = tell("a", "w1");
        let second = tell("a", "w1");
        assert_eq!(find("a", "w1"), Some(Some(10)));
        assert_eq!(find("b", "w1"), None);
        assert_eq!(find("a", "w2"), None);
        drop(first);
        assert!(find("a", "w1").is_some(), "another one has this name");
        drop(second);
        assert_eq!(find("a", "w1"), None);
        assert!(works.lock().all.is_empty());
    }
}
