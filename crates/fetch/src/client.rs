//! Requests to a site: one at a time, following the rules that all of them have.

use std::io::Read;
use std::time::{Duration, Instant};

use tabiya_model::Control;
use ureq::http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, IF_RANGE, LAST_MODIFIED, LOCATION, RANGE, RETRY_AFTER,
};
use ureq::http::{HeaderMap, Request, Response};
use ureq::{Agent, Body};

use crate::site::{FetchSettings, FetchSite, origin};
use crate::state::FetchStamp;
use crate::stoppable_reader::StoppableReader;
use crate::{FetchError, Result};

/// How often a request is sent on within its own host.
const REDIRECTS: usize = 5;

/// How often a site may ask to wait before the job gives up.
const WAITS: usize = 3;

/// How long to wait where the site does not say it.
const USUAL_WAIT: Duration = Duration::from_secs(60);

/// The longest text of an answer that is no data.
const SHORT: u64 = 16 << 20;

/// Sends requests to sites, one after the other.
#[derive(Debug)]
pub struct FetchClient {
    agent: Agent,
    settings: FetchSettings,
    control: Control,
    requests: u64,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FetchRequest<'r> {
    pub(crate) site: FetchSite,
    /// Path and query.
    pub(crate) path: &'r str,
    /// The type of what is wanted.
    pub(crate) accept: &'static str,
    /// What it is, in words.
    pub(crate) what: &'r str,
    /// What was there the last time.
    pub(crate) stamp: Option<&'r FetchStamp>,
    /// A text that is sent with it, and its type.
    pub(crate) body: Option<(&'r str, &'static str)>,
    /// The number of bytes that are here already, if the site's version is still that of the stamp.
    pub(crate) here: u64,
}

impl<'r> FetchRequest<'r> {
    /// A plain question.
    pub(crate) fn new(site: FetchSite, path: &'r str, accept: &'static str, what: &'r str) -> Self {
        FetchRequest {
            site,
            path,
            accept,
            what,
            stamp: None,
            body: None,
            here: 0,
        }
    }
}

/// What came back.
pub(crate) enum SiteResponse {
    /// It is as it was.
    Unchanged,
    /// It is not there.
    NotThere,
    /// It was done, and there is nothing to say.
    Done,
    /// Data.
    Data(FetchData),
}

/// Data on their way.
pub(crate) struct FetchData {
    /// How to ask for them the next time.
    pub(crate) stamp: FetchStamp,
    /// The data.
    pub(crate) reader: Box<dyn Read + Send>,
    /// Who sends them.
    pub(crate) site: String,
    /// The number of bytes before them that were left out, since they are here.
    pub(crate) start: u64,
}

impl FetchData {
    /// All of a short answer.
    pub(crate) fn text(self, wanted: &'static str) -> Result<String> {
        let mut bytes = Vec::new();
        let site = self.site;
        let read = self.reader.take(SHORT + 1).read_to_end(&mut bytes);
        if let Err(error) = read {
            let why = error.to_string();
            return Err(FetchError::Cut { site, why });
        }
        if bytes.len() as u64 > SHORT {
            return Err(FetchError::TooLong { site, limit: SHORT });
        }
        String::from_utf8(bytes).map_err(|_| FetchError::NotData { site, wanted })
    }

    /// Writes all of it to a file.
    pub(crate) fn save(mut self, file: &mut std::fs::File, limit: u64) -> Result<u64> {
        let site = self.site;
        let mut part = (&mut self.reader).take(limit.saturating_add(1));
        let mut buffer = vec![0; 1 << 16];
        let mut total = 0_u64;
        loop {
            let length = match part.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) => {
                    let why = error.to_string();
                    return Err(FetchError::Cut { site, why });
                }
            };
            total += length as u64;
            let bytes = buffer.get(..length).unwrap_or_default();
            std::io::Write::write_all(file, bytes).map_err(|error| FetchError::File {
                file: "a temporary file".to_owned(),
                error,
            })?;
        }
        if total > limit {
            return Err(FetchError::TooLong { site, limit });
        }
        Ok(total)
    }
}

impl FetchClient {
    /// A client with the user's settings.
    pub fn new(settings: FetchSettings, control: Control) -> Result<FetchClient> {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(settings.user_agent()?)
            .max_response_header_size(64 << 10)
            .timeout_resolve(Some(settings.silence))
            .timeout_connect(Some(settings.silence))
            .timeout_recv_response(Some(settings.silence))
            .timeout_per_read(Some(settings.silence))
            .build()
            .new_agent();
        Ok(FetchClient {
            agent,
            settings,
            control,
            requests: 0,
        })
    }

    /// The user's settings.
    pub fn settings(&self) -> &FetchSettings {
        &self.settings
    }

    /// The control that can stop it.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// How many requests were sent.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Asks.
    pub(crate) fn ask(&mut self, request: &FetchRequest<'_>) -> Result<SiteResponse> {
        let site = self.settings.address(request.site).to_owned();
        let mut address = format!("{site}{}", request.path);
        let (mut redirects, mut waits) = (0, 0);
        loop {
            if self.control.is_stopped() {
                return Err(FetchError::Stopped);
            }
            let response = self.send(&site, &address, request)?;
            let status = response.status().as_u16();
            let what = || request.what.to_owned();
            match status {
                200 => return self.data(site, response, 0).map(SiteResponse::Data),
                206 if request.here > 0 => {
                    let start = range_start(response.headers());
                    if start != Some(request.here) {
                        let wanted = "the requested part";
                        return Err(FetchError::NotData { site, wanted });
                    }
                    return self
                        .data(site, response, request.here)
                        .map(SiteResponse::Data);
                }
                // Everything is here already.
                416 if request.here > 0 => return Ok(SiteResponse::Done),
                204 => return Ok(SiteResponse::Done),
                304 => return Ok(SiteResponse::Unchanged),
                404 | 410 => return Ok(SiteResponse::NotThere),
                401 | 403 => {
                    return Err(FetchError::NotAllowed {
                        site,
                        what: what(),
                        status,
                    });
                }
                429 | 503 if waits < WAITS => {
                    waits += 1;
                    let wait = retry_after(response.headers());
                    drop(response);
                    self.wait(&site, wait)?;
                }
                // What is sent with a request is sent to nobody else, and not twice.
                301 | 302 | 303 | 307 | 308 if redirects < REDIRECTS && request.body.is_none() => {
                    redirects += 1;
                    address = next_address(&site, &address, response.headers())?;
                }
                _ => return Err(FetchError::Status { site, status }),
            }
        }
    }

    fn send(
        &mut self,
        site: &str,
        address: &str,
        request: &FetchRequest<'_>,
    ) -> Result<Response<Body>> {
        let mut call = Request::builder()
            .uri(address)
            .header(ACCEPT, request.accept);
        // An address that is followed is of the same host, to which the token belongs.
        if let Some(token) = self.settings.tokens.of(address) {
            call = call.header(AUTHORIZATION, token.header());
        }
        let stamp = request.stamp.cloned().unwrap_or_default();
        let conditions = match request.here {
            0 => [
                (IF_NONE_MATCH, stamp.etag),
                (IF_MODIFIED_SINCE, stamp.modified),
            ],
            here => [
                (RANGE, Some(format!("bytes={here}-"))),
                (IF_RANGE, stamp.etag.or(stamp.modified)),
            ],
        };
        for (name, value) in conditions {
            if let Some(value) = value {
                call = call.header(name, value);
            }
        }
        self.requests += 1;
        let sent = match request.body {
            None => call.method("GET").body(()).map(|call| self.agent.run(call)),
            Some((body, kind)) => call
                .method("POST")
                .header(CONTENT_TYPE, kind)
                .body(body.to_owned())
                .map(|call| self.agent.run(call)),
        };
        match sent {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(failure(site, error)),
            Err(error) => Err(FetchError::Usage(format!("{address}: {error}"))),
        }
    }

    fn data(&self, site: String, response: Response<Body>, start: u64) -> Result<FetchData> {
        let text = |name: HeaderName| {
            let value = response.headers().get(name)?;
            Some(value.to_str().ok()?.to_owned())
        };
        if text(CONTENT_TYPE).is_some_and(|kind| kind.starts_with("text/html")) {
            return Err(FetchError::NotData {
                site,
                wanted: "the requested data",
            });
        }
        let stamp = FetchStamp {
            etag: text(ETAG),
            modified: text(LAST_MODIFIED),
        };
        let reader = response
            .into_body()
            .into_with_config()
            .limit(u64::MAX)
            .reader();
        Ok(FetchData {
            stamp,
            reader: Box::new(StoppableReader::new(reader, self.control.clone())),
            site,
            start,
        })
    }

    /// Waits as long as a site asks for.
    pub(crate) fn wait(&self, site: &str, wait: Duration) -> Result<()> {
        if wait > self.settings.longest_wait {
            return Err(FetchError::Busy {
                site: site.to_owned(),
                seconds: wait.as_secs(),
            });
        }
        let end = Instant::now() + wait;
        loop {
            if self.control.is_stopped() {
                return Err(FetchError::Stopped);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
    }
}

/// How long to wait: at least a second, and a minute where nothing is said in seconds.
fn retry_after(headers: &HeaderMap) -> Duration {
    let said = headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok());
    match said.and_then(|value| value.trim().parse::<u64>().ok()) {
        Some(seconds) => Duration::from_secs(seconds.max(1)),
        None => USUAL_WAIT,
    }
}

/// The first byte of the part that an answer has: `bytes 100-199/200`.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    let said = headers.get(CONTENT_RANGE)?.to_str().ok()?;
    let (start, _) = said.trim().strip_prefix("bytes ")?.split_once('-')?;
    start.trim().parse().ok()
}

/// Where an answer sends on to, if that is the same host.
fn next_address(site: &str, address: &str, headers: &HeaderMap) -> Result<String> {
    let said = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let said = said.unwrap_or_default();
    let own = origin(address).unwrap_or_default();
    let next = match said {
        _ if said.contains("://") => said.to_owned(),
        _ if said.starts_with('/') && !said.starts_with("//") => format!("{own}{said}"),
        _ => String::new(),
    };
    match origin(&next) {
        Some(other) if other == own => Ok(next),
        other => Err(FetchError::OtherHost {
            site: site.to_owned(),
            other: other.unwrap_or_else(|| "an invalid address".to_owned()),
        }),
    }
}

/// A failure of the connection in words.
fn failure(site: &str, error: ureq::Error) -> FetchError {
    let site = site.to_owned();
    let why = error.to_string();
    let of_tls = match &error {
        ureq::Error::Rustls(error) => Some(error),
        ureq::Error::Io(error) => error.get_ref().and_then(|inner| inner.downcast_ref()),
        _ => None,
    };
    let is_certificate = matches!(of_tls, Some(rustls::Error::InvalidCertificate(_)));
    match is_certificate {
        true => FetchError::Certificate { site, why },
        false => FetchError::NoAnswer { site, why },
    }
}
