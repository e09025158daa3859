//! The app's files: they are in the program.

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::answer::Refusal;
use crate::error_codes;

/// The files of the app with their names.
static ASSETS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// What a browser is told that a file is.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}

/// A digest of the bytes, so that a browser need not fetch again what it has.
fn digest(bytes: &[u8]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("\"{hash:016x}\"")
}

fn show(name: &str, headers: &HeaderMap) -> Response {
    let Some((_, bytes)) = ASSETS.iter().find(|(asset, _)| *asset == name) else {
        return Refusal::missing(&error_codes::NO_SUCH_PAGE, "there is no such page")
            .into_response();
    };
    let tag = digest(bytes);
    let known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Body::from(*bytes).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(name)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// The page, whatever place of the app its address names.
pub(crate) async fn page(headers: HeaderMap) -> Response {
    show("index.html", &headers)
}

/// One of its files.
pub(crate) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    show(&name, &headers)
}
