//! Sets a tag of one game in a database, and undoes the change.
//!
//! ```sh
//! cargo run --example edit -- games.si5 1 Round 3
//! ```

#![allow(clippy::print_stdout)] // A program prints, other than the library.

use std::env::args;
use std::path::Path;

use tabiya::Opener;
use tabiya::edit::{EditOperation, edit, history};
use tabiya::model::{Control, GameNeeds};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = args().skip(1).collect();
    let [path, number, name, value] = &words[..] else {
        return Err("give a database, a game number, and the name and value of a tag".into());
    };
    let (path, number) = (Path::new(path), number.parse::<u64>()?);
    let (opener, control) = (Opener::default(), Control::default());
    let show = |when: &str| -> tabiya::model::Result<()> {
        for base in tabiya::open(path)? {
            let game = base.read(number, GameNeeds::TAGS)?;
            println!("{when}: {name} is \"{}\"", game.tags.value(name));
        }
        Ok(())
    };
    show("before")?;
    let tags = vec![(name.clone(), value.clone())];
    let games = (number..number + 1).into();
    edit(&opener, path, &EditOperation::Set { games, tags }, &control)?;
    show("changed")?;
    // The history is kept beside the base, so that another program can take the change back as well.
    let (change, _) = history(&opener, path)?.to_undo(0)?;
    println!("to undo: {}", change.wish);
    edit(&opener, path, &EditOperation::Undo, &control)?;
    show("undone")?;
    Ok(())
}
