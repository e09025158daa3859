//! Games as Parquet files ([`parquet`]), and lakes: folders of such files that a manifest lists ([`lake`]).

pub mod lake;
pub mod parquet;
