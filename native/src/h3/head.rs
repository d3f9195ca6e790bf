//! Heads of requests and answers, and their validity (RFC 9114, sections 4.1.2 to 4.4).

use crate::h3::qpack::{encode, Field};
use crate::h3::wire::{frame, put_frame};

/// Names of WebTransport in requests: until draft-ietf-webtrans-http3-14, and since.
const WEBTRANSPORT: [&str; 2] = ["webtransport", "webtransport-h3"];

/// Connection fields of HTTP/1, meaningless in HTTP/3 (section 4.2).
const OF_CONNECTIONS: [&str; 5] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "upgrade",
];

#[derive(Debug, Default, PartialEq, Clone)]
pub struct RequestHead {
    pub method: String,
    pub authority: String,
    /// With its '/', without the query.
    pub path: String,
    /// Without the '?'.
    pub query: String,
    /// Protocol of an extended CONNECT (RFC 9220), or empty.
    pub protocol: String,
    /// Names and values alternating, without pseudo-header fields.
    pub headers: Vec<String>,
}

#[derive(Debug, PartialEq)]
pub struct Malformed;

impl RequestHead {
    pub fn from_fields(fields: Vec<Field>) -> Result<Self, Malformed> {
        let mut pseudo = [const { None }; PSEUDO.len()];
        let mut headers = Vec::new();
        for Field { name, value } in fields {
            let name = field_name(name)?;
            let value = field_value(value)?;
            match PSEUDO.iter().position(|known| *known == name) {
                Some(at) if headers.is_empty() && pseudo[at].is_none() => pseudo[at] = Some(value),
                _ if name.starts_with(':') || of_connections(&name, &value) => {
                    return Err(Malformed)
                }
                _ => headers.extend([name, value]),
            }
        }
        let [method, scheme, authority, path, protocol] = pseudo;
        let host = headers
            .chunks_exact(2)
            .find(|pair| pair[0] == "host")
            .map(|pair| pair[1].clone());
        if matches!((&authority, &host), (Some(authority), Some(host)) if authority != host) {
            return Err(Malformed);
        }
        let method = method.ok_or(Malformed)?;
        let plain_connect = method == "CONNECT" && protocol.is_none();
        if plain_connect != (scheme.is_none() && path.is_none())
            || protocol
                .as_deref()
                .is_some_and(|name| name.is_empty() || method != "CONNECT")
        {
            return Err(Malformed);
        }
        let path = path.unwrap_or_default();
        if !plain_connect && (scheme.is_none() || !(path.starts_with('/') || path == "*")) {
            return Err(Malformed);
        }
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        Ok(Self {
            method,
            authority: authority
                .or(host)
                .filter(|host| !host.is_empty())
                .ok_or(Malformed)?,
            path: path.to_owned(),
            query: query.to_owned(),
            protocol: protocol.unwrap_or_default(),
            headers,
        })
    }

    pub fn is_webtransport(&self) -> bool {
        WEBTRANSPORT.contains(&self.protocol.as_str())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .chunks_exact(2)
            .find(|pair| pair[0] == name)
            .map(|pair| pair[1].as_str())
    }

    /// Status for other requests at a path of WebTransport.
    pub fn status_of_other(&self) -> u16 {
        if self.protocol.is_empty() {
            405
        } else {
            // An extended CONNECT for an unknown protocol (RFC 9220, section 3).
            501
        }
    }
}

/// Pseudo-header fields of requests, in the order of `from_fields`.
const PSEUDO: [&str; 5] = [":method", ":scheme", ":authority", ":path", ":protocol"];

fn field_name(name: Vec<u8>) -> Result<String, Malformed> {
    let token = name.strip_prefix(b":").unwrap_or(&name);
    let allowed =
        |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9') || b"!#$%&'*+-.^_`|~".contains(byte);
    if token.is_empty() || !token.iter().all(allowed) {
        return Err(Malformed);
    }
    String::from_utf8(name).map_err(|_| Malformed)
}

fn field_value(value: Vec<u8>) -> Result<String, Malformed> {
    let space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    if value.iter().any(|byte| matches!(byte, 0 | b'\r' | b'\n'))
        || space(value.first())
        || space(value.last())
    {
        return Err(Malformed);
    }
    Ok(String::from_utf8_lossy(&value).into_owned())
}

fn of_connections(name: &str, value: &str) -> bool {
    OF_CONNECTIONS.contains(&name) || (name == "te" && value != "trailers")
}

/// A HEADERS frame with a server's answer.
pub fn response(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let status = status.to_string();
    let mut fields = vec![(":status", status.as_bytes())];
    fields.extend(
        headers
            .iter()
            .map(|&(name, value)| (name, value.as_bytes())),
    );
    let mut bytes = Vec::new();
    put_frame(&mut bytes, frame::HEADERS, &encode(&fields));
    bytes
}

/// A HEADERS frame with a client's request for a session. Servers of all drafts know the older
/// name.
pub fn request(url: &url::Url, headers: &[String]) -> Vec<u8> {
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let mut fields = vec![
        (":method", &b"CONNECT"[..]),
        (":scheme", url.scheme().as_bytes()),
        (":authority", url.authority().as_bytes()),
        (":path", path.as_bytes()),
        (":protocol", WEBTRANSPORT[0].as_bytes()),
    ];
    let names: Vec<String> = headers
        .iter()
        .step_by(2)
        .map(|name| name.to_ascii_lowercase())
        .collect();
    for (name, pair) in names.iter().zip(headers.chunks_exact(2)) {
        fields.push((name, pair[1].as_bytes()));
    }
    let mut bytes = Vec::new();
    put_frame(&mut bytes, frame::HEADERS, &encode(&fields));
    bytes
}

/// The status of an answer.
pub fn status_of(fields: &[Field]) -> Result<u16, Malformed> {
    let status = fields
        .iter()
        .find(|field| field.name == b":status")
        .ok_or(Malformed)?;
    let text = std::str::from_utf8(&status.value).map_err(|_| Malformed)?;
    match text.parse() {
        Ok(status @ 100..=999) if text.len() == 3 => Ok(status),
        _ => Err(Malformed),
    }
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
