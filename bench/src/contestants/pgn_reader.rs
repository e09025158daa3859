//! The crate pgn-reader, with shakmaty replaying the main line.

use std::ops::ControlFlow;

use anyhow::Result;
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{CastlingMode, Chess, Position, fen::Fen};

use crate::task::{Contestant, FunctionInput, WorkCounts};

pub(crate) fn main_line() -> Contestant {
    Contestant::function(
        "pgn-reader",
        "pgn-reader 0.29 tokenises from memory, shakmaty 0.30.1 resolves and plays the main line; \
         variations are skipped, comments and tags are not kept; one thread",
        replay,
    )
}

fn replay(input: &FunctionInput) -> Result<WorkCounts> {
    let mut reader = Reader::new(input.bytes.as_slice());
    let mut replayer = Replayer::default();
    while reader.read_game(&mut replayer)?.is_some() {
        replayer.counts.games += 1;
    }
    Ok(replayer.counts)
}

#[derive(Default)]
struct Replayer {
    counts: WorkCounts,
}

impl Visitor for Replayer {
    type Tags = Option<Chess>;
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Self::Tags> {
        ControlFlow::Continue(None)
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN" {
            let position = Fen::from_ascii(value.as_bytes())
                .ok()
                .and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
            match position {
                Some(position) => *tags = Some(position),
                None => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(tags.unwrap_or_default())
    }

    fn san(&mut self, position: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        match san.san.to_move(position) {
            Ok(r#move) => {
                position.play_unchecked(r#move);
                self.counts.plies += 1;
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, _: Chess) {}
}
