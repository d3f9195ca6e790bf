#!/usr/bin/env bash
# quinn on [::]: a client whose IPv4 port changes counts as on a new path, with nothing learned;
# on 0.0.0.0 all is kept.
. "$(dirname "$0")/lib.sh"
quinn_pieces

cat >"$work/main.rs" <<'END'
mod pair;

use quinn::TransportConfig;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut changed = false;
    for (bind, keeps) in [("0.0.0.0:0", true), ("[::]:0", false)] {
        let pair = pair::connect(
            bind,
            Duration::from_millis(10),
            TransportConfig::default(),
            TransportConfig::default(),
        )
        .await;
        let talk = |millis: u64| {
            let pair = &pair;
            async move {
                for _ in 0..millis / 10 {
                    let _ = pair.client.send_datagram(vec![0u8; 100].into());
                    let _ = pair.server.send_datagram(vec![0u8; 1_000].into());
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        };
        talk(1_500).await;
        let before = pair.server.stats().path;
        let port = pair.server.remote_address().port();
        pair.move_port.store(true, Ordering::SeqCst);
        let (mut longest, mut mtu) = (Duration::ZERO, u16::MAX);
        for _ in 0..100 {
            talk(10).await;
            let now = pair.server.stats().path;
            longest = longest.max(now.rtt);
            mtu = mtu.min(now.current_mtu);
        }
        assert_ne!(port, pair.server.remote_address().port());
        let seen = format!(
            "round trip {} ms, then at most {} ms; MTU {}, then at least {mtu}",
            before.rtt.as_millis(), longest.as_millis(), before.current_mtu,
        );
        let kept = longest < Duration::from_millis(150) && mtu == before.current_mtu;
        let sentence = if keeps { "all is kept" } else { "round trip and MTU begin again" };
        pair::claim(&mut changed, &format!("bound to {bind}: {sentence}"), kept == keeps, seen);
    }
    std::process::exit(if changed { 10 } else { 0 });
}
END
cargo_build "${quinn[@]}"
judge "$work/target/release/finding"
