//! The databases of the app for the tools for language models: those that are shown, under their names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tabiya::Opener;
use tabiya_mcp::{McpBase, McpBases, McpRefusal};
use tabiya_model::Control;

use crate::ServerState;
use crate::answer::Refusal;
use crate::library::{LibraryChange, file_name};
use crate::routes::target_place;

/// What is shown to the tools.
pub(crate) struct LibraryBases(pub(crate) ServerState);

impl From<Refusal> for McpRefusal {
    fn from(refusal: Refusal) -> McpRefusal {
        McpRefusal::new(refusal.answer.code, refusal.answer.error)
    }
}

impl LibraryBases {
    /// The databases with their ids, by their names.
    fn by_name(&self) -> (BTreeMap<String, (String, McpBase)>, Vec<String>) {
        let library = &self.0.library;
        let (mut all, mut failed) = (BTreeMap::new(), Vec::new());
        for id in library.ids() {
            let base = match library.get(&id) {
                Ok(base) => base,
                Err(refusal) => {
                    failed.push(refusal.answer.error);
                    continue;
                }
            };
            let short = file_name(&base);
            let numbered = (2..).map(|number| format!("{short} ({number})"));
            let mut names = std::iter::once(short.clone()).chain(numbered);
            let name = names.find(|name| !all.contains_key(name)).unwrap_or(short);
            let is_editable =
                base.format().edit.is_some() && !library.is_copy(&id) && library.may_change(&base);
            let told = McpBase {
                name: name.clone(),
                id: Some(id.clone()),
                base,
                is_editable,
            };
            all.insert(name, (id, told));
        }
        (all, failed)
    }
}

impl McpBases for LibraryBases {
    fn all(&self, _: bool) -> (Vec<McpBase>, Vec<String>) {
        let (all, failed) = self.by_name();
        (all.into_values().map(|(_, base)| base).collect(), failed)
    }

    fn opener(&self) -> Opener {
        self.0.library.opener().clone()
    }

    fn changed(&self, name: &str) {
        if let Some((id, _)) = self.by_name().0.get(name) {
            // What cannot be opened any more is told when it is asked for.
            let _ = self.0.library.changed(id, LibraryChange::Edited);
        }
    }

    fn target(&self, name: &str) -> Result<PathBuf, McpRefusal> {
        let path = match self.folders().first() {
            Some(first) => first.join(name),
            None => PathBuf::from(name),
        };
        let path = path
            .to_str()
            .ok_or_else(|| McpRefusal::new("bad-path", "the name of the file is not UTF-8"))?;
        Ok(target_place(&self.0, path)?)
    }

    fn added(&self, path: &Path) -> Option<String> {
        let library = &self.0.library;
        let ids = library.open_path(path, None, &Control::default()).ok()?;
        let id = ids.first()?;
        let all = self.by_name().0.into_iter();
        let mut found = all.filter(|(_, (known, _))| known == id);
        found.next().map(|(name, _)| name)
    }

    fn folders(&self) -> Vec<PathBuf> {
        let roots = self.0.library.roots().iter();
        roots.filter(|root| root.is_dir()).cloned().collect()
    }
}
