//! The cryptography for https: Graviola, because rustc alone builds it (ring and aws-lc need a C
//! compiler).
//!
//! Graviola is for x86-64 (since about 2014) and 64-bit ARM. It panics on a processor that lacks
//! what it needs, so it is never used on one. There https fails, and lets nobody in. The roots of
//! trust are Mozilla's, built in; the system's are not used. This file never turns verification
//! off.

use ureq::tls::TlsConfig;

/// Settings for https; they must not be used unless [`is_here`].
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn settings() -> TlsConfig {
    let provider = std::sync::Arc::new(rustls_graviola::default_provider());
    TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .build()
}

/// Settings without https.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn settings() -> TlsConfig {
    TlsConfig::default()
}

/// Returns true if this processor can run the cryptography.
#[cfg(target_arch = "x86_64")]
pub(super) fn is_here() -> bool {
    is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("adx")
        && is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("avx2")
}

/// Returns true if this processor can run the cryptography.
#[cfg(target_arch = "aarch64")]
pub(super) fn is_here() -> bool {
    use std::arch::is_aarch64_feature_detected as has;
    has!("neon") && has!("aes") && has!("pmull") && has!("sha2")
}

/// Returns true if this processor can run the cryptography.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn is_here() -> bool {
    false
}
