use napi_derive::napi;

/// Events for JavaScript, by the numbers in `binding.js`.
#[derive(Clone, Copy)]
pub enum Kind {
    Request = 1,
    Opened = 2,
    Closed = 3,
    ConnectFailed = 4,
    StreamOpened = 5,
    StreamReadable = 6,
    StreamWritable = 7,
    StreamStopped = 8,
    EndpointClosed = 9,
    Fault = 10,
}

/// Reasons for a session's end.
#[derive(Clone, Copy)]
pub enum Cause {
    Local = 1,
    Peer = 2,
    Timeout = 3,
    Lost = 4,
}

/// A client's request, for a session or for something else.
#[napi(object)]
#[derive(Clone)]
pub struct RequestInfo {
    pub peer: String,
    pub method: String,
    /// Protocol of an extended CONNECT, or empty.
    pub protocol: String,
    pub authority: String,
    pub path: String,
    pub query: String,
    pub origin: String,
    /// Names and values alternating, as received.
    pub headers: Vec<String>,
}

#[napi(object)]
#[derive(Clone)]
pub struct Event {
    pub kind: u32,
    pub session: u32,
    pub stream: u32,
    pub code: u32,
    pub cause: u32,
    pub text: String,
    pub request: Option<RequestInfo>,
    /// End of the QUIC handshake of a client's opened session.
    pub connected_ms: Option<f64>,
}

impl Event {
    pub fn new(kind: Kind, session: u32) -> Self {
        Self {
            kind: kind as u32,
            session,
            stream: 0,
            code: 0,
            cause: 0,
            text: String::new(),
            request: None,
            connected_ms: None,
        }
    }

    pub fn of_stream(kind: Kind, session: u32, stream: u32) -> Self {
        Self {
            stream,
            ..Self::new(kind, session)
        }
    }

    pub fn closed(session: u32, cause: Cause, code: u32, text: String) -> Self {
        Self {
            code,
            cause: cause as u32,
            text,
            ..Self::new(Kind::Closed, session)
        }
    }
}
