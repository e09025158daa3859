//! Access control: who may send requests, and from where.
//!
//! Every page that the user has open in another tab can send requests to a server on this machine. So a request must name
//! this host (a name that somebody has pointed here is another one), must come from our own page if the browser reports
//! where it comes from, must have the cookie that the token of this run was exchanged for, and, if it changes something, a
//! header that no other page can send.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use tabiya::secrets::is_same_secret;
use tabiya_model::{Error, Result};

use crate::answer::{Refusal, plain};
use crate::connection_slots::ConnectionSlot;
use crate::error_codes;
use crate::host_names::{ConnectionEnds, HostNames, RequestOrigin};
use crate::{ServerState, limits, work_slots};

/// The header of requests that change something.
pub const MARK: &str = "x-tabiya";
/// The header that identifies a tab.
pub const TAB: &str = "x-tabiya-tab";
/// The header by which a tab names the work that it asks for, so that it can ask how far that has come.
pub const WORK: &str = "x-tabiya-work";

/// What pages may do: nothing but what comes from here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; font-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types default";

/// A token that lets one browser in.
#[derive(Debug)]
struct Invitation {
    token: String,
    /// Until when it is good.
    end: Instant,
    /// The page that is shown first, if it is another one than that of this run.
    start: Option<String>,
}

/// A browser that has come with a good token.
#[derive(Debug, PartialEq, Eq)]
struct Admission {
    start: Option<String>,
}

/// Tells requests that may come in from those that may not.
#[derive(Debug)]
pub(crate) struct RequestGuard {
    names: HostNames,
    token: String,
    /// Whether the token may be used again, because somebody has chosen it.
    lasting: bool,
    used: Arc<AtomicBool>,
    /// Those of more browsers, one each.
    invitations: Mutex<VecDeque<Invitation>>,
    /// A client with a wrong token waits here for its turn to be refused.
    penance: tokio::sync::Mutex<()>,
    session: String,
    pub(crate) read_only: bool,
}

/// A word that nobody can guess.
pub(crate) fn secret() -> Result<String> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(&error_codes::SYSTEM, format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl RequestGuard {
    pub(crate) fn new(
        names: HostNames,
        token: Option<String>,
        read_only: bool,
    ) -> Result<RequestGuard> {
        Ok(RequestGuard {
            names,
            lasting: token.is_some(),
            token: match token {
                Some(token) => token,
                None => secret()?,
            },
            used: Arc::default(),
            invitations: Mutex::default(),
            penance: tokio::sync::Mutex::default(),
            session: secret()?,
            read_only,
        })
    }

    /// The address for a browser on this machine.
    pub(crate) fn url(&self) -> String {
        if self.lasting {
            format!("{}/", self.names.local_origin().origin())
        } else {
            self.url_with(&self.token, &self.names.local_origin())
        }
    }

    /// The addresses for browsers elsewhere.
    pub(crate) fn others(&self) -> Vec<String> {
        let all = self.names.others().into_iter();
        all.map(|origin| format!("{origin}/")).collect()
    }

    fn url_with(&self, token: &str, visit: &RequestOrigin) -> String {
        format!("{}/?token={token}", visit.origin())
    }

    /// Whether the token of this run has let a browser in.
    pub(crate) fn used(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.used)
    }

    /// An address that lets one more browser in, for a while; of the server as whoever invites sees it.
    pub(crate) fn invite(&self, visit: &RequestOrigin) -> Result<String> {
        self.invite_to(visit, None)
    }

    /// The same for a browser on this machine, with the page that it shows first.
    pub(crate) fn invite_here(&self, start: String) -> Result<String> {
        self.invite_to(&self.names.local_origin(), Some(start))
    }

    fn invite_to(&self, visit: &RequestOrigin, start: Option<String>) -> Result<String> {
        let token = secret()?;
        let url = self.url_with(&token, visit);
        let mut invitations = (self.invitations.lock()).unwrap_or_else(PoisonError::into_inner);
        if invitations.len() >= limits::INVITATIONS {
            invitations.pop_front();
        }
        let end = Instant::now() + limits::INVITATION;
        invitations.push_back(Invitation { token, end, start });
        Ok(url)
    }

    /// The name of the cookie. One that TLS has brought belongs to TLS alone, and to this host.
    fn cookie_name(&self, visit: &RequestOrigin) -> String {
        // Ports of one host share their cookies.
        let port = self.names.address.port();
        if visit.is_secure {
            format!("__Host-tabiya-{port}")
        } else {
            format!("tabiya-{port}")
        }
    }

    fn has_session(&self, headers: &HeaderMap, visit: &RequestOrigin) -> bool {
        let name = self.cookie_name(visit);
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(key, value)| key == name && is_same_secret(value, &self.session))
    }

    fn has_bearer(&self, headers: &HeaderMap) -> bool {
        self.lasting
            && headers
                .get(header::AUTHORIZATION)
                .and_then(|value| value.to_str().ok())
                .and_then(|value| value.strip_prefix("Bearer "))
                .is_some_and(|token| is_same_secret(token, &self.token))
    }

    /// Lets a token in; one for a single use comes in once.
    fn admit(&self, token: &str) -> Option<Admission> {
        if is_same_secret(token, &self.token) {
            let is_good = !self.used.swap(true, Ordering::Relaxed) || self.lasting;
            return is_good.then_some(Admission { start: None });
        }
        let mut invitations = (self.invitations.lock()).unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        invitations.retain(|one| one.end > now);
        let place = invitations
            .iter()
            .position(|one| is_same_secret(token, &one.token));
        let Invitation { start, .. } = place.and_then(|at| invitations.remove(at))?;
        Some(Admission { start })
    }

    /// Lets whoever has brought a wrong token wait, one after the other: guessing takes its time, and hinders nobody who has
    /// the right one.
    async fn slow_down(&self) {
        if let Ok(turn) = tokio::time::timeout(limits::GUESSES, self.penance.lock()).await {
            tokio::time::sleep(limits::GUESS).await;
            drop(turn);
        }
    }

    /// How a request has come, if it names this server and comes from a page of it.
    fn visit(&self, request: &Request) -> std::result::Result<RequestOrigin, Refusal> {
        let headers = request.headers();
        let ends = request.extensions().get::<ConnectionEnds>().copied();
        let target = request.uri().authority().map(|one| one.as_str());
        let visit = self.names.origin_of(ends, headers, target)?;
        if let Some(origin) = headers.get(header::ORIGIN)
            && origin.as_bytes() != visit.origin().as_bytes()
        {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                &error_codes::FOREIGN_PAGE,
                "requests of other pages are refused",
            ));
        }
        Ok(visit)
    }

    /// Why a request may not come in; the routes for programs also take the token in a header.
    fn refuse(&self, request: &Request, visit: &RequestOrigin) -> Option<Refusal> {
        let headers = request.headers();
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
                    &error_codes::FOREIGN_PAGE,
                    "requests of other pages are refused",
                ));
            }
        }
        // No page can send the token: who brings it needs no mark.
        let is_tool = request.uri().path() == "/mcp";
        let brings_token = is_tool && self.has_bearer(headers);
        if is_tool && !brings_token && !self.has_session(headers, visit) {
            return Some(Refusal::new(
                StatusCode::UNAUTHORIZED,
                &error_codes::NO_TOKEN,
                "the tools require the token with which the server was started, in the header Authorization: Bearer",
            ));
        }
        if !is_read && !brings_token && !headers.contains_key(MARK) {
            return Some(Refusal::new(
                StatusCode::FORBIDDEN,
                &error_codes::NO_MARK,
                "a request that changes something requires the header x-tabiya",
            ));
        }
        let is_for_programs = matches!(request.uri().path(), "/lichess" | "/masters" | "/player");
        let is_let_in = brings_token || (is_for_programs && self.has_bearer(headers));
        if is_let_in || self.has_session(headers, visit) {
            return None;
        }
        Some(Refusal::new(
            StatusCode::UNAUTHORIZED,
            &error_codes::NO_TOKEN,
            "open the address that `tabiya serve` has printed. Its token is for one browser: a second one is let in by \
             \"Let another browser in\" in the settings of the first",
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

/// A name in a header of a request: of the tab that asks, where all programs are one, or of what it asks for.
fn name_of<'r>(request: &'r Request, header: &str) -> &'r str {
    let name = request.headers().get(header);
    name.and_then(|name| name.to_str().ok())
        .filter(|name| name.len() <= limits::TAB)
        .unwrap_or("")
}

/// Lets requests in or sends them away, and gives every answer its headers.
pub(crate) async fn check_request(
    State(shared): State<ServerState>,
    mut request: Request,
    next: Next,
) -> Response {
    let guard = &shared.guard;
    let seat = request.extensions().get::<Arc<ConnectionSlot>>().cloned();
    let welcomed = || {
        if let Some(seat) = &seat {
            seat.mark_known();
        }
    };
    let visit = guard.visit(&request);
    let refusal = match &visit {
        Ok(visit) => guard.refuse(&request, visit),
        Err(_) => None,
    };
    let may = *request.method() == Method::GET && request.uri().path() == "/";
    let mut response = match (visit, refusal) {
        (Err(refusal), _) => refusal.into(),
        (Ok(visit), None) => {
            welcomed();
            // A browser that is in already is led to the page that it was invited to.
            match token_of(&request)
                .filter(|_| may)
                .and_then(|token| guard.admit(token))
            {
                Some(admission) => welcome(guard, &visit, &admission, &shared.start),
                None => {
                    request.extensions_mut().insert(visit);
                    let tab = name_of(&request, TAB).to_owned();
                    let work = name_of(&request, WORK).to_owned();
                    work_slots::as_client(&tab, &work, next.run(request)).await
                }
            }
        }
        (Ok(visit), Some(refusal)) if refusal.status == StatusCode::UNAUTHORIZED => {
            let token = token_of(&request).filter(|_| may);
            match token.and_then(|token| guard.admit(token)) {
                Some(admission) => {
                    welcomed();
                    welcome(guard, &visit, &admission, &shared.start)
                }
                None => {
                    if token.is_some() || request.headers().contains_key(header::AUTHORIZATION) {
                        guard.slow_down().await;
                    }
                    if may {
                        plain(StatusCode::UNAUTHORIZED, &refusal.answer.error)
                    } else {
                        refusal.into()
                    }
                }
            }
        }
        (Ok(_), Some(refusal)) => refusal.into(),
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
fn welcome(
    guard: &RequestGuard,
    visit: &RequestOrigin,
    admission: &Admission,
    start: &str,
) -> Response {
    let start = admission.start.as_deref().unwrap_or(start);
    let secure = if visit.is_secure { "; Secure" } else { "" };
    let cookie = format!(
        "{}={}; HttpOnly; SameSite=Strict; Path=/{secure}",
        guard.cookie_name(visit),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(token: Option<&str>) -> RequestGuard {
        let address = "127.0.0.1:8080".parse().expect("an address");
        let names = HostNames::new(address, &[], None).expect("names");
        RequestGuard::new(names, token.map(str::to_owned), false).expect("a guard")
    }

    fn takes(guard: &RequestGuard, token: &str) -> bool {
        guard.admit(token).is_some()
    }

    fn invite(guard: &RequestGuard) -> Result<String> {
        guard.invite(&guard.names.local_origin())
    }

    fn token(url: &str) -> &str {
        url.split("token=").nth(1).expect("a token")
    }

    #[test]
    fn a_token_is_good_once_and_so_is_each_invitation() {
        let guard = guard(None);
        let url = guard.url();
        assert!(!takes(&guard, "wrong"));
        assert!(takes(&guard, token(&url)) && !takes(&guard, token(&url)));
        let invited = invite(&guard).expect("an address");
        assert!(takes(&guard, token(&invited)) && !takes(&guard, token(&invited)));
        assert!(!takes(&guard, ""));
    }

    #[test]
    fn old_invitations_end() {
        let guard = guard(None);
        let all: Vec<String> = (0..=limits::INVITATIONS)
            .map(|_| invite(&guard).expect("an address"))
            .collect();
        let good: Vec<bool> = all.iter().map(|url| takes(&guard, token(url))).collect();
        // The oldest has made room for the newest.
        assert!(!good[0] && good[1..].iter().all(|good| *good), "{good:?}");
        let url = invite(&guard).expect("an address");
        for one in guard.invitations.lock().expect("open").iter_mut() {
            one.end = Instant::now();
        }
        assert!(!takes(&guard, token(&url)));
    }

    #[test]
    fn a_chosen_token_lasts() {
        let guard = guard(Some("chosen-by-somebody"));
        assert!(takes(&guard, "chosen-by-somebody") && takes(&guard, "chosen-by-somebody"));
        assert!(!guard.url().contains("chosen"));
    }

    #[test]
    fn an_invitation_leads_to_its_page() {
        let guard = guard(None);
        let url = guard.invite_here("/base/1".to_owned()).expect("an address");
        let start = Some("/base/1".to_owned());
        assert_eq!(guard.admit(token(&url)), Some(Admission { start }));
    }
}
