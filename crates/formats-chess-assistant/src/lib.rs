//! The databases of Chess Assistant.

pub mod chess_assistant;
