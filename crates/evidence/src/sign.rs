//! Signs heads of logs with Ed25519 (RFC 8032). The operator supplies the private key; no key is
//! created here.
//!
//! A signature shows who vouched for the head of a log. Without a signature, a proof shows only
//! that its entry is in some tree with the root that the proof itself names.

use std::path::Path;

use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
use ed25519_dalek::{Signature, Signer, SigningKey as Ed25519Key, VerifyingKey};
use serde::{Deserialize, Serialize};

use heedful_base::error::{Error, ErrorKind, Result};
use heedful_index::decision::Hash;
use heedful_index::decision::hex::{self, Hex};

use super::head::{Head, statement};
use super::log::Log;

/// A private key of Ed25519 that signs heads of logs.
#[derive(Debug)]
pub struct SigningKey(Ed25519Key);

impl SigningKey {
    /// Parses a private key: PEM as `openssl genpkey -algorithm ed25519` writes it, or 64
    /// hexadecimal digits.
    ///
    /// # Errors
    /// An evidence error if `text` is neither PEM nor 64 hexadecimal digits.
    pub fn read(text: &str) -> Result<Self> {
        let text = text.trim();
        let key = match hex::read::<32>(text) {
            Some(seed) => Some(Ed25519Key::from_bytes(&seed)),
            None => Ed25519Key::from_pkcs8_pem(text).ok(),
        };
        match key {
            Some(key) => Ok(Self(key)),
            None => Err(Error::setting(
                "no Ed25519 key: `openssl genpkey -algorithm ed25519` makes one",
            )),
        }
    }

    /// Returns the public key that belongs to this private key, in hexadecimal digits.
    pub fn public(&self) -> String {
        hex::text(self.0.verifying_key().as_bytes())
    }

    /// Signs the head of a log.
    pub fn sign(&self, head: &Head) -> SignedHead {
        let signature = self.0.sign(head.statement().as_bytes());
        SignedHead {
            size: head.size(),
            root: Hex(head.root()),
            time: head.time(),
            key: Hex(self.0.verifying_key().to_bytes()),
            signature: Hex(signature.to_bytes()),
        }
    }
}

/// The size, root and time of a log's head, with a signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedHead {
    pub(super) size: u64,
    pub(super) root: Hex<32>,
    pub(super) time: i64,
    /// Public key that verifies the signature.
    pub(super) key: Hex<32>,
    pub(super) signature: Hex<64>,
}

impl SignedHead {
    /// Returns the number of entries of the signed head.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the public key of the signature in hexadecimal digits.
    pub fn key(&self) -> String {
        hex::text(&self.key.0)
    }

    /// True if the signature is valid for a head of the log whose identifier is `log`.
    pub(super) fn is_good(&self, log: &str) -> bool {
        let text = statement(log, self.size, &self.root.0, self.time);
        let signature = Signature::from_bytes(&self.signature.0);
        match VerifyingKey::from_bytes(&self.key.0) {
            Ok(key) => key.verify_strict(text.as_bytes(), &signature).is_ok(),
            Err(_) => false,
        }
    }

    /// True if the signed head has this number of entries and this root.
    pub(super) fn is_of(&self, size: u64, root: &Hash) -> bool {
        self.size == size && self.root.0 == *root
    }
}

/// Parses a public key: PEM as `openssl pkey -pubout` writes it, or 64 hexadecimal digits. Returns
/// the key in hexadecimal digits.
///
/// # Errors
/// An evidence error if `text` is neither PEM nor 64 hexadecimal digits.
pub fn public_key(text: &str) -> Result<String> {
    let text = text.trim();
    if let Some(key) = hex::read::<32>(text) {
        return Ok(hex::text(&key));
    }
    match VerifyingKey::from_public_key_pem(text) {
        Ok(key) => Ok(hex::text(key.as_bytes())),
        Err(_) => Err(Error::setting(
            "no public Ed25519 key: `openssl pkey -in KEY -pubout` writes it",
        )),
    }
}

const SIGNED: &str = "signed.jsonl";

impl Log {
    /// Reads the signed heads that are stored with the log, oldest first.
    pub(super) fn signatures(&self) -> Result<Vec<SignedHead>> {
        let text = match self.files.read(SIGNED, None) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => {
                return Err(ErrorKind::Io {
                    subject: format!("{}/{SIGNED}", self.files.place()),
                    source,
                }
                .into());
            }
        };
        let mut signed = Vec::new();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.is_empty() {
                continue;
            }
            let Ok(head) = serde_json::from_slice(line) else {
                return Err(Error::evidence(format!(
                    "{}/{SIGNED}, line {number}: no signature",
                    self.files.place()
                )));
            };
            signed.push(head);
        }
        Ok(signed)
    }

    /// Signs the current head of the log in a folder. If this key has signed it before, returns the
    /// earlier signature.
    ///
    /// # Errors
    /// An I/O error if a file of the log cannot be read or written. An evidence error if the log is
    /// damaged.
    pub fn sign(folder: impl AsRef<Path>, key: &SigningKey) -> Result<SignedHead> {
        let log = Self::open(folder)?;
        let signed = key.sign(&log.head);
        let mut all = log.signatures()?;
        if all.contains(&signed) {
            return Ok(signed);
        }
        all.push(signed.clone());
        let mut text = String::new();
        for signed in &all {
            text.push_str(&heedful_json::line(signed));
            text.push('\n');
        }
        let replaced = log.files.replace(SIGNED, text.as_bytes());
        log.files.in_folder(replaced)?;
        Ok(signed)
    }
}
