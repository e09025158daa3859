//! Files that a browser hands over: copies, kept while the server runs.

use std::io::Write;
use std::path::Path;

use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use tempfile::TempDir;

use super::bases::described;
use super::work;
use crate::answer::{Answer, Refusal};
use crate::{Shared, limits};

/// The last part of a name that a browser sends, where it can be the name of a file here.
fn file_name(name: &str) -> Option<&str> {
    let name = name.rsplit(['/', '\\']).next()?.trim();
    let is_sound = !name.is_empty()
        && name.len() <= 200
        && !name.starts_with('.')
        && !name
            .chars()
            .any(|c| c.is_control() || "<>:\"|?*".contains(c));
    is_sound.then_some(name)
}

fn too_large() -> Refusal {
    Refusal::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "these files are larger than a copy may be; put them into a folder and start `tabiya serve` with it",
    )
}

/// Takes the parts to a folder of their own.
async fn receive(mut parts: Multipart) -> Result<TempDir, Refusal> {
    let folder =
        tempfile::tempdir().map_err(|error| Refusal::from(tabiya_model::Error::from(error)))?;
    let mut bytes = 0;
    let mut files = 0;
    while let Some(mut part) = parts
        .next_field()
        .await
        .map_err(|_| Refusal::bad("the files did not arrive whole"))?
    {
        let name = part.file_name().and_then(file_name).map(str::to_owned);
        let name = name.ok_or_else(|| Refusal::bad("a file has a name that cannot be used"))?;
        files += 1;
        if files > limits::UPLOAD_FILES {
            return Err(too_large());
        }
        let path = folder.path().join(Path::new(&name));
        let mut file = std::fs::File::create_new(&path)
            .map_err(|error| Refusal::bad(format!("{name}: {error}")))?;
        while let Some(chunk) = part
            .chunk()
            .await
            .map_err(|_| Refusal::bad("the files did not arrive whole"))?
        {
            bytes += chunk.len() as u64;
            if bytes > limits::UPLOAD {
                return Err(too_large());
            }
            file.write_all(&chunk)
                .map_err(|error| Refusal::from(tabiya_model::Error::from(error)))?;
        }
    }
    if files == 0 {
        return Err(Refusal::bad("no file was sent"));
    }
    Ok(folder)
}

pub(super) async fn take(State(shared): State<Shared>, parts: Multipart) -> Answer {
    let folder = tokio::time::timeout(limits::BODY_TIME, receive(parts))
        .await
        .unwrap_or_else(|_| Err(Refusal::bad("the files took too long to arrive")))?;
    work(&shared, move |shared| {
        let ids = shared.library.open_copy(folder)?;
        described(shared, &ids)
    })
    .await
}
