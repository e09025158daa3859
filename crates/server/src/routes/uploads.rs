//! Files that a browser uploads: copies, kept while the server runs.

use std::io::Write;
use std::path::PathBuf;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use tabiya::TemporaryFolder;
use tabiya_answers::server::BaseAnswer;
use tabiya_io::wait_check;
use tabiya_model::Control;

use super::bases::described;
use super::cancellable_work;
use super::multipart::{FormBody, FormFault};
use crate::answer::{Refusal, RouteResult};
use crate::error_codes;
use crate::library::of_copy;
use crate::{ServerState, limits};

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
        &error_codes::TOO_LARGE,
        "these files are too large to be copied; put them into a folder and start `tabiya serve` with it",
    )
}

impl From<FormFault> for Refusal {
    fn from(fault: FormFault) -> Refusal {
        match fault {
            FormFault::Foreign => Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                &error_codes::BAD_UPLOAD,
                "files must be sent as multipart/form-data",
            ),
            FormFault::Broken => Refusal::bad(
                &error_codes::BAD_UPLOAD,
                "the files did not arrive completely",
            ),
            FormFault::TooLarge => too_large(),
        }
    }
}

/// What a browser has handed over.
struct UploadedFiles {
    folder: TemporaryFolder,
    files: Vec<PathBuf>,
    /// The password of an encrypted archive among them.
    password: Option<String>,
}

/// Takes the parts to a folder of their own.
async fn receive(mut form: FormBody) -> Result<UploadedFiles, Refusal> {
    let folder = TemporaryFolder::new()?;
    let mut bytes = 0;
    let mut files = Vec::new();
    let mut password = None;
    while let Some(part) = form.next_part().await? {
        if part.file_name.is_none() && part.name.as_deref() == Some("password") {
            password = Some(word(&mut form).await?);
            continue;
        }
        let name = part.file_name.as_deref().and_then(file_name);
        let name = name.map(str::to_owned);
        let name = name.ok_or_else(|| {
            Refusal::bad(
                &error_codes::BAD_UPLOAD,
                "a file has a name that cannot be used",
            )
        })?;
        if files.len() >= limits::UPLOAD_FILES {
            return Err(too_large());
        }
        let path = folder.path().join(&name);
        let mut file = folder
            .create(&name)
            .map_err(|error| told_of(error, &name))?;
        while let Some(chunk) = form.chunk().await? {
            bytes += chunk.len() as u64;
            if bytes > limits::UPLOAD {
                return Err(too_large());
            }
            file.write_all(&chunk)
                .map_err(|error| Refusal::of_file(name.as_ref(), error))?;
        }
        files.push(path);
    }
    if files.is_empty() {
        return Err(Refusal::bad(&error_codes::BAD_UPLOAD, "no file was sent"));
    }
    Ok(UploadedFiles {
        folder,
        files,
        password,
    })
}

/// Why a file could not be made, in the words of whoever has handed it over.
fn told_of(error: tabiya_model::Error, name: &str) -> Refusal {
    let of_system = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref());
    let is_taken = of_system
        .is_some_and(|error: &std::io::Error| error.kind() == std::io::ErrorKind::AlreadyExists);
    let mut refusal = Refusal::from(error);
    refusal.answer.error = match is_taken {
        true => format!("{name}: two files have this name"),
        false => format!("{name}: it cannot be kept here; {}", refusal.answer.error),
    };
    if is_taken {
        refusal.status = StatusCode::BAD_REQUEST;
    }
    refusal
}

/// A password out of a part of its own.
async fn word(form: &mut FormBody) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    while let Some(chunk) = form.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > limits::PASSWORD {
            return Err(Refusal::bad(
                &error_codes::BAD_PASSWORD_TEXT,
                "the password is too long",
            ));
        }
    }
    String::from_utf8(bytes)
        .map_err(|_| Refusal::bad(&error_codes::BAD_PASSWORD_TEXT, "a password must be text"))
}

/// Bytes around the files of an upload.
const AROUND: u64 = 1 << 20;

pub(super) async fn take(
    State(shared): State<ServerState>,
    headers: HeaderMap,
    body: Body,
) -> RouteResult<Vec<BaseAnswer>> {
    // What is announced to be too large is not even begun.
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limits::UPLOAD + AROUND) {
        return Err(too_large());
    }
    let form = FormBody::new(&headers, body, limits::UPLOAD + AROUND)?;
    let received = tokio::time::timeout(limits::BODY_TIME, receive(form))
        .await
        .unwrap_or_else(|_| {
            Err(Refusal::new(
                StatusCode::REQUEST_TIMEOUT,
                &error_codes::TOO_SLOW,
                "the files took too long to arrive",
            ))
        })?;
    cancellable_work(
        &shared,
        &shared.work,
        Control::default(),
        move |shared, control| {
            let UploadedFiles {
                folder,
                files,
                password,
            } = received;
            let library = &shared.library;
            let place = folder.path().to_owned();
            let asked = control.clone();
            // Archives within archives can take long. What nobody waits for any more is not kept either.
            let ids = wait_check::run_while_wanted(
                move || !asked.is_stopped(),
                || library.open_copy(folder, &files, password.as_deref()),
            )?;
            let told = match control.is_stopped() {
                true => Err(Refusal::busy()),
                false => described(shared, &ids),
            };
            told.map_err(|refusal| {
                for id in &ids {
                    let _ = library.close(id);
                }
                of_copy(refusal, &place, &files)
            })
        },
    )
    .await
}
