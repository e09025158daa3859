//! The codecs of Tabiya.
pub mod io;
