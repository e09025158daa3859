//! All targets: those of the model, those that the registry of formats gives, and inner structures of formats.

use std::path::Path;

use crate::{
    FuzzTarget, cbh, cbh2, chess_assistant, databases, editor, history, lake, model,
    position_index, readers, traps,
};

/// Everything that reads bytes of strangers. The samples in `corpus` say which files belong together.
pub fn all(corpus: &Path) -> Vec<FuzzTarget> {
    let mut targets = model::targets();
    targets.extend(readers::targets());
    targets.extend(editor::targets());
    targets.extend(history::targets());
    targets.extend(databases::targets(corpus));
    targets.extend(lake::targets());
    targets.extend(cbh::targets());
    targets.extend(cbh2::targets());
    targets.extend(chess_assistant::targets());
    targets.extend(position_index::targets(corpus));
    targets
}

/// The target of a name, among the real ones and the ones that fail on purpose.
pub fn find(corpus: &Path, name: &str) -> Option<FuzzTarget> {
    all(corpus)
        .into_iter()
        .chain(traps::targets())
        .find(|target| target.name == name)
}
