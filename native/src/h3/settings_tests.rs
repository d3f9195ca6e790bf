use super::*;

fn payload(settings: &[(u64, u64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &(name, value) in settings {
        put_varint(&mut bytes, name);
        put_varint(&mut bytes, value);
    }
    bytes
}

fn code(settings: &[(u64, u64)]) -> u32 {
    match decode(&payload(settings)) {
        Err(Broken::Connection(code, _)) => code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn our_own_say_that_there_is_webtransport_in_every_draft() {
    let stream = control_stream();
    assert_eq!(stream[..2], [0, 4]);
    let payload = &stream[3..];
    assert_eq!(usize::from(stream[2]), payload.len());
    let all = decode(payload).unwrap();
    assert!(all.datagrams && all.extended_connect && all.webtransport);
}

#[test]
fn any_draft_of_webtransport_counts() {
    for name in [0x2b60_3742, 0xc671_706a, 0x14e9_cd29, 0x2c7c_f000] {
        assert!(
            decode(&payload(&[(name, 1)])).unwrap().webtransport,
            "{name:x}"
        );
        assert!(
            !decode(&payload(&[(name, 0)])).unwrap().webtransport,
            "{name:x}"
        );
    }
    assert_eq!(decode(&[]), Ok(Settings::default()));
}

#[test]
fn settings_that_are_not_allowed_end_the_connection() {
    for wrong in [
        &[(2, 0)][..],
        &[(5, 1)],
        &[(0x33, 2)],
        &[(8, 2)],
        &[(0x21, 1), (0x21, 1)],
    ] {
        assert_eq!(code(wrong), codes::SETTINGS_ERROR, "{wrong:?}");
    }
    let many: Vec<_> = (0..65).map(|i| (0x21 + 0x1f * i, 1)).collect();
    assert_eq!(code(&many), codes::EXCESSIVE_LOAD);
    let truncated = decode(&payload(&[(0x33, 1)])[..1]).unwrap_err();
    assert!(matches!(
        truncated,
        Broken::Connection(codes::FRAME_ERROR, _)
    ));
}
