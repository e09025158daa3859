//! JSON-RPC 2.0 messages: read with bounds, and written on one line.

use serde_json::{Map, Value, json};

/// The text is no JSON.
pub(crate) const PARSE_ERROR: i64 = -32700;
/// The message is no request.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// There is no such method.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters make no sense.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// The program has met a fault of its own.
pub(crate) const INTERNAL_ERROR: i64 = -32603;
/// The headers of a request do not say what its body says.
pub(crate) const HEADER_MISMATCH: i64 = -32020;
/// The version of the protocol is not spoken here.
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
/// There is no such resource, as versions up to 2025-11-25 say it.
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;

/// Bytes of the longest message that is read.
pub(crate) const MESSAGE: usize = 1 << 20;
/// Bytes of the longest id of a request.
const ID: usize = 200;

/// A message that has come.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RpcMessage {
    /// A message that is answered.
    Request {
        /// The id of the answer.
        id: Value,
        method: String,
        params: Map<String, Value>,
    },
    /// A message that is not answered.
    Notification {
        method: String,
        params: Map<String, Value>,
    },
    /// The answer to a request; none is ever made here.
    Response,
}

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(crate) fn with_data(mut self, data: Value) -> RpcError {
        self.data = Some(data);
        self
    }

    /// The message, on one line. An id that could not be read is left out.
    pub(crate) fn write(&self, id: Option<&Value>) -> String {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Some(data), Some(error)) = (&self.data, error.as_object_mut()) {
            error.insert("data".to_owned(), data.clone());
        }
        let mut message = json!({ "jsonrpc": "2.0", "error": error });
        if let (Some(id), Some(message)) = (id, message.as_object_mut()) {
            message.insert("id".to_owned(), id.clone());
        }
        message.to_string()
    }
}

/// The message that tells a result, on one line.
pub(crate) fn write_result(id: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

/// What was wrong with a message, and its id where that could be read.
pub(crate) type RpcReadError = (RpcError, Option<Value>);

/// Reads a message.
pub(crate) fn read(bytes: &[u8]) -> Result<RpcMessage, RpcReadError> {
    let invalid = |why: &str, id: Option<&Value>| {
        let id = id.filter(|id| is_id(id)).cloned();
        (RpcError::new(INVALID_REQUEST, why), id)
    };
    if bytes.len() > MESSAGE {
        let why = format!("a message has at most {MESSAGE} bytes");
        return Err(invalid(&why, None));
    }
    // Nesting is bounded by the reader.
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        let error = RpcError::new(PARSE_ERROR, format!("this is not JSON: {error}"));
        (error, None)
    })?;
    let Value::Object(mut message) = value else {
        return Err(invalid(
            "a message is one object; batches are not supported",
            None,
        ));
    };
    let id = message.remove("id");
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc` must be \"2.0\"", id.as_ref()));
    }
    let params = match message.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(invalid("`params` must be an object", id.as_ref())),
    };
    let method = match message.remove("method") {
        Some(Value::String(method)) => method,
        None if message.contains_key("result") || message.contains_key("error") => {
            return Ok(RpcMessage::Response);
        }
        _ => return Err(invalid("`method` must be a string", id.as_ref())),
    };
    match id {
        None => Ok(RpcMessage::Notification { method, params }),
        Some(id) if is_id(&id) => Ok(RpcMessage::Request { id, method, params }),
        Some(_) => Err(invalid(
            "`id` must be a whole number, or a string of at most 200 bytes",
            None,
        )),
    }
}

/// Whether a value can be the id of a request.
fn is_id(id: &Value) -> bool {
    match id {
        Value::String(text) => text.len() <= ID,
        Value::Number(number) => number.is_i64() || number.is_u64(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(text: &str) -> (i64, Option<Value>) {
        let (error, id) = read(text.as_bytes()).expect_err("refused");
        (error.code, id)
    }

    #[test]
    fn messages_are_told_apart() {
        let message = read(br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).expect("a request");
        assert!(matches!(message, RpcMessage::Request { ref method, .. } if method == "ping"));
        let message = read(br#"{"jsonrpc":"2.0","method":"x","params":{}}"#).expect("one");
        assert!(matches!(message, RpcMessage::Notification { .. }));
        let message = read(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#).expect("one");
        assert_eq!(message, RpcMessage::Response);
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_id_that_it_has() {
        assert_eq!(code_of("{"), (PARSE_ERROR, None));
        assert_eq!(code_of("[]"), (INVALID_REQUEST, None));
        assert_eq!(code_of(r#"{"id":3}"#), (INVALID_REQUEST, Some(json!(3))));
        assert_eq!(
            code_of(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#),
            (INVALID_REQUEST, None)
        );
        assert_eq!(
            code_of(r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#),
            (INVALID_REQUEST, None)
        );
        assert_eq!(
            code_of(r#"{"jsonrpc":"2.0","id":"a","method":"x","params":[]}"#),
            (INVALID_REQUEST, Some(json!("a")))
        );
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}"#,
            "[".repeat(100_000)
        );
        assert_eq!(code_of(&deep).0, PARSE_ERROR);
        let long = format!(
            r#"{{"jsonrpc":"2.0","id":"{}","method":"x"}}"#,
            "a".repeat(300)
        );
        assert_eq!(code_of(&long), (INVALID_REQUEST, None));
        let longer = format!("\"{}\"", "a".repeat(MESSAGE));
        assert_eq!(code_of(&longer), (INVALID_REQUEST, None));
    }
}
