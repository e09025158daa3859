//! Files and packing, through the public face of the crate.

mod compression;
mod containers;
mod junctions;
