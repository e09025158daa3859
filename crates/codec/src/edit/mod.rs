//! Changing a database in place: the only way in which Tabiya touches what it did not create.
//!
//! Every format that can be written can be changed. Scid databases have their own way (`scid::edit`); text files are
//! copied around the changes, and others are rewritten next to the old database and replace it.

pub mod editor;
mod game_list;
mod interrupted;
pub mod rewrite;
mod spans;
pub mod splice;
mod steps;

pub use self::editor::{DatabaseEditor, DescriptionChange, HistoryNoteFn, STAGE};
pub use self::interrupted::{finish_interrupted, open_settled};
pub use self::steps::{commit, edit_keys, failed, is_order, no_order, without};
