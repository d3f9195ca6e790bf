//! Settings and connections for tests over real QUIC.

use std::net::{Ipv4Addr, SocketAddr};

use quinn::{Connection, Endpoint};

use super::*;

/// A key used by these tests alone, and its certificate with its SHA-256.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIOFWb+NVcfvrtYFKwgmbF4q2ZggHZaYRbuzleBIPAgdR
-----END PRIVATE KEY-----
";
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----
MIIBLjCB4aADAgECAhQXOo4E/I+uCn7m0i6n8wL9v7x2yTAFBgMrZXAwDDEKMAgG
A1UEAwwBdDAgFw0yNjExMjgyMDMxMDVaGA8yMTI2MTEwNDIwMzEwNVowDDEKMAgG
A1UEAwwBdDAqMAUGAytlcAMhAAxbPKBkYCB4NJBV4UHVD7aSpLE5IMqAhyuyO94e
Xq8Ho1MwUTAdBgNVHQ4EFgQU2o/ipk/2EJJTdbkwolxS8NfVneUwHwYDVR0jBBgw
FoAU2o/ipk/2EJJTdbkwolxS8NfVneUwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
QQBfO8JDwz9aeKQO0M4zVAR3zsGeZkseSP2Cbm0H1VvQs929bCWcuTFJrD5XmVwx
G7EsW/ifLmrF5G5wFLMzE8cM
-----END CERTIFICATE-----
";
const HASH: [u8; 32] = [
    0x30, 0x95, 0x68, 0xc7, 0x75, 0xa6, 0x99, 0xb0, 0xb0, 0x95, 0x0a, 0xeb, 0x88, 0x89, 0x3e, 0x01,
    0xec, 0xff, 0x66, 0x8f, 0x9d, 0x6e, 0xdf, 0x01, 0x47, 0xed, 0x0e, 0xcb, 0x93, 0x11, 0x42, 0x03,
];

pub fn server_config() -> ServerConfig {
    super::server_config(CERTIFICATE, KEY, Arc::default()).unwrap()
}

pub fn client_config() -> ClientConfig {
    super::client_config(vec![HASH.to_vec()], Arc::default()).unwrap()
}

/// The server's end of a connection on this machine, the client's, and their endpoints.
pub async fn connected(config: ServerConfig) -> (Connection, Connection, [Endpoint; 2]) {
    let any = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
    let server = Endpoint::server(config, any).unwrap();
    let mut client = Endpoint::client(any).unwrap();
    client.set_default_client_config(client_config());
    let connecting = client
        .connect(server.local_addr().unwrap(), "localhost")
        .unwrap();
    let accepting = async { server.accept().await.unwrap().await };
    let (ours, theirs) = tokio::try_join!(accepting, connecting).unwrap();
    (ours, theirs, [server, client])
}
