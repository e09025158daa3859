//! The tests of the model through its public face.

mod board;
mod board_corpus;
mod editor;
