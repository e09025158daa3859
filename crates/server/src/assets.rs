//! The app's files: they are in the program, compressed as browsers take them.

use std::io::Read as _;

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;

use crate::answer::Refusal;
use crate::error_codes;

/// The files of the app with their names, packed with gzip.
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

/// A digest of the bytes as they are sent, so that a browser need not fetch again what it has.
fn digest(packed: &[u8], is_packed: bool) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in packed {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let form = if is_packed { "-gzip" } else { "" };
    format!("\"{hash:016x}{form}\"")
}

/// Whether a browser takes what is packed with gzip.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    let mut codings = texts.flat_map(|text| text.split(','));
    codings.any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts
            .next()
            .is_some_and(|it| it.eq_ignore_ascii_case("gzip"));
        // With the weight 0 a coding is refused.
        let is_refused = parts
            .filter_map(|part| part.strip_prefix("q="))
            .any(|weight| weight.trim().parse::<f32>().is_ok_and(|it| it <= 0.0));
        is_gzip && !is_refused
    })
}

fn show(name: &str, headers: &HeaderMap) -> Response {
    let Some((_, packed)) = ASSETS.iter().find(|(asset, _)| *asset == name) else {
        return Refusal::missing(&error_codes::NO_SUCH_PAGE, "there is no such page")
            .into_response();
    };
    let is_packed = takes_gzip(headers);
    let tag = digest(packed, is_packed);
    let known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else if is_packed {
        Body::from(*packed).into_response()
    } else {
        Body::from(unpacked(packed)).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(name)));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if is_packed && !known {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// A file for those who take nothing packed. What was packed with the program is whole.
fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let whole = GzDecoder::new(packed).read_to_end(&mut bytes);
    debug_assert!(whole.is_ok(), "the program packed it itself");
    bytes
}

/// The page, whatever place of the app its address names.
pub(crate) async fn page(headers: HeaderMap) -> Response {
    show("index.html", &headers)
}

/// One of its files.
pub(crate) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    show(&name, &headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            let value = HeaderValue::from_str(value).expect("a value");
            headers.append(header::ACCEPT_ENCODING, value);
        }
        headers
    }

    #[test]
    fn who_takes_gzip_says_so() {
        for values in [
            &["gzip"][..],
            &["gzip, deflate, br, zstd"],
            &["br", "deflate;q=0.5, GZIP;q=0.1"],
            &["identity, gzip ; q=1"],
        ] {
            assert!(takes_gzip(&accepting(values)), "{values:?}");
        }
        for values in [
            &[][..],
            &[""],
            &["identity"],
            &["gzip;q=0"],
            &["br, gzip; q=0.000"],
            &["x-gzipped"],
        ] {
            assert!(!takes_gzip(&accepting(values)), "{values:?}");
        }
    }

    #[test]
    fn the_files_are_packed_and_whole() {
        let built = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
        let (mut before, mut after) = (0, 0);
        for (name, packed) in ASSETS {
            let wanted = std::fs::read(built.join(name)).expect("a file of the app");
            assert!(unpacked(packed) == wanted, "{name}");
            before += wanted.len();
            after += packed.len();
        }
        assert_eq!(
            ASSETS.len(),
            std::fs::read_dir(built).expect("the app").count()
        );
        assert!(after * 2 < before, "{after} of {before} bytes");
    }
}
