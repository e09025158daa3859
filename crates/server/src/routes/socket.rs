//! The socket of a tab: lines of JSON from the server. Any message from the other side ends it.

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout};

use crate::answer::Refusal;
use crate::error_codes;
use crate::event_broadcast::{EventListener, state_line};
use crate::{ServerState, limits};

pub(super) async fn socket(
    State(shared): State<ServerState>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refusal> {
    // Browsers always say whose page opens a socket; the door has compared it.
    if !headers.contains_key(header::ORIGIN) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            &error_codes::FOREIGN_PAGE,
            "a socket requires the origin of its page",
        ));
    }
    let listening = shared.live.subscribe().ok_or_else(Refusal::busy)?;
    Ok(upgrade
        .max_message_size(limits::SOCKET_MESSAGE)
        .max_frame_size(limits::SOCKET_MESSAGE)
        .on_upgrade(move |socket| speak(shared, socket, listening)))
}

/// What wakes a socket.
enum SocketEvent {
    /// There is something to send.
    Line(Message),
    /// The other side is alive.
    Heard,
    /// It must end, with a reason if it is the other side's fault.
    End(Option<CloseFrame>),
}

/// What is told to whoever sends what no socket takes.
fn misused(error: axum::Error) -> CloseFrame {
    let error = error.into_inner();
    let (code, reason) = match error.downcast_ref::<tungstenite::Error>() {
        Some(tungstenite::Error::Capacity(_)) => (close_code::SIZE, "this message is too large"),
        Some(tungstenite::Error::Utf8(_)) => (close_code::INVALID, "this is not text"),
        _ => (close_code::PROTOCOL, "this is not a frame"),
    };
    CloseFrame {
        code,
        reason: reason.into(),
    }
}

async fn speak(shared: ServerState, mut socket: WebSocket, mut listening: EventListener) {
    let mut heard = Instant::now();
    let mut next = SocketEvent::Line(Message::Text(state_line(&shared)));
    loop {
        match next {
            SocketEvent::Line(message) => {
                // Who does not read is not waited for.
                match timeout(limits::SOCKET_WRITE, socket.send(message)).await {
                    Ok(Ok(())) => {}
                    _ => return,
                }
            }
            SocketEvent::Heard => heard = Instant::now(),
            SocketEvent::End(frame) => {
                let _ = timeout(limits::SOCKET_WRITE, socket.send(Message::Close(frame))).await;
                return;
            }
        }
        if heard.elapsed() > limits::SOCKET_SILENCE {
            return;
        }
        next = tokio::select! {
            line = listening.lines.recv() => match line {
                Ok(line) => SocketEvent::Line(Message::Text(line)),
                Err(RecvError::Lagged(_)) => SocketEvent::Line(Message::Text(state_line(&shared))),
                Err(RecvError::Closed) => SocketEvent::End(None),
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => SocketEvent::Heard,
                Some(Ok(Message::Text(_) | Message::Binary(_))) => SocketEvent::End(Some(CloseFrame {
                    code: close_code::POLICY,
                    reason: "this socket accepts no messages".into(),
                })),
                Some(Err(error)) => SocketEvent::End(Some(misused(error))),
                Some(Ok(Message::Close(_))) | None => return,
            },
            () = tokio::time::sleep(limits::SOCKET_PING) => SocketEvent::Line(Message::Ping("".into())),
        };
    }
}
