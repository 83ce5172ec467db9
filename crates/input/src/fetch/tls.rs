//! Selects the cryptography for https: Graviola, because it builds with rustc alone (ring and
//! aws-lc need a C compiler).
//!
//! Graviola supports x86-64 (since about 2014) and 64-bit ARM. It would panic on a processor
//! without the necessary instructions, so it is never called there. On such a processor every https
//! request fails, and so https sites are treated as forbidding everything. The trusted root
//! certificates are Mozilla's, built in, not the system's. This file never disables verification.

use ureq::tls::TlsConfig;

/// Returns the TLS settings for https. They must not be used unless [`is_supported`] returns true.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn settings() -> TlsConfig {
    let provider = std::sync::Arc::new(rustls_graviola::default_provider());
    TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .build()
}

/// Returns default TLS settings, which no connection uses. This function is for processors that
/// Graviola, the cryptography for https, does not support. On these processors, every https request
/// fails before it connects.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn settings() -> TlsConfig {
    TlsConfig::default()
}

/// True if the processor has the instructions that Graviola, the cryptography for https, needs.
#[cfg(target_arch = "x86_64")]
pub(super) fn is_supported() -> bool {
    is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("adx")
        && is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("avx2")
}

/// True if the processor has the instructions that Graviola, the cryptography for https, needs.
#[cfg(target_arch = "aarch64")]
pub(super) fn is_supported() -> bool {
    use std::arch::is_aarch64_feature_detected as has;
    has!("neon") && has!("aes") && has!("pmull") && has!("sha2")
}

/// True if the processor has the instructions that Graviola, the cryptography for https, needs.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn is_supported() -> bool {
    false
}
