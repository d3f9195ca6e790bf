use std::sync::Arc;

use napi::bindgen_prelude::Result;
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, ServerConfig, TransportConfig};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::hash::{HashAlgorithm, Output};
use rustls::crypto::{verify_tls13_signature, CryptoProvider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::version::TLS13;
use rustls::{
    CertificateError, DigitallySignedStruct, RootCertStore, SignatureScheme,
    SupportedProtocolVersion,
};

use crate::errors::{failed, invalid};

/// QUIC has no TLS below 1.3 (RFC 9001, section 4.2).
const VERSIONS: &[&SupportedProtocolVersion] = &[&TLS13];

/// HTTP/3's name in TLS (RFC 9114, section 3.1).
const ALPN: &[u8] = b"h3";

/// A server's QUIC settings with its certificate chain and key, both PEM.
pub fn server_config(
    cert_pem: &str,
    key_pem: &str,
    transport: Arc<TransportConfig>,
) -> Result<ServerConfig> {
    let chain = CertificateDer::pem_slice_iter(cert_pem.as_bytes())
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|error| invalid(format!("the certificate is not PEM: {error}")))?;
    if chain.is_empty() {
        return Err(invalid("the certificate file holds no PEM certificate"));
    }
    let key = PrivateKeyDer::from_pem_slice(key_pem.as_bytes())
        .map_err(|error| invalid(format!("the key file holds no PEM private key: {error}")))?;
    let mut tls = rustls::ServerConfig::builder_with_protocol_versions(VERSIONS)
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| invalid(format!("the certificate and the key do not work: {error}")))?;
    tls.alpn_protocols = vec![ALPN.to_vec()];
    let quic = QuicServerConfig::try_from(tls).map_err(failed)?;
    let mut config = ServerConfig::with_crypto(Arc::new(quic));
    config.transport_config(transport);
    Ok(config)
}

/// Client settings of QUIC: it trusts certificates with these SHA-256 hashes, or without any the
/// system's authorities.
pub fn client_config(
    hashes: Vec<Vec<u8>>,
    transport: Arc<TransportConfig>,
) -> Result<ClientConfig> {
    let builder = rustls::ClientConfig::builder_with_protocol_versions(VERSIONS);
    let builder = if hashes.is_empty() {
        builder.with_root_certificates(system_roots())
    } else {
        let provider = builder.crypto_provider().clone();
        let pinned = Arc::new(Pinned { provider, hashes });
        builder.dangerous().with_custom_certificate_verifier(pinned)
    };
    let mut tls = builder.with_no_client_auth();
    tls.alpn_protocols = vec![ALPN.to_vec()];
    let quic = QuicClientConfig::try_from(tls).map_err(failed)?;
    let mut config = ClientConfig::new(Arc::new(quic));
    config.transport_config(transport);
    Ok(config)
}

fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// Trusts a certificate by its hash alone, as `serverCertificateHashes` of a page does.
#[derive(Debug)]
struct Pinned {
    provider: Arc<CryptoProvider>,
    hashes: Vec<Vec<u8>>,
}

impl Pinned {
    /// None if the provider lacks SHA-256.
    fn sha256(&self, bytes: &[u8]) -> Option<Output> {
        let mut hashes = self
            .provider
            .cipher_suites
            .iter()
            .filter_map(|suite| Some(suite.tls13()?.common.hash_provider));
        let hash = hashes.find(|hash| hash.algorithm() == HashAlgorithm::SHA256)?;
        Some(hash.hash(bytes))
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let hash = self.sha256(end_entity);
        let hash = hash.as_ref().map(AsRef::as_ref);
        if self
            .hashes
            .iter()
            .any(|known| Some(known.as_slice()) == hash)
        {
            return Ok(ServerCertVerified::assertion());
        }
        Err(rustls::Error::InvalidCertificate(
            CertificateError::ApplicationVerificationFailure,
        ))
    }

    /// Never called, since only TLS 1.3 is offered.
    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("TLS 1.2 isn't offered".into()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
#[path = "certificate_tests.rs"]
pub mod certificate;
