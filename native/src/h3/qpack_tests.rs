use super::*;

fn field(name: &str, value: &str) -> Field {
    Field {
        name: name.into(),
        value: value.into(),
    }
}

#[test]
fn what_was_encoded_is_decoded() {
    let long = "x".repeat(300);
    let fields = [
        (":method", &b"CONNECT"[..]),
        (":authority", b"example.org"),
        ("x-name", b"\xff\x00"),
        (":path", long.as_bytes()),
    ];
    let decoded = decode(&encode(&fields)).unwrap();
    let expected = fields.map(|(name, value)| Field {
        name: name.into(),
        value: value.into(),
    });
    assert_eq!(decoded, expected);
}

/// The first example of RFC 9204, appendix B.1.
#[test]
fn a_literal_with_a_name_from_the_static_table() {
    let bytes = b"\x00\x00\x51\x0b/index.html";
    assert_eq!(decode(bytes), Ok(vec![field(":path", "/index.html")]));
}

/// "www.example.com" of RFC 7541, appendix C.4.1.
#[test]
fn a_string_in_huffmans_code() {
    let coded = [
        0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff,
    ];
    let bytes = [&[0, 0, 0x50, 0x80 | 12][..], &coded].concat();
    assert_eq!(
        decode(&bytes),
        Ok(vec![field(":authority", "www.example.com")])
    );
}

#[test]
fn a_table_that_there_is_not_can_not_be_referred_to() {
    for bytes in [
        &[1, 0][..],
        &[0, 0, 0x80],
        &[0, 0, 0x40, 0],
        &[0, 0, 0x10],
        &[0, 0, 0x00, 0],
    ] {
        assert_eq!(decode(bytes), Err(Malformed), "{bytes:?}");
    }
    assert_eq!(decode(&[0, 0, 0xff, 36]), Err(Malformed), "index 99");
}

#[test]
fn what_is_cut_off_or_overflows_is_malformed() {
    let whole = encode(&[("x-name", b"value"), (":path", b"/a/longer/path")]);
    for end in [0, 1].into_iter().chain(3..whole.len()) {
        let cut = decode(&whole[..end]);
        assert!(cut.is_err() || end == 2 + 1 + 6 + 1 + 5, "{end}: {cut:?}");
    }
    assert_eq!(
        decode(&[0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
        Err(Malformed)
    );
}

#[test]
fn small_references_to_large_entries_are_counted_by_their_size() {
    let mut section = vec![0, 0];
    // 160 times an entry that counts 108 bytes, in two bytes each.
    section.extend([0xff, 85 - 63].repeat(160));
    assert_eq!(decode(&section).err(), Some(TooLarge));
}
