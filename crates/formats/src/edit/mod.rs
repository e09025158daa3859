//! Changing a database in place: the only way in which Tabiya touches what it did not create.
//!
//! Every format that can be written can be changed. Scid's bases have a way of their own ([`crate::scid::edit`]); files of
//! text are copied around what is new, and others are written anew beside the old one and take its place.

pub(crate) mod editor;
mod game_list;
mod interrupted;
pub(crate) mod rewrite;
mod spans;
pub(crate) mod splice;
mod steps;
#[cfg(test)]
pub(crate) mod tests;

pub use self::editor::{DatabaseEditor, DescriptionChange, HistoryNoteFn, STAGE};
pub use self::interrupted::{finish_interrupted, open_settled};
pub(crate) use self::steps::{commit, edit_keys, failed, is_order, no_order, without};
