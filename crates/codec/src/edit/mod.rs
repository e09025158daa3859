//! Changing a database in place: the only way in which Tabiya touches what it did not create.
//!
//! Every format that can be written can be changed. Scid's bases have a way of their own (`scid::edit`); files of
//! text are copied around what is new, and others are written anew beside the old one and take its place.

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
