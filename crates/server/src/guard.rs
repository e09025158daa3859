//! The door: who may ask, and from where.
//!
//! Every page that the user has open in another tab can send requests to a server on this machine. So a request has to
//! name this host (a name that somebody has pointed here is another one), has to come from our own page where the browser
//! says where it comes from, has to bring the cookie that the token of this run was exchanged for, and, where it changes
//! something, a header that no other page can send.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use tabiya_model::{Error, ErrorKind, Result};

use crate::answer::{Refusal, plain};
use crate::seats::Seat;
use crate::{Shared, limits, turns};

/// The header of requests that change something.
pub const MARK: &str = "x-tabiya";
/// The header by which a tab tells itself from others.
pub const TAB: &str = "x-tabiya-tab";

/// What pages may do: nothing but what comes from here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; font-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types default";

/// Tells requests that may come in from those that may not.
#[derive(Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
    token: String,
    /// Whether the token may be used again, because somebody has chosen it.
    lasting: bool,
    used: AtomicBool,
    session: String,
    pub(crate) read_only: bool,
}

/// A word that nobody can guess.
pub(crate) fn secret() -> Result<String> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::Io, format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that tells nothing.
fn same(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one
            .bytes()
            .zip(other.bytes())
            .fold(0, |all, (a, b)| all | (a ^ b))
            == 0
}

impl Guard {
    pub(crate) fn new(
        address: SocketAddr,
        token: Option<String>,
        read_only: bool,
    ) -> Result<Guard> {
        Ok(Guard {
            address,
            lasting: token.is_some(),
            token: match token {
                Some(token) => token,
                None => secret()?,
            },
            used: AtomicBool::new(false),
            session: secret()?,
            read_only,
        })
    }

    /// The address for a browser.
    pub(crate) fn url(&self) -> String {
        let token = if self.lasting { "" } else { &self.token };
        let host = self.host();
        match token {
            "" => format!("http://{host}/"),
            token => format!("http://{host}/?token={token}"),
        }
    }

    fn host(&self) -> String {
        if self.address.ip().is_unspecified() {
            format!("127.0.0.1:{}", self.address.port())
        } else {
            self.address.to_string()
        }
    }

    fn cookie_name(&self) -> String {
        // Ports of one host share their cookies.
        format!("tabiya-{}", self.address.port())
    }

    fn is_our_host(&self, host: &str) -> bool {
        let port = self.address.port();
        let loopback = ["127.0.0.1", "localhost", "[::1]"]
            .iter()
            .any(|name| host.eq_ignore_ascii_case(&format!("{name}:{port}")));
        if self.address.ip().is_loopback() {
            loopback
        } else {
            loopback || host == self.host()
        }
    }

    fn has_session(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(key, value)| key == name && same(value, &self.session))
    }

    fn has_bearer(&self, headers: &HeaderMap) -> bool {
        self.lasting
            && headers
                .get(header::AUTHORIZATION)
                .and_then(|value| value.to_str().ok())
                .and_then(|value| value.strip_prefix("Bearer "))
                .is_some_and(|token| same(token, &self.token))
    }

    /// Whether a token may come in; one for a single use does so once.
    fn takes(&self, token: &str) -> bool {
        same(token, &self.token) && (self.lasting || !self.used.swap(true, Ordering::Relaxed))
    }

    /// Why a request may not come in; the routes for programs also take the token in a header.
    fn refuse(&self, request: &Request) -> Option<Refusal> {
        let headers = request.headers();
        let text = |name: header::HeaderName| headers.get(name).map(HeaderValue::to_str);
        let host = match text(header::HOST) {
            Some(Ok(host)) if headers.get_all(header::HOST).iter().count() == 1 => host,
            _ => {
                return Some(Refusal::new(
                    StatusCode::BAD_REQUEST,
                    "one host must be named",
                ));
            }
        };
        // A target with a host of its own counts more than the header.
        let named = request.uri().authority().map_or(host, |one| one.as_str());
        if !self.is_our_host(host) || !self.is_our_host(named) {
            return Some(Refusal::new(
                StatusCode::MISDIRECTED_REQUEST,
                "this server does not answer for that host",
            ));
        }
        if let Some(origin) = text(header::ORIGIN)
            && !origin.is_ok_and(|origin| origin == format!("http://{host}"))
        {
            return Some(Refusal::new(
                StatusCode::FORBIDDEN,
                "requests of other pages are refused",
            ));
        }
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if let Some(site) = headers.get("sec-fetch-site") {
            let is_page = is_read
                && headers
                    .get("sec-fetch-mode")
                    .is_some_and(|mode| mode == "navigate");
            let allowed = site == "same-origin"
                || site == "none"
                || (matches!(site.as_bytes(), b"cross-site" | b"same-site")
                    && is_page
                    && request.uri().path() == "/");
            if !allowed {
                return Some(Refusal::new(
                    StatusCode::FORBIDDEN,
                    "requests of other pages are refused",
                ));
            }
        }
        if !is_read && !headers.contains_key(MARK) {
            return Some(Refusal::new(
                StatusCode::FORBIDDEN,
                "a request that changes something wants the header x-tabiya",
            ));
        }
        let is_for_programs = matches!(request.uri().path(), "/lichess" | "/masters" | "/player");
        if self.has_session(headers) || (is_for_programs && self.has_bearer(headers)) {
            return None;
        }
        Some(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "open the address that `tabiya serve` has printed; its token is for one browser, so start it again where \
             that was another one",
        ))
    }
}

/// The token in the address of a page.
fn token_of(request: &Request) -> Option<&str> {
    request
        .uri()
        .query()?
        .split('&')
        .find_map(|pair| pair.strip_prefix("token="))
}

/// The tab that asks; all programs are one.
fn tab_of(request: &Request) -> &str {
    let tab = request.headers().get(TAB);
    tab.and_then(|tab| tab.to_str().ok())
        .filter(|tab| tab.len() <= limits::TAB)
        .unwrap_or("")
}

/// Lets requests in or sends them away, and gives every answer its headers.
pub(crate) async fn watch(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let guard = &shared.guard;
    let seat = request.extensions().get::<Arc<Seat>>().cloned();
    let welcomed = || {
        if let Some(seat) = &seat {
            seat.welcome();
        }
    };
    let mut response = match guard.refuse(&request) {
        None => {
            welcomed();
            let tab = tab_of(&request).to_owned();
            turns::asked_by(&tab, next.run(request)).await
        }
        Some(refusal) if refusal.status == StatusCode::UNAUTHORIZED => {
            let may = *request.method() == Method::GET && request.uri().path() == "/";
            match token_of(&request).filter(|_| may) {
                Some(token) if guard.takes(token) => {
                    welcomed();
                    welcome(guard, &shared.start)
                }
                _ if may => plain(StatusCode::UNAUTHORIZED, &refusal.message),
                _ => refusal.into(),
            }
        }
        Some(refusal) => refusal.into(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Exchanges the token for a cookie, and takes the token out of the address.
fn welcome(guard: &Guard, start: &str) -> Response {
    let cookie = format!(
        "{}={}; HttpOnly; SameSite=Strict; Path=/",
        guard.cookie_name(),
        guard.session
    );
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    let start = HeaderValue::from_str(start).unwrap_or(HeaderValue::from_static("/"));
    headers.insert(header::LOCATION, start);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}
