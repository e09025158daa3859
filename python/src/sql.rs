//! Answers to SQL, which a program beside this module computes: it writes an Arrow stream, which is passed on batch by batch.

use std::io::{BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::StreamReader;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::failure::refused;
use crate::job::{self, JobKind};
use crate::tables::{SCHEMA, STREAM};

/// What is kept of the words of the program when it fails.
const MOST_WORDS: u64 = 1 << 16;

/// How the program is called.
#[derive(Clone, Debug)]
struct SqlCall {
    program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
}

impl SqlCall {
    /// Starts the program.
    fn spawn(&self) -> Result<SqlQueryProcess, ArrowError> {
        let spawned = Command::new(&self.program)
            .args(&self.arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(|error| {
            let message = format!("{}: {error}", self.program.display());
            ArrowError::IoError(message, error)
        })?;
        Ok(SqlQueryProcess {
            out: child.stdout.take(),
            words: child.stderr.take().map(read_words),
            child: SqlChild(Arc::new(Mutex::new(child))),
        })
    }
}

/// The program while it runs.
#[derive(Clone)]
struct SqlChild(Arc<Mutex<Child>>);

impl SqlChild {
    fn lock(&self) -> MutexGuard<'_, Child> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it, where it has not ended by itself.
    fn kill(&self) {
        let mut child = self.lock();
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A program that ends with what it is for, and what it complains of.
struct SqlQueryProcess {
    child: SqlChild,
    out: Option<ChildStdout>,
    words: Option<JoinHandle<String>>,
}

impl Drop for SqlQueryProcess {
    fn drop(&mut self) {
        self.child.kill();
    }
}

impl SqlQueryProcess {
    /// Waits for the columns of the answer.
    fn read(mut self) -> Result<SqlReader, ArrowError> {
        let Some(out) = self.out.take() else {
            return Err(self.failure("it has no output"));
        };
        match StreamReader::try_new(BufReader::new(out), None) {
            Ok(batches) => Ok(SqlReader {
                batches,
                process: self,
                is_over: false,
            }),
            // A query that fails writes no stream.
            Err(error) => Err(self.failure(&error.to_string())),
        }
    }

    /// What the program says about its failure, else what was noticed.
    fn failure(&mut self, noticed: &str) -> ArrowError {
        let words = self.words.take().and_then(|words| words.join().ok());
        match words.filter(|words| !words.is_empty()) {
            Some(words) => ArrowError::ExternalError(words.into()),
            None => ArrowError::ExternalError(format!("tabiya-sql has failed: {noticed}").into()),
        }
    }

    /// Waits for the end of the process, and says how it failed.
    fn wait(&mut self) -> Result<(), ArrowError> {
        let ended = self.child.lock().wait();
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(self.failure(&status.to_string())),
            Err(error) => Err(self.failure(&error.to_string())),
        }
    }
}

/// Reads what a program complains of, while it runs.
fn read_words(words: ChildStderr) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut words = words;
        // What could not be read is not told.
        let _ = (&mut words).take(MOST_WORDS).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut words, &mut std::io::sink());
        String::from_utf8_lossy(&bytes).trim().to_owned()
    })
}

/// The batches of an answer.
struct SqlReader {
    batches: StreamReader<BufReader<ChildStdout>>,
    process: SqlQueryProcess,
    is_over: bool,
}

impl Iterator for SqlReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        match self.batches.next() {
            Some(Ok(batch)) => Some(Ok(batch)),
            Some(Err(error)) => {
                self.is_over = true;
                Some(Err(self.process.failure(&error.to_string())))
            }
            None => {
                self.is_over = true;
                self.process.wait().err().map(Err)
            }
        }
    }
}

impl RecordBatchReader for SqlReader {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}

/// The answer to an SQL query, for every library with the Arrow PyCapsule interface.
///
/// The query is running; its rows arrive while they are read. Reading them a second time runs the query again.
#[pyclass(frozen, module = "tabiya", name = "SqlAnswer")]
pub(crate) struct PythonSqlAnswer {
    call: SqlCall,
    schema: SchemaRef,
    begun: Mutex<Option<SqlReader>>,
}

/// Begins a query.
fn start(py: Python<'_>, call: &SqlCall) -> PyResult<SqlReader> {
    let process = call
        .spawn()
        .map_err(|error| refused(py, "FileError", &error.to_string()))?;
    let child = process.child.clone();
    let control = job::control(None);
    let begun = job::run(py, JobKind::Read, &control, None, move |_| {
        Ok(process.read())
    });
    let begun = match begun {
        Ok(begun) => begun,
        // Ctrl-C, which need not have reached the program.
        Err(error) => {
            py.detach(|| child.kill());
            return Err(error);
        }
    };
    begun.map_err(|error| {
        let words = match &error {
            ArrowError::ExternalError(words) => words.to_string(),
            error => error.to_string(),
        };
        refused(py, "UsageError", &words)
    })
}

/// Runs the program for SQL.
#[pyfunction]
pub(crate) fn begin_sql(
    py: Python<'_>,
    program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
) -> PyResult<PythonSqlAnswer> {
    let call = SqlCall {
        program,
        arguments,
        folder,
    };
    let begun = start(py, &call)?;
    Ok(PythonSqlAnswer {
        schema: begun.schema(),
        begun: Mutex::new(Some(begun)),
        call,
    })
}

#[pymethods]
impl PythonSqlAnswer {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Who asks for other types gets ours, as the interface allows.
        drop(requested_schema);
        let begun = (self.begun.lock())
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let reader = match begun {
            Some(begun) => begun,
            None => start(py, &self.call)?,
        };
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, STREAM)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema)
            .map_err(|error| refused(py, "InternalError", &error.to_string()))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    fn __repr__(&self) -> String {
        format!("<tabiya.SqlAnswer of {}>", self.columns().join(", "))
    }
}
