//! Parquet files as typed columns, for programs that know the meaning of the columns: a table of flat columns (numbers,
//! texts, bytes; each may be missing) is written in row groups, and read row by row.
//!
//! A file may come from anybody: no length in a file is trusted before the bytes are there, decompression is bounded, and
//! values are decoded on demand, so that a page of a few bytes that claims millions of values costs nothing. Files of other
//! programs can be read: pages of both versions, every encoding of numbers and texts, `zstd`, `snappy` and `gzip`.
//!
//! A file that is written here has a checksum for each of its chunks, and a chunk that was changed since is refused
//! before it is decoded.

mod cells;
mod chunk;
mod chunk_writer;
mod deltas;
mod error;
mod footer;
mod footer_writer;
mod hybrid_runs;
mod pages;
mod reader;
mod remote_sums;
mod schema;
mod statistics;
mod sums;
mod thrift;
mod thrift_writer;
mod unpack;
mod writer;

pub use cells::{CellValue, ColumnData, ColumnValues, RowGroupBuilder};
pub use chunk::DictionaryEntry;
pub use error::{Error, Result};
pub use reader::{ParquetReader, RowGroupReader};
pub use remote_sums::{ChunkSums, TAIL};
pub use schema::{ColumnEncoding, ColumnSchema, ColumnType};
pub use writer::{PackedRowGroup, ParquetWriter, RowGroupPacker};

/// The magic bytes at the beginning and the end of every Parquet file.
pub const MAGIC: &[u8; 4] = b"PAR1";

/// The prefix of this program's name as a writer.
const WRITER: &str = "tabiya ";
