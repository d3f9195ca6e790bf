//! Opens a session, writes a line on a stream of it and sends a datagram. Prints as JSON what comes
//! back. Usage: interop <url> <line> <datagram in hex>

use std::error::Error;
use std::time::Duration;

use serde_json::{json, Value};
use wtransport::error::ConnectingError;
use wtransport::{ClientConfig, Endpoint};

const LIMIT: Duration = Duration::from_secs(10);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", tokio::time::timeout(LIMIT, exchange()).await??);
    Ok(())
}

async fn exchange() -> Result<Value, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, line, datagram] = &arguments[..] else {
        return Err("interop <url> <line> <datagram>".into());
    };
    let config = ClientConfig::builder().with_bind_default().with_no_cert_validation().build();
    let session = match Endpoint::client(config)?.connect(url).await {
        // Which status it was it doesn't say.
        Err(ConnectingError::SessionRejected) => return Ok(json!({ "refused": null })),
        other => other?,
    };
    let (mut send, mut recv) = session.open_bi().await?.await?;
    send.write_all(format!("{line}\n").as_bytes()).await?;
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    while !text.contains(&b'\n') {
        let count = recv.read(&mut buffer).await?.ok_or("the stream ended")?;
        text.extend_from_slice(&buffer[..count]);
    }
    let line = String::from_utf8(text)?.lines().next().map(str::to_owned);
    session.send_datagram(bytes(datagram)?)?;
    let datagram = session.receive_datagram().await?;
    let hex: String = datagram.payload().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(json!({ "line": line, "datagram": hex }))
}

fn bytes(hex: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    (0..hex.len()).step_by(2).map(|at| Ok(u8::from_str_radix(&hex[at..at + 2], 16)?)).collect()
}
