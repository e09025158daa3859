//! The methods of the protocol, in both versions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use tabiya::repertoire::RepertoireCache;
use tabiya_answers::Answer;
use tabiya_answers::server::JobStateAnswer;
use tabiya_model::Control;

use crate::bases::McpBases;
use crate::cut::{self, CutLists};
use crate::error::McpRefusal;
use crate::evaluations::KnownEvaluations;
use crate::jobs::{McpJob, McpJobs, ToolResult};
use crate::json_rpc::{self, RpcError, RpcMessage};
use crate::offer::{McpConfig, McpServerInner};
use crate::resources;
use crate::tools::{self, McpTool, ToolCall, ToolPace};

/// The version in which every request says all there is to know.
pub(crate) const MODERN: &str = "2026-07-28";
/// Those that begin with `initialize`, the newest first.
const EARLIER: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// Where requests of the modern version say their version, and what the client can do.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// The extension by which a call is answered with a task.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// How long a call is waited for until it is a job: an answer comes within a second.
const SOON: Duration = Duration::from_millis(700);
/// The same of what is a job by its nature: its id comes at once.
const AT_ONCE: Duration = Duration::from_millis(80);
/// How long work may take at all.
const WORK: Duration = Duration::from_secs(3_600);
/// Steps that a query may take in one game.
const STEPS: u64 = 1 << 31;
/// How long lists stay as they are.
const LASTING: u64 = 300_000;
/// How long the end of work is waited for when the program ends.
const FAREWELL: Duration = Duration::from_secs(5);
/// How often a task is asked about.
const POLL: u64 = 1_000;

/// What a client is told at its start.
const INSTRUCTIONS: &str = "Tabiya searches, counts, explains and edits the user's own chess databases. Begin with \
    `bases`, which returns their names. Do not work out positions or moves yourself: `position` returns the legal moves, \
    attacked pieces and material of any position, and every tool refuses illegal moves and lists the legal ones. Moves are \
    written in standard notation (Nf3, exd5, O-O), never by their squares. Evaluations are seen from White. `search` takes \
    the query language of the resource tabiya://query. Long work returns a job: ask the tool `job` for its answer. `cut` \
    shows what was cut from an answer: ask the tool `more` with its cursor. A change of a database is one step that `undo` \
    undoes.";

/// The headers of a request over HTTP, besides its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpRequestHead {
    /// `MCP-Protocol-Version`.
    pub version: Option<String>,
    /// `Mcp-Method`.
    pub method: Option<String>,
    /// `Mcp-Name`.
    pub name: Option<String>,
}

/// The answer to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpReply {
    /// The answer on one line; nothing to a message that is not answered.
    pub body: Option<String>,
    /// Its HTTP status.
    pub status: u16,
}

impl McpReply {
    fn none() -> McpReply {
        McpReply {
            body: None,
            status: 202,
        }
    }

    fn refused(error: &RpcError, id: Option<&Value>) -> McpReply {
        McpReply {
            body: Some(error.write(id)),
            status: match error.code {
                json_rpc::METHOD_NOT_FOUND => 404,
                json_rpc::INTERNAL_ERROR => 200,
                _ => 400,
            },
        }
    }
}

/// The tools over some databases.
#[derive(Clone)]
pub struct McpServer(Arc<McpServerInner>);

/// A request that is answered.
struct McpRequest<'r> {
    method: &'r str,
    params: &'r Map<String, Value>,
    /// Whether it is of the modern version.
    is_modern: bool,
    control: &'r Control,
}

type RpcResult = Result<Value, RpcError>;

impl McpServer {
    /// The tools over some databases.
    pub fn new(bases: Arc<dyn McpBases>, config: McpConfig) -> McpServer {
        McpServer(Arc::new(McpServerInner {
            bases,
            config,
            jobs: McpJobs::default(),
            cuts: CutLists::default(),
            evaluations: KnownEvaluations::default(),
            repertoires: RepertoireCache::default(),
            messages: AtomicU64::new(0),
        }))
    }

    /// Answers a message. When `control` is stopped the answer is no longer needed, and its work ends.
    pub fn answer(
        &self,
        message: &[u8],
        head: Option<&McpRequestHead>,
        control: &Control,
    ) -> McpReply {
        self.0.messages.fetch_add(1, Ordering::Relaxed);
        match json_rpc::read(message) {
            Err((error, id)) => McpReply::refused(&error, id.as_ref()),
            Ok(message) => self.answer_message(&message, head, control),
        }
    }

    /// The same of a message that was read.
    pub(crate) fn answer_message(
        &self,
        message: &RpcMessage,
        head: Option<&McpRequestHead>,
        control: &Control,
    ) -> McpReply {
        let RpcMessage::Request { id, method, params } = message else {
            return McpReply::none();
        };
        let is_modern = is_modern(method, params, head);
        let request = McpRequest {
            method,
            params,
            is_modern,
            control,
        };
        let checked = match is_modern {
            true => check_modern(&request, head),
            false => check_earlier(head),
        };
        match checked.and_then(|()| self.0.dispatch(&request)) {
            Ok(result) => McpReply {
                body: Some(json_rpc::write_result(id, &result)),
                status: 200,
            },
            // Clients of earlier versions read a body of no other status.
            Err(error) => {
                let mut reply = McpReply::refused(&error, Some(id));
                if !is_modern && error.code != json_rpc::UNSUPPORTED_VERSION {
                    reply.status = 200;
                }
                reply
            }
        }
    }

    /// Whether work that a call has started is still running.
    pub fn is_busy(&self) -> bool {
        self.0.jobs.are_running()
    }

    /// How many messages have arrived: two equal counts mean that nobody has asked in between.
    pub fn messages(&self) -> u64 {
        self.0.messages.load(Ordering::Relaxed)
    }

    /// Stops all work, and waits a while for its end: a change that is being written is completed.
    pub fn stop(&self) {
        self.0.jobs.stop_all();
        let end = Instant::now() + FAREWELL;
        for job in self.0.jobs.all() {
            let left = end.saturating_duration_since(Instant::now());
            let _ = job.wait(left, &Control::default());
        }
    }
}

/// Whether a request is of the version in which it says its version itself.
fn is_modern(method: &str, params: &Map<String, Value>, head: Option<&McpRequestHead>) -> bool {
    let says = params
        .get("_meta")
        .is_some_and(|meta| meta.get(VERSION_KEY).is_some());
    let version = head.and_then(|head| head.version.as_deref());
    says || version == Some(MODERN) || method == "server/discover"
}

/// Refuses a modern request that does not say what it has to, or says it otherwise in its headers.
fn check_modern(request: &McpRequest<'_>, head: Option<&McpRequestHead>) -> Result<(), RpcError> {
    let meta = request.params.get("_meta").and_then(Value::as_object);
    let (Some(version), Some(_)) = (
        meta.and_then(|meta| meta.get(VERSION_KEY)),
        meta.and_then(|meta| meta.get(CAPABILITIES_KEY))
            .filter(|it| it.is_object()),
    ) else {
        return Err(RpcError::new(
            json_rpc::INVALID_PARAMS,
            format!("`_meta` must have {VERSION_KEY} and {CAPABILITIES_KEY}"),
        ));
    };
    if let Some(head) = head {
        let mismatch = |name: &str| {
            let why = format!("the header {name} does not agree with the request");
            Err(RpcError::new(json_rpc::HEADER_MISMATCH, why))
        };
        if head.version.as_deref() != version.as_str() {
            return mismatch("MCP-Protocol-Version");
        }
        if head.method.as_deref() != Some(request.method) {
            return mismatch("Mcp-Method");
        }
        let named = match request.method {
            "tools/call" | "prompts/get" => request.params.get("name"),
            "resources/read" => request.params.get("uri"),
            "tasks/get" | "tasks/cancel" | "tasks/update" => {
                // Clients may leave it out here.
                request.params.get("taskId").filter(|_| head.name.is_some())
            }
            _ => None,
        };
        if let Some(named) = named.and_then(Value::as_str)
            && head.name.as_deref().and_then(decoded).as_deref() != Some(named)
        {
            return mismatch("Mcp-Name");
        }
    }
    match version.as_str() {
        Some(MODERN) => Ok(()),
        Some(other) => Err(unsupported(other)),
        None => Err(RpcError::new(
            json_rpc::INVALID_PARAMS,
            format!("{VERSION_KEY} must be a string"),
        )),
    }
}

/// Refuses a version that nobody knows.
fn check_earlier(head: Option<&McpRequestHead>) -> Result<(), RpcError> {
    match head.and_then(|head| head.version.as_deref()) {
        Some(version) if !EARLIER.contains(&version) => Err(unsupported(version)),
        _ => Ok(()),
    }
}

fn unsupported(version: &str) -> RpcError {
    let version: String = version.chars().take(80).collect();
    let error = RpcError::new(
        json_rpc::UNSUPPORTED_VERSION,
        "this version of the protocol is not supported",
    );
    error.with_data(json!({ "supported": versions(), "requested": version }))
}

fn versions() -> Vec<&'static str> {
    std::iter::once(MODERN).chain(EARLIER).collect()
}

/// The value of a header that may be told in base 64 between `=?base64?` and `?=`.
fn decoded(value: &str) -> Option<String> {
    let inner = value.strip_prefix("=?base64?");
    let Some(inner) = inner.and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(value.to_owned());
    };
    let digits = inner.trim_end_matches('=');
    if inner.len() % 4 != 0 || inner.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in digits.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
            bits &= (1 << count) - 1;
        }
    }
    // What is left over says nothing.
    (bits == 0).then(|| String::from_utf8(bytes).ok()).flatten()
}

impl McpServerInner {
    fn dispatch(self: &Arc<Self>, request: &McpRequest<'_>) -> RpcResult {
        let params = request.params;
        let is_modern = request.is_modern;
        match request.method {
            "initialize" if !is_modern => Ok(initialize(params)),
            "server/discover" => Ok(lasting(json!({
                "supportedVersions": versions(),
                "capabilities": capabilities(true),
                "instructions": INSTRUCTIONS,
            }))),
            "ping" => Ok(complete(json!({}), is_modern)),
            "tools/list" => {
                no_cursor(params)?;
                let tools: Vec<Value> = self.tools().map(McpTool::json).collect();
                Ok(listed(json!({ "tools": tools }), is_modern))
            }
            "resources/list" => {
                no_cursor(params)?;
                Ok(listed(json!({ "resources": resources::list() }), is_modern))
            }
            "resources/templates/list" => {
                no_cursor(params)?;
                Ok(listed(json!({ "resourceTemplates": [] }), is_modern))
            }
            "resources/read" => {
                let uri = params
                    .get("uri")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                let Some(content) = resources::read(uri) else {
                    let code = match is_modern {
                        true => json_rpc::INVALID_PARAMS,
                        false => json_rpc::RESOURCE_NOT_FOUND,
                    };
                    let error = RpcError::new(code, format!("there is no resource {uri:.80}"));
                    return Err(error
                        .with_data(json!({ "uri": uri.chars().take(200).collect::<String>() })));
                };
                Ok(listed(json!({ "contents": [content] }), is_modern))
            }
            "tools/call" => self.call(request),
            "tasks/get" if is_modern => Ok(complete(self.task(params)?, true)),
            "tasks/cancel" if is_modern => {
                self.job_of(params)?.stop();
                Ok(complete(json!({}), true))
            }
            // No task ever asks for anything.
            "tasks/update" if is_modern => {
                self.job_of(params)?;
                Ok(complete(json!({}), true))
            }
            method => Err(RpcError::new(
                json_rpc::METHOD_NOT_FOUND,
                format!("there is no method {method:.80}"),
            )),
        }
    }

    /// The tools that are offered, in a fixed order.
    fn tools(&self) -> impl Iterator<Item = &'static McpTool> {
        let (edits, sql) = (self.config.edits, self.config.sql.is_some());
        let is_offered = move |tool: &&'static McpTool| match tool.name {
            "edit" | "undo" => edits,
            "sql" => sql,
            _ => true,
        };
        tools::TOOLS.iter().filter(is_offered)
    }

    /// Calls a tool.
    fn call(self: &Arc<Self>, request: &McpRequest<'_>) -> RpcResult {
        let name = request.params.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| {
            RpcError::new(
                json_rpc::INVALID_PARAMS,
                "`name` must be the name of a tool",
            )
        })?;
        let mut tools = self.tools();
        let Some(tool) = tools.find(|tool| tool.name == name) else {
            return Err(RpcError::new(
                json_rpc::INVALID_PARAMS,
                format!("there is no tool {name:.80}"),
            ));
        };
        let arguments = match request.params.get("arguments") {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => {
                return Err(RpcError::new(
                    json_rpc::INVALID_PARAMS,
                    "`arguments` must be an object",
                ));
            }
        };
        let arguments = match tool.check(arguments) {
            Ok(arguments) => arguments,
            Err(refusal) => return Ok(complete(tool_result(&Err(refusal)), request.is_modern)),
        };
        if tool.pace == ToolPace::Inline {
            let call = ToolCall::new(self, arguments, request.control);
            let result = (tool.run)(&call);
            return Ok(complete(self.told(tool, &result), request.is_modern));
        }
        let is_job = tool.is_job(&arguments);
        let (server, run) = (Arc::clone(self), tool.run);
        let control = Control::default().with_time(WORK).with_steps(STEPS);
        let begun = self
            .jobs
            .start((tool.name, is_job), control, move |control| {
                run(&ToolCall::new(&server, arguments, control))
            });
        let job = match begun {
            Ok(job) => job,
            Err(refusal) => return Ok(complete(tool_result(&Err(refusal)), request.is_modern)),
        };
        let patience = if is_job { AT_ONCE } else { SOON };
        if let Some(result) = job.wait(patience, request.control) {
            self.jobs.forget(&job);
            return Ok(complete(self.told(tool, &result), request.is_modern));
        }
        if request.control.is_stopped() {
            job.stop();
        }
        if request.is_modern && takes_tasks(request.params) {
            let mut task = task_fields(&job);
            task.insert("resultType".to_owned(), "task".into());
            return Ok(signed(Value::Object(task)));
        }
        let answer = json!({ "job": job.answer().json() });
        Ok(complete(tool_result(&Ok(answer)), request.is_modern))
    }

    /// The result of a tool, cut where it is too long.
    pub(crate) fn told(&self, tool: &McpTool, result: &ToolResult) -> Value {
        let result = match result {
            Ok(answer) => {
                let answer = match tool.name {
                    // It is cut already.
                    "more" => answer.clone(),
                    _ => self.cuts.fit(answer.clone()),
                };
                match cut::fits(&answer) {
                    true => Ok(answer),
                    false => Err(McpRefusal::new(
                        "too-large",
                        "the answer is too long: ask for less",
                    )),
                }
            }
            Err(refusal) => Err(refusal.clone()),
        };
        tool_result(&result)
    }

    fn job_of(&self, params: &Map<String, Value>) -> Result<Arc<McpJob>, RpcError> {
        let id = params
            .get("taskId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        self.jobs.get(id).ok_or_else(|| {
            RpcError::new(
                json_rpc::INVALID_PARAMS,
                format!("there is no task {id:.40}"),
            )
        })
    }

    /// A task with what it has come to.
    fn task(&self, params: &Map<String, Value>) -> RpcResult {
        let job = self.job_of(params)?;
        let mut task = task_fields(&job);
        if let Some(result) = job.result().filter(|_| !job.was_stopped())
            && let Some(tool) = tools::named(job.tool)
        {
            // Failures of a tool are results that say so.
            task.insert("status".to_owned(), "completed".into());
            task.insert(
                "result".to_owned(),
                complete(self.told(tool, &result), true),
            );
        }
        Ok(Value::Object(task))
    }
}

/// Whether the client of a request takes a task for an answer.
fn takes_tasks(params: &Map<String, Value>) -> bool {
    let capabilities = params
        .get("_meta")
        .and_then(|meta| meta.get(CAPABILITIES_KEY));
    let extensions = capabilities.and_then(|all| all.get("extensions"));
    extensions.is_some_and(|all| all.get(TASKS).is_some())
}

/// What is told of a task.
fn task_fields(job: &McpJob) -> Map<String, Value> {
    let told = job.answer();
    let status = match told.state {
        JobStateAnswer::Running => "working",
        JobStateAnswer::Stopped => "cancelled",
        JobStateAnswer::Done | JobStateAnswer::Failed => "completed",
    };
    let now = utc_time(SystemTime::now());
    let fields = json!({
        "taskId": job.id(),
        "status": status,
        "statusMessage": format!("{} games, {} s", told.games, told.seconds),
        "createdAt": utc_time(job.since),
        "lastUpdatedAt": now,
        "ttlMs": null,
        "pollIntervalMs": POLL,
    });
    fields.as_object().cloned().unwrap_or_default()
}

/// A moment as ISO 8601 writes it.
fn utc_time(moment: SystemTime) -> String {
    let seconds = moment
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years from March on, so that the leap day is the last one.
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{:02}T{:02}:{:02}:{:02}Z",
        of_year - (153 * shifted + 2) / 5 + 1,
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}

/// What clients of earlier versions begin with.
fn initialize(params: &Map<String, Value>) -> Value {
    let wanted = params.get("protocolVersion").and_then(Value::as_str);
    let newest = EARLIER.first().copied().unwrap_or_default();
    let version = wanted.filter(|version| EARLIER.contains(version));
    json!({
        "protocolVersion": version.unwrap_or(newest),
        "capabilities": capabilities(false),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })
}

fn server_info() -> Value {
    json!({ "name": "tabiya", "title": "Tabiya", "version": env!("CARGO_PKG_VERSION") })
}

fn capabilities(is_modern: bool) -> Value {
    let mut all = json!({ "tools": {}, "resources": {} });
    if let (true, Some(all)) = (is_modern, all.as_object_mut()) {
        all.insert("extensions".to_owned(), json!({ TASKS: {} }));
    }
    all
}

fn no_cursor(params: &Map<String, Value>) -> Result<(), RpcError> {
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(RpcError::new(
            json_rpc::INVALID_PARAMS,
            "there is no such cursor: the list is returned in one piece",
        )),
    }
}

/// A result as the version of its request has it.
fn complete(mut result: Value, is_modern: bool) -> Value {
    if !is_modern {
        return result;
    }
    if let Some(fields) = result.as_object_mut() {
        fields.insert("resultType".to_owned(), "complete".into());
    }
    signed(result)
}

/// With who says it.
fn signed(mut result: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.insert("_meta".to_owned(), json!({ SERVER_KEY: server_info() }));
    }
    result
}

/// A result that stays as it is for a while.
fn lasting(result: Value) -> Value {
    let mut result = complete(result, true);
    if let Some(fields) = result.as_object_mut() {
        fields.insert("ttlMs".to_owned(), LASTING.into());
        fields.insert("cacheScope".to_owned(), "private".into());
    }
    result
}

fn listed(result: Value, is_modern: bool) -> Value {
    match is_modern {
        true => lasting(result),
        false => result,
    }
}

/// What a tool has answered, as both versions tell it.
fn tool_result(result: &ToolResult) -> Value {
    match result {
        Ok(answer) => json!({
            "content": [{ "type": "text", "text": answer.to_string() }],
            "structuredContent": answer,
            "isError": false,
        }),
        Err(refusal) => json!({
            "content": [{ "type": "text", "text": refusal.json().to_string() }],
            "isError": true,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_in_base_64_are_read() {
        for (told, text) in [
            ("search", Some("search")),
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", Some("Hello, 世界")),
            ("=?base64?IHBhZGRlZCA=?=", Some(" padded ")),
            ("=?base64?bGluZTEKbGluZTI=?=", Some("line1\nline2")),
            (
                "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
                Some("=?base64?literal?="),
            ),
            ("=?base64??=", Some("")),
            ("=?base64?SGVsbG8?=", None),
            ("=?base64?SG!s?=", None),
            ("=?base64?/w==?=", None),
        ] {
            assert_eq!(decoded(told).as_deref(), text, "{told}");
        }
    }

    #[test]
    fn moments_are_told_as_the_calendar_has_them() {
        let at = |seconds| utc_time(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_785_196_800), "2026-07-28T00:00:00Z");
    }
}
