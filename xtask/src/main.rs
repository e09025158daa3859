//! Every step of the continuous integration.

fn main() {}
