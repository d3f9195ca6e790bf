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
mod tests {
    use super::*;
    use crate::h3::qpack::decode;
    use crate::h3::wire::{read_section, Section};

    const SESSION: [(&str, &str); 5] = [
        (":method", "CONNECT"),
        (":scheme", "https"),
        (":authority", "example.org:443"),
        (":path", "/session?room=a&b=?"),
        (":protocol", "webtransport"),
    ];

    fn head(fields: &[(&str, &str)]) -> Result<RequestHead, Malformed> {
        let field = |&(name, value): &(&str, &str)| Field {
            name: name.into(),
            value: value.into(),
        };
        RequestHead::from_fields(fields.iter().map(field).collect())
    }

    /// The fields in a HEADERS frame.
    fn fields_of(bytes: &[u8]) -> Vec<Field> {
        match futures::executor::block_on(read_section(&mut &bytes[..], None)) {
            Ok(Section::Fields(section)) => decode(&section).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn with(changes: &[(&str, Option<&str>)]) -> Vec<(&'static str, String)> {
        let mut fields: Vec<_> = SESSION
            .iter()
            .map(|&(name, value)| (name, value.to_owned()))
            .collect();
        for (name, value) in changes {
            fields.retain(|(known, _)| known != name);
            if let (Some(value), Some(at)) = (value, PSEUDO.iter().find(|known| *known == name)) {
                fields.push((at, (*value).to_owned()));
            }
        }
        fields
    }

    fn changed(changes: &[(&str, Option<&str>)]) -> Result<RequestHead, Malformed> {
        let fields = with(changes);
        head(
            &fields
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn a_session_is_asked_for_by_either_name() {
        let asked = head(&[&SESSION[..], &[("origin", "https://example.org")]].concat()).unwrap();
        assert!(asked.is_webtransport());
        assert_eq!(
            (asked.path.as_str(), asked.query.as_str()),
            ("/session", "room=a&b=?")
        );
        assert_eq!(asked.header("origin"), Some("https://example.org"));
        assert!(changed(&[(":protocol", Some("webtransport-h3"))])
            .unwrap()
            .is_webtransport());
        let other = changed(&[(":protocol", Some("websocket"))]).unwrap();
        assert_eq!(
            (other.is_webtransport(), other.status_of_other()),
            (false, 501)
        );
    }

    #[test]
    fn other_requests_are_read_too() {
        let get = changed(&[(":method", Some("GET")), (":protocol", None)]).unwrap();
        assert_eq!((get.method.as_str(), get.status_of_other()), ("GET", 405));
        let connect = head(&[(":method", "CONNECT"), (":authority", "example.org:80")]).unwrap();
        assert_eq!(
            (connect.path.as_str(), connect.status_of_other()),
            ("", 405)
        );
        let by_host = head(&[
            (":method", "GET"),
            (":scheme", "https"),
            (":path", "/"),
            ("host", "a"),
        ]);
        assert_eq!(by_host.unwrap().authority, "a");
    }

    #[test]
    fn malformed_requests_are_told_from_others() {
        for missing in [":method", ":scheme", ":authority", ":path"] {
            assert_eq!(changed(&[(missing, None)]), Err(Malformed), "{missing}");
        }
        for path in ["", "session", "?room=a"] {
            assert_eq!(changed(&[(":path", Some(path))]), Err(Malformed), "{path}");
        }
        assert_eq!(
            changed(&[(":method", Some("GET"))]),
            Err(Malformed),
            ":protocol without CONNECT"
        );
        assert_eq!(
            changed(&[(":protocol", Some(""))]),
            Err(Malformed),
            "an empty :protocol"
        );
        for field in [
            (":method", "CONNECT"),
            (":unknown", "x"),
            ("Upper", "x"),
            ("", "x"),
            ("a b", "x"),
            ("connection", "close"),
            ("te", "gzip"),
            ("host", "elsewhere.example"),
            ("x", "a\r\nb"),
            ("x", "a\0"),
            ("x", " a"),
        ] {
            assert_eq!(
                head(&[&SESSION[..], &[field]].concat()),
                Err(Malformed),
                "{field:?}"
            );
        }
        assert_eq!(
            head(&[&[("x", "y")], &SESSION[..]].concat()),
            Err(Malformed),
            "a field in front"
        );
    }

    #[test]
    fn a_client_and_a_server_understand_each_other() {
        let url = "https://example.org/session?a=b".parse().unwrap();
        let bytes = request(&url, &["X-Name".into(), "välue".into()]);
        let read = RequestHead::from_fields(fields_of(&bytes)).unwrap();
        assert_eq!(
            (read.path.as_str(), read.query.as_str()),
            ("/session", "a=b")
        );
        assert_eq!(
            (read.header("x-name"), read.is_webtransport()),
            (Some("välue"), true)
        );
        for status in [200, 404, 431, 503] {
            let bytes = response(status, &[("allow", "CONNECT")]);
            assert_eq!(status_of(&fields_of(&bytes)), Ok(status));
        }
        for wrong in ["", "20", "2000", "abc", "+20"] {
            let field = Field {
                name: b":status".to_vec(),
                value: wrong.into(),
            };
            assert_eq!(status_of(&[field]), Err(Malformed), "{wrong}");
        }
    }
}
