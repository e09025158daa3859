//! Bodies of requests: complete, within their size and time limits, before a route gets them.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use tokio::time::timeout;

use crate::answer::Refusal;
use crate::error_codes;
use crate::limits;

/// Reads the body before the route is asked, so that a body that comes byte by byte holds nothing else up.
pub(super) async fn whole(State(limit): State<usize>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    // What is announced to be too large is not even begun; what grows so is refused by the extractor.
    if request.body().size_hint().lower() > limit as u64 {
        return Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            &error_codes::TOO_LARGE,
            "the body of this request is too large",
        )
        .into();
    }
    let (head, body) = request.into_parts();
    let coming = Bytes::from_request(Request::from_parts(head.clone(), body), &());
    match timeout(limits::SMALL_BODY_TIME, coming).await {
        Ok(Ok(bytes)) => next.run(Request::from_parts(head, Body::from(bytes))).await,
        Ok(Err(refused)) => Refusal::new(
            refused.status(),
            &error_codes::BAD_REQUEST,
            refused.body_text(),
        )
        .into(),
        Err(_) => Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            &error_codes::TOO_SLOW,
            "the body of this request took too long to arrive",
        )
        .into(),
    }
}
