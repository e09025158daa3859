//! A source that listens to a control: its games end when the control is stopped, and the control learns how far they
//! have come.

use tabiya_model::{About, Block, Control, Diagnostics, Game, Losses, Result, Source, Want};

/// A source under control.
pub(crate) struct Controlled<'b> {
    source: Box<dyn Source<'b> + 'b>,
    control: &'b Control,
}

impl<'b> Controlled<'b> {
    pub(crate) fn new(source: Box<dyn Source<'b> + 'b>, control: &'b Control) -> Controlled<'b> {
        if let Some(bytes) = source.total_bytes() {
            // Several sources of one job add up.
            let before = control.progress().total.unwrap_or(0);
            control.expect(Some(before.saturating_add(bytes)));
        }
        Controlled { source, control }
    }
}

impl<'b> Source<'b> for Controlled<'b> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'b>>> {
        if self.control.is_stopped() {
            return Ok(None);
        }
        let block = self.source.next_block()?;
        Ok(block.map(|block| {
            Box::new(Counted {
                block,
                control: self.control,
                games: 0,
            }) as Box<dyn Block + 'b>
        }))
    }

    fn diagnostics(&self) -> Diagnostics {
        self.source.diagnostics()
    }

    fn about(&self) -> About {
        self.source.about()
    }

    fn gone(&self) -> Losses {
        self.source.gone()
    }

    fn total_bytes(&self) -> Option<u64> {
        self.source.total_bytes()
    }
}

struct Counted<'b> {
    block: Box<dyn Block + 'b>,
    control: &'b Control,
    games: u64,
}

impl Block for Counted<'_> {
    fn next(&mut self, want: Want, game: &mut Game) -> Result<bool> {
        if self.control.is_stopped() {
            return Ok(false);
        }
        let read = self.block.next(want, game)?;
        self.games += u64::from(read);
        Ok(read)
    }

    fn again(&mut self, want: Want, game: &mut Game) -> Result<bool> {
        self.block.again(want, game)
    }

    fn is_repeatable(&self) -> bool {
        self.block.is_repeatable()
    }

    fn first(&self) -> Option<u64> {
        self.block.first()
    }

    fn bytes(&self) -> u64 {
        self.block.bytes()
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.control.advance(self.games, self.block.bytes());
    }
}
