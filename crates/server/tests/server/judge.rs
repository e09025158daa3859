//! Judges answers of the server: each one that any test gets is what `openapi.json` describes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::{Value, json};
use tabiya_testing::answers::AnswerSchemas;

use super::Reply;

/// What is described.
pub(crate) struct Described {
    schemas: AnswerSchemas,
    pub(crate) routes: BTreeMap<(String, String), Value>,
}

pub(crate) static DESCRIBED: LazyLock<Described> = LazyLock::new(|| {
    let schemas = AnswerSchemas::of_server();
    let routes = schemas.routes();
    Described { schemas, routes }
});

/// The routes that were answered with what is described, by all tests so far.
pub(crate) static SEEN: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());

/// Whether a path is one of a route.
fn fits(route: &str, path: &str) -> bool {
    let (mut one, mut other) = (route.split('/'), path.split('/'));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(wanted), Some(there)) if wanted == there || wanted.starts_with('{') => {}
            _ => return false,
        }
    }
}

/// The route of a request: one that names the path as it is comes before one with places in it.
fn route_of(request: &str) -> Option<((String, String), &'static Value)> {
    let mut words = request.split(' ');
    let (method, path) = (words.next()?, words.next()?.split('?').next()?);
    let all = DESCRIBED.routes.iter();
    let mut fitting: Vec<_> = all
        .filter(|((known, route), _)| known == method && fits(route, path))
        .collect();
    fitting.sort_by_key(|((_, route), _)| route.matches('{').count());
    fitting
        .first()
        .map(|(key, described)| ((*key).clone(), *described))
}

/// A body without the sizes of its chunks; nothing where it is cut off.
pub(crate) fn whole_body(reply: &Reply) -> Option<Vec<u8>> {
    if reply.header("transfer-encoding") != Some("chunked") {
        return Some(reply.body.clone());
    }
    let (mut rest, mut body) = (&reply.body[..], Vec::new());
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).ok()?, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(end + 2..end + 2 + size)?);
        rest = rest.get(end + 4 + size..)?;
    }
}

/// Panics where a reply is not what is described of the route.
pub(crate) fn judge(request: &str, reply: &Reply) {
    let Some((route, described)) = route_of(request) else {
        return;
    };
    let kind = reply.header("content-type").unwrap_or_default().to_owned();
    let Some(body) = whole_body(reply) else {
        return;
    };
    let values: Vec<Value> = match kind.as_str() {
        "application/json" => vec![serde_json::from_slice(&body).expect("JSON")],
        "application/x-ndjson" => {
            let lines = body
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty());
            lines
                .map(|line| serde_json::from_slice(line).expect("JSON"))
                .collect()
        }
        _ => return,
    };
    let refusal = json!({"$ref": "#/components/schemas/RefusalAnswer"});
    let schema = match reply.status {
        200 => described["200"]["content"][&kind]["schema"].clone(),
        _ => refusal,
    };
    assert!(!schema.is_null(), "{route:?}: {kind} is not described");
    for value in &values {
        let faults = DESCRIBED.schemas.faults_by(&schema, value);
        assert!(faults.is_empty(), "{route:?}: {faults:#?}\n{value}");
    }
    if reply.status == 200 && !values.is_empty() {
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(route);
    }
}

/// Judges a line of the socket.
pub(crate) fn judge_line(line: &Value) {
    let schema = json!({"$ref": "#/components/schemas/LiveLineAnswer"});
    let faults = DESCRIBED.schemas.faults_by(&schema, line);
    assert!(faults.is_empty(), "{faults:#?}\n{line}");
}
