//! The laws of every format.

mod conformance;
mod edit;
mod editor;
#[path = "../games/mod.rs"]
mod games;
mod golden;
mod judge;
mod mutations;
mod reading;
