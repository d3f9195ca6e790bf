#!/usr/bin/env bash
# quinn gives round trips in its qlog in seconds, and does not say which end wrote it.
. "$(dirname "$0")/lib.sh"
need node
quinn_pieces
quinn[0]='quinn = { version = "=0.11.12", default-features = false, features = [
      "runtime-tokio", "rustls-ring", "qlog"] }'

cat >"$work/main.rs" <<'END'
mod pair;

use quinn::{QlogConfig, TransportConfig};
use std::fs::File;
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut config = TransportConfig::default();
    let mut qlog = QlogConfig::default();
    qlog.writer(Box::new(File::create(std::env::args().nth(1).unwrap()).unwrap()));
    config.qlog_stream(qlog.into_stream());
    let usual = TransportConfig::default();
    let pair = pair::connect("0.0.0.0:0", Duration::from_millis(25), config, usual).await;
    for number in 0..20u8 {
        pair.server.send_datagram(vec![number; 100].into()).unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
END
cargo_build "${quinn[@]}"
"$work/target/release/finding" "$work/server.sqlog" >"$work/run.log" 2>&1 || {
  cat "$work/run.log" >&2
  missing "a connection with a qlog."
}

cat >"$work/judge.mjs" <<'END'
import { readFileSync } from 'node:fs';
import { claim } from './claim.mjs';

const [header, ...events] = readFileSync(process.argv[2], 'utf8')
  .split('\u001e').filter(Boolean).map((line) => JSON.parse(line));
const of = (name) => events.filter((event) => event.name === name).map(({ data }) => data);
const metrics = of('recovery:metrics_updated').map(({ min_rtt }) => min_rtt).filter(Boolean);
claim('the file says qlog 0.3, as JSON-SEQ', header.qlog_version === '0.3' &&
  header.qlog_format === 'JSON-SEQ', `${header.qlog_version}, ${header.qlog_format}`);
claim('the vantage point is unknown at a server too',
  header.trace.vantage_point.type === 'unknown', header.trace.vantage_point.type);
claim('the least round trip of some 50 ms is 0.05, where qlog has milliseconds',
  metrics.at(-1) > 0.04 && metrics.at(-1) < 0.2, metrics.at(-1));
const sent = of('transport:packet_sent');
claim("a sent packet's length is in its header, where qvis reads raw.length",
  sent.every(({ header: { length }, raw }) => length > 0 && raw === undefined),
  JSON.stringify(sent[0]));
const received = of('transport:packet_received');
claim('no packet tells its frames, and a received one no length',
  [...sent, ...received].every(({ frames }) => frames === undefined) &&
  received.every(({ header: { length } }) => length === undefined), JSON.stringify(received[0]));
END
judge node "$work/judge.mjs" "$work/server.sqlog"
