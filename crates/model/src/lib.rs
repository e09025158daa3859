//! The game model of Tabiya.

pub mod board;
pub mod charset;
pub mod date;
pub mod eco;
pub mod nag;
pub mod outcome;
pub mod rating;
pub mod round;
pub mod tag_name;
pub mod time_control;
