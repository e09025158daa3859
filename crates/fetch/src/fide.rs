//! The FIDE rating list, as one file that `names --ratings` reads.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use tabiya_io::lock::DatabaseLock;
use tabiya_io::output::{OutputFile, OutputOptions};
use tabiya_model::Control;

use crate::client::{FetchClient, FetchRequest, SiteResponse};
use crate::job::FetchSource;
use crate::site::{FetchSettings, FetchSite};
use crate::state::FetchState;
use crate::{FetchError, Result};

/// Where the list is.
const PATH: &str = "/download/players_list_xml.zip";

/// What an archive begins with.
const ZIP: &[u8] = b"PK\x03\x04";

/// Fetches the list if it has changed; says which file was written.
pub(crate) fn fetch(
    file: &Path,
    settings: FetchSettings,
    control: &Control,
) -> Result<Option<PathBuf>> {
    let state_path = FetchState::path_of(file);
    let _lock = DatabaseLock::take(&state_path, std::time::Duration::from_secs(5))?;
    let mut state = FetchState::open(file)?;
    let source = FetchSource::Fide;
    let mut memory = state.memory(&source);
    let limit = settings.answer_bytes;
    let mut client = FetchClient::new(settings, control.clone())?;
    let known = memory.stamps.get(PATH).filter(|_| file.exists()).cloned();
    let mut request = FetchRequest::new(FetchSite::Fide, PATH, "application/zip", "rating list");
    request.stamp = known.as_ref();
    let data = match client.ask(&request)? {
        SiteResponse::Data(data) => data,
        SiteResponse::Unchanged | SiteResponse::Done => return Ok(None),
        SiteResponse::NotThere => {
            let site = client.settings().address(FetchSite::Fide).to_owned();
            let what = "rating list".to_owned();
            return Err(FetchError::NotThere { site, what });
        }
    };
    let (site, stamp) = (data.site.clone(), data.stamp.clone());
    let failed = |error| FetchError::File {
        file: file.display().to_string(),
        error,
    };
    let options = OutputOptions {
        force: true,
        ..OutputOptions::default()
    };
    let mut temporary = tempfile::tempfile().map_err(failed)?;
    data.save(&mut temporary, limit)?;
    std::io::Seek::rewind(&mut temporary).map_err(failed)?;
    let mut head = [0; 4];
    let is_zip = temporary.read_exact(&mut head).is_ok() && head == ZIP;
    if !is_zip {
        return Err(FetchError::NotData {
            site,
            wanted: "an archive with the rating list",
        });
    }
    let mut out = OutputFile::create(file, &options)?;
    out.write_all(&head).map_err(failed)?;
    std::io::copy(&mut temporary, &mut out).map_err(failed)?;
    out.commit()?;
    memory.stamps.insert(PATH.to_owned(), stamp);
    state.keep(&source, &memory)?;
    Ok(Some(file.to_owned()))
}
