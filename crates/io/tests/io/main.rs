//! Files and packing, through the public interface of the crate.

mod compression;
mod containers;
mod junctions;
