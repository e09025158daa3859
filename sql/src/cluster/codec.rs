//! How tables, steps of plans and our functions are sent between machines.
//!
//! Everything begins with the version of the program: data from another version is refused, because its meaning may differ.
//! Tables are sent as the names of their files, which every machine opens itself, under its own roots.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, TableReference};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, ScalarUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::bytes::Serializeable;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde::{Deserialize, Serialize};

use crate::file_tables::FileTables;
use crate::functions;
use crate::parquet::ParquetTable;
use crate::roots::refuse;
use crate::series::{SeriesFunction, SeriesTable};
use crate::table::{DatabaseScan, DatabaseTable, TableSearch};

/// What everything begins with: the name of the program.
const MARK: &[u8] = b"tabiya ";
/// The version that follows it.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How many tables a machine keeps open between the steps of queries.
const MOST_TABLES: usize = 16;

/// Puts the version before what is written.
fn sealed(buf: &mut Vec<u8>, version: &str) {
    buf.extend_from_slice(MARK);
    buf.extend_from_slice(version.as_bytes());
    buf.push(0);
}

/// What stands behind the version, if it is this one.
fn opened<'b>(buf: &'b [u8], what: &str) -> Result<&'b [u8]> {
    let rest = buf.strip_prefix(MARK).ok_or_else(|| {
        DataFusionError::Execution(format!(
            "{what} came from a program that is not Tabiya {VERSION}, which this machine runs: all machines of a cluster must run the same version"
        ))
    })?;
    let end = rest
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(rest.len());
    let (version, rest) = rest.split_at(end);
    if version != VERSION.as_bytes() {
        return Err(DataFusionError::Execution(format!(
            "{what} came from Tabiya {}, and this machine runs {VERSION}: all machines of a cluster must run the same version",
            String::from_utf8_lossy(version)
        )));
    }
    Ok(rest.get(1..).unwrap_or_default())
}

fn damaged(error: &serde_json::Error) -> DataFusionError {
    DataFusionError::Execution(format!("a plan that cannot be read: {error}"))
}

/// A table as it is sent.
#[derive(Serialize, Deserialize)]
enum SentTable {
    Base(SentDatabase),
    Parquet { files: Vec<String>, has_sums: bool },
    Series { name: String, args: Vec<Vec<u8>> },
}

/// The games of a database.
#[derive(Serialize, Deserialize, PartialEq, Clone, Debug)]
struct SentDatabase {
    /// Its path on every machine.
    path: String,
    searches: Vec<String>,
}

impl SentDatabase {
    fn of(table: &DatabaseTable) -> Result<SentDatabase> {
        let name = table.name();
        if crate::file_tables::is_stdin(name) {
            return Err(refuse("a cluster cannot read standard input"));
        }
        let path = std::path::Path::new(name)
            .canonicalize()
            .map_err(|error| refuse(format!("{name}: {error}")))?;
        let path = path.into_os_string().into_string().map_err(|path| {
            refuse(format!(
                "{}: a name that is not UTF-8 cannot be sent to a cluster",
                path.display()
            ))
        })?;
        let searches = table.searches().iter();
        Ok(SentDatabase {
            path,
            searches: searches.map(|search| search.text.clone()).collect(),
        })
    }
}

/// The reading of a database, as a step of a plan.
#[derive(Serialize, Deserialize)]
struct SentScan {
    base: SentDatabase,
    wanted: Vec<usize>,
    filters: Vec<Vec<u8>>,
    limit: Option<usize>,
    partitions: usize,
    /// The sizes of the files where it was planned.
    sizes: Vec<u64>,
}

/// How files look from outside: size and time of the last change.
type FileStamps = Vec<(u64, Option<SystemTime>)>;

fn look(table: &DatabaseTable) -> FileStamps {
    let files = table.bases().flat_map(|base| base.files());
    files
        .map(|file| match std::fs::metadata(&file) {
            Ok(about) if about.is_file() => (about.len(), about.modified().ok()),
            _ => (0, None),
        })
        .collect()
}

fn sizes(look: &FileStamps) -> Vec<u64> {
    look.iter().map(|(size, _)| *size).collect()
}

/// A table that is open.
struct OpenDatabaseTable {
    sent: SentDatabase,
    look: FileStamps,
    table: DatabaseTable,
}

/// Knows our tables, steps and functions, and leaves everything else to Ballista.
pub(super) struct ClusterCodec {
    files: Arc<FileTables>,
    open: Mutex<Vec<OpenDatabaseTable>>,
    logical: BallistaLogicalExtensionCodec,
    physical: BallistaPhysicalExtensionCodec,
}

impl std::fmt::Debug for ClusterCodec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Codec")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl ClusterCodec {
    /// One that opens files as `files` does.
    pub(super) fn new(files: Arc<FileTables>) -> ClusterCodec {
        ClusterCodec {
            files,
            open: Mutex::default(),
            logical: BallistaLogicalExtensionCodec::default(),
            physical: BallistaPhysicalExtensionCodec::default(),
        }
    }

    /// The table that was sent, which stays open for the next step.
    fn table(&self, sent: &SentDatabase) -> Result<DatabaseTable> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = open.iter().position(|opened| opened.sent == *sent) {
            let opened = open.remove(at);
            if look(&opened.table) == opened.look {
                let table = opened.table.clone();
                open.push(opened);
                return Ok(table);
            }
        }
        let mut table = DatabaseTable::new(&sent.path, self.files.bases(&sent.path)?);
        for text in &sent.searches {
            table = table.searched(TableSearch::new(text)?);
        }
        if open.len() >= MOST_TABLES {
            open.remove(0);
        }
        open.push(OpenDatabaseTable {
            sent: sent.clone(),
            look: look(&table),
            table: table.clone(),
        });
        Ok(table)
    }

    fn scan(&self, sent: &SentScan, ctx: &TaskContext) -> Result<DatabaseScan> {
        let table = self.table(&sent.base)?;
        if sizes(&look(&table)) != sent.sizes {
            return Err(DataFusionError::Execution(format!(
                "{}: it is not the same on all machines of the cluster",
                sent.base.path
            )));
        }
        let filters: Result<Vec<Expr>> = sent
            .filters
            .iter()
            .map(|bytes| Expr::from_bytes_with_ctx(bytes, ctx))
            .collect();
        let known = crate::table::schema().fields().len();
        if sent.wanted.iter().any(|at| *at >= known) {
            return Err(DataFusionError::Execution("a missing column".into()));
        }
        let wanted = sent.wanted.clone();
        DatabaseScan::new(&table, wanted, &filters?, sent.limit, sent.partitions)
    }

    fn function(name: &str, buf: &[u8]) -> Result<Arc<ScalarUDF>> {
        if !buf.is_empty() {
            opened(buf, &format!("a query with the function {name}"))?;
        }
        functions::all()
            .into_iter()
            .find(|function| function.name() == name)
            .map(Arc::new)
            .ok_or_else(|| {
                DataFusionError::Execution(format!("there is no function {name} on this machine"))
            })
    }

    fn mark_function(function: &ScalarUDF, buf: &mut Vec<u8>) {
        if functions::all()
            .iter()
            .any(|ours| ours.name() == function.name())
        {
            sealed(buf, VERSION);
        }
    }
}

impl LogicalExtensionCodec for ClusterCodec {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[LogicalPlan],
        ctx: &TaskContext,
    ) -> Result<Extension> {
        self.logical.try_decode(buf, inputs, ctx)
    }

    fn try_encode(&self, node: &Extension, buf: &mut Vec<u8>) -> Result<()> {
        self.logical.try_encode(node, buf)
    }

    fn try_decode_table_provider(
        &self,
        buf: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        ctx: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        let rest = opened(buf, &format!("the table {}", name.table()))?;
        match serde_json::from_slice(rest).map_err(|error| damaged(&error))? {
            SentTable::Base(base) => Ok(Arc::new(self.table(&base)?)),
            SentTable::Parquet { files, has_sums } => {
                let urls: Result<Vec<_>> = files.iter().map(ListingTableUrl::parse).collect();
                Ok(Arc::new(ParquetTable::new(urls?, schema, has_sums)?))
            }
            SentTable::Series { name, args } => {
                let args = args.iter().map(|it| Expr::from_bytes_with_ctx(it, ctx));
                let args: Result<Vec<Expr>> = args.collect();
                let series = SeriesFunction::named(&name).ok_or_else(|| {
                    DataFusionError::Execution(format!("there is no table {name}"))
                })?;
                Ok(Arc::new(series.table(args?)?))
            }
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        buf: &mut Vec<u8>,
    ) -> Result<()> {
        let sent = if let Some(base) = table.downcast_ref::<DatabaseTable>() {
            SentTable::Base(SentDatabase::of(base)?)
        } else if let Some(parquet) = table.downcast_ref::<ParquetTable>() {
            SentTable::Parquet {
                files: parquet.urls(),
                has_sums: parquet.has_sums(),
            }
        } else if let Some(series) = table.downcast_ref::<SeriesTable>() {
            let args = series.args.iter().map(|it| Ok(it.to_bytes()?.to_vec()));
            SentTable::Series {
                name: series.series.name().to_owned(),
                args: args.collect::<Result<_>>()?,
            }
        } else {
            return Err(refuse(format!(
                "a cluster cannot read the table {}",
                name.table()
            )));
        };
        sealed(buf, VERSION);
        serde_json::to_writer(buf, &sent).map_err(|error| damaged(&error))
    }

    fn try_decode_file_format(
        &self,
        buf: &[u8],
        ctx: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.logical.try_decode_file_format(buf, ctx)
    }

    fn try_encode_file_format(
        &self,
        buf: &mut Vec<u8>,
        node: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        self.logical.try_encode_file_format(buf, node)
    }

    fn try_decode_udf(&self, name: &str, buf: &[u8]) -> Result<Arc<ScalarUDF>> {
        ClusterCodec::function(name, buf)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, buf: &mut Vec<u8>) -> Result<()> {
        ClusterCodec::mark_function(function, buf);
        Ok(())
    }
}

/// A step of ours.
const OURS: u8 = b'T';
/// A step of Ballista's.
const OTHERS: u8 = b'B';

impl PhysicalExtensionCodec for ClusterCodec {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match opened(buf, "a part of a query")?.split_first() {
            Some((&OURS, rest)) => {
                let sent = serde_json::from_slice(rest).map_err(|error| damaged(&error))?;
                Ok(Arc::new(self.scan(&sent, ctx)?))
            }
            Some((&OTHERS, rest)) => self.physical.try_decode(rest, inputs, ctx, converter),
            _ => Err(DataFusionError::Execution(
                "an unreadable part of a query".into(),
            )),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        sealed(buf, VERSION);
        let Some(scan) = node.downcast_ref::<DatabaseScan>() else {
            buf.push(OTHERS);
            let mut rest = Vec::new();
            self.physical.try_encode(node, &mut rest, converter)?;
            buf.append(&mut rest);
            return Ok(());
        };
        buf.push(OURS);
        let (wanted, filters, limit, partitions) = scan.told();
        let filters: Result<Vec<Vec<u8>>> = filters
            .iter()
            .map(|filter| filter.to_bytes().map(|bytes| bytes.to_vec()))
            .collect();
        let sent = SentScan {
            base: SentDatabase::of(scan.table())?,
            wanted: wanted.to_vec(),
            filters: filters?,
            limit,
            partitions,
            sizes: sizes(&look(scan.table())),
        };
        serde_json::to_writer(buf, &sent).map_err(|error| damaged(&error))
    }

    fn try_decode_udf(&self, name: &str, buf: &[u8]) -> Result<Arc<ScalarUDF>> {
        ClusterCodec::function(name, buf)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, buf: &mut Vec<u8>) -> Result<()> {
        ClusterCodec::mark_function(function, buf);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_named() {
        let mut own = Vec::new();
        sealed(&mut own, VERSION);
        own.extend_from_slice(b"rest");
        assert_eq!(opened(&own, "a query").expect("ours"), b"rest");
        let mut other = Vec::new();
        sealed(&mut other, "0.0.9");
        let words = opened(&other, "a query").expect_err("another").to_string();
        assert!(
            words.contains("Tabiya 0.0.9") && words.contains(VERSION),
            "{words}"
        );
        for bytes in [&b""[..], b"tab", b"\x0a\x03xyz"] {
            let words = opened(bytes, "a query").expect_err("none").to_string();
            assert!(words.contains("not Tabiya"), "{words}");
        }
        let words = ClusterCodec::function("has_position", &other).expect_err("another");
        assert!(words.to_string().contains("has_position"), "{words}");
        assert!(ClusterCodec::function("has_position", &own).is_ok());
    }
}
