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
