//! The tools for language models, with the access control of the app: one address to which every message is sent separately.

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use tabiya_mcp::{McpRequestHead, McpServer};
use tabiya_model::Control;

use super::cancellable_work;
use crate::ServerState;
use crate::answer::Refusal;

/// Answers a message; the work for it ends with the connection of who has asked.
pub(super) async fn answer(
    State(shared): State<ServerState>,
    Extension(server): Extension<McpServer>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let told = |name: &str| {
        let value = headers.get(name)?;
        // What is no text says nothing that a message could say.
        Some(value.to_str().unwrap_or("\u{fffd}").to_owned())
    };
    let head = McpRequestHead {
        version: told("mcp-protocol-version"),
        method: told("mcp-method"),
        name: told("mcp-name"),
    };
    let reply = cancellable_work(
        &shared,
        &shared.quick,
        Control::default(),
        move |_, control| Ok(server.answer(&body, Some(&head), control)),
    )
    .await?;
    let is_told = reply.body.is_some();
    let mut response = Response::new(Body::from(reply.body.unwrap_or_default()));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    if is_told {
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
    }
    Ok(response)
}
