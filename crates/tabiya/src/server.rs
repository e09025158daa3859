//! Databases on a running server, in builds that have the feature for it.

use std::path::Path;

/// The address of a server, where a path is one.
pub fn of(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| is_url(text))
}

#[cfg(feature = "mysql")]
pub(crate) use tabiya_mysql::{create, is_url, open, shown};

#[cfg(not(feature = "mysql"))]
pub(crate) use without::{create, is_url, open, shown};

#[cfg(not(feature = "mysql"))]
mod without {
    use tabiya_formats::format::{OpenOptions, WriteOptions};
    use tabiya_model::{Database, Error, ErrorKind, Result, Sink};

    pub(crate) fn is_url(text: &str) -> bool {
        ["mysql://", "mariadb://"].iter().any(|scheme| {
            text.get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        })
    }

    pub(crate) fn shown(_: &str) -> String {
        "a database on a server".to_owned()
    }

    pub(crate) fn open(_: &str, _: &OpenOptions) -> Result<Box<dyn Database>> {
        Err(unsupported())
    }

    pub(crate) fn create(_: &str, _: &WriteOptions) -> Result<Box<dyn Sink>> {
        Err(unsupported())
    }

    fn unsupported() -> Error {
        Error::new(
            ErrorKind::Unsupported,
            "this build of Tabiya does not talk to servers of databases",
        )
    }
}
