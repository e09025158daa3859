//! The program as its users run it.

#[cfg(feature = "cluster")]
mod cluster;
mod engines;
mod games;
mod promises;
#[cfg(feature = "s3")]
mod s3;
mod sql;
mod terminal;
