//! The game model of Tabiya.
//!
//! A [`game::Game`] holds its tags, its start, and its moves with everything around them on a [`tape::Tape`].
//! Formats implement the traits of [`database`]; what they notice are [`diagnostic`]s, what they cannot hold are
//! [`loss`]es. This crate opens no file and prints nothing.

pub mod about;
pub mod beginning;
pub mod board;
pub mod canon;
pub mod catalogue;
pub mod charset;
pub mod collect;
pub mod command;
pub mod control;
pub mod database;
pub mod date;
pub mod diagnostic;
pub mod diff;
pub mod digits;
pub mod eco;
pub mod editor;
pub mod error;
pub mod facts;
pub mod game;
pub mod json;
pub mod judgement;
pub mod limits;
pub mod loss;
pub mod nag;
pub mod notation;
pub mod order;
pub mod outcome;
pub mod performance;
pub mod pipeline;
pub mod places;
pub mod positions;
pub mod rating;
pub mod round;
#[cfg(feature = "serde")]
mod serialize;
pub mod tag_name;
pub mod tags;
pub mod tape;
pub mod text;
pub mod time_control;

pub use about::About;
pub use board::{Board, Move};
pub use control::{Control, Ended};
pub use database::{Block, Database, Encoder, Info, Part, Sink, Source, Summary, Want};
pub use diagnostic::{Code, Diagnostic, Diagnostics, Place, Severity};
pub use error::{Error, ErrorKind, Result};
pub use game::Game;
pub use loss::{Aspect, Loss, LossKind, LossReport, Losses};
pub use tags::Tags;
pub use tape::{Op, Replay, Tape};
