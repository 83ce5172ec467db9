//! Which cryptography https rests on: Graviola, since it is built by rustc alone (ring and aws-lc need a C compiler).
//!
//! It is for x86-64 (since about 2014) and 64-bit ARM, and panics on a processor that lacks what it needs, so it is
//! never given to one: there https fails, and lets nobody in. Roots of trust are Mozilla's, built in; the system's are
//! not asked. What this file never does: turn verification off.

use ureq::tls::TlsConfig;

/// Settings for https, which must not be used unless [`is_here`].
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn settings() -> TlsConfig {
    let provider = std::sync::Arc::new(rustls_graviola::default_provider());
    TlsConfig::builder().unversioned_rustls_crypto_provider(provider).build()
}

/// Settings for no https.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn settings() -> TlsConfig {
    TlsConfig::default()
}

/// Whether this processor can do it.
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

/// Whether this processor can do it.
#[cfg(target_arch = "aarch64")]
pub(super) fn is_here() -> bool {
    use std::arch::is_aarch64_feature_detected as has;
    has!("neon") && has!("aes") && has!("pmull") && has!("sha2")
}

/// Whether this processor can do it.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn is_here() -> bool {
    false
}
