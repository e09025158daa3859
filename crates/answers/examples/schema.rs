//! Prints the schemas of all answers: `cargo xtask answers` makes documents and types of them.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let schemas = tabiya_answers::schema::schemas();
    writeln!(std::io::stdout(), "{schemas:#}")
}
