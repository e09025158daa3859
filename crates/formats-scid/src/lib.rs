//! The databases of Scid, in all three versions.

pub mod scid;
