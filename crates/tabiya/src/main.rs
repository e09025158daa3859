//! The command line of Tabiya.

fn main() {}
