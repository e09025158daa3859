//! Games as rows in memory, for computing with the columns directly, without a file.

use tabiya_columns::{ColumnSchema, RowGroupBuilder};
use tabiya_model::{Encoder, Game, Losses};

use super::encode::ParquetRowEncoder;
use super::layout;

/// Makes rows of games, in the columns of a file.
pub struct ParquetRowBuffer(ParquetRowEncoder);

impl Default for ParquetRowBuffer {
    fn default() -> ParquetRowBuffer {
        ParquetRowBuffer(ParquetRowEncoder::new(layout::MoveColumn::Fast))
    }
}

impl std::fmt::Debug for ParquetRowBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rows")
    }
}

impl ParquetRowBuffer {
    /// The columns, in their order.
    #[must_use]
    pub fn fields() -> Vec<ColumnSchema> {
        layout::fields(layout::MoveColumn::Fast)
    }

    /// Adds a game as a row. Its number is left out: it is known when the rows are taken.
    pub fn push(&mut self, game: &Game) {
        // The columns hold every game completely, so nothing can be lost.
        self.0.encode(game, &mut Losses::default());
    }

    /// Takes the rows that were added.
    pub fn take(&mut self) -> RowGroupBuilder {
        self.0.take_rows()
    }
}
