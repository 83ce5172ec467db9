//! Keys of Ed25519, and the signatures of checkpoints (c2sp.org/signed-note).
//!
//! A log signs its checkpoints with a key of its own. An operator or a witness adds a cosignature
//! (c2sp.org/tlog-cosignature): it says that at a time this was the largest tree that they had
//! seen, and that it was consistent with those before. A public key is accepted by itself: the name
//! before a signature proves nothing.

use std::time::SystemTime;

use data_encoding::BASE64;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
use ed25519_dalek::{Signature as Ed25519, Signer as _, SigningKey as Ed25519Key, VerifyingKey};
use signed_note::{Note, Signature, is_key_name_valid, key_id};

use heedful_base::error::{Error, Result};
use heedful_index::decision::hex;

/// Type byte of a log's own signature of a checkpoint, by c2sp.org/signed-note.
const NOTE: u8 = 1;
/// Type byte of a cosignature with a time, by c2sp.org/tlog-cosignature.
const COSIGNATURE: u8 = 4;
/// Default name of a private key. It applies to PEM and hexadecimal digits, which contain no name.
const OPERATOR: &str = "heedful-operator";

/// Private Ed25519 key that signs checkpoints of a log.
#[derive(Debug)]
pub struct SigningKey {
    name: String,
    key: Ed25519Key,
}

/// Public Ed25519 key that verifies signatures of checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// Name and type byte of a key that was given as a C2SP verifier key. `None` for a key that was
    /// given as PEM or as hexadecimal digits.
    named: Option<(String, u8)>,
    key: VerifyingKey,
}

/// Valid signature of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValidSignature {
    pub(super) name: String,
    /// Time of a cosignature, in seconds since 1970. `None` for the log's own signature, which has
    /// no time.
    pub(super) time: Option<u64>,
}

impl SigningKey {
    /// Parses a private key in one of these forms: PEM from `openssl genpkey -algorithm ed25519`,
    /// 64 hexadecimal digits, or C2SP's `PRIVATE+KEY+name+hash+base64`.
    ///
    /// # Errors
    /// A setting error if `text` has another form.
    pub fn read(text: &str) -> Result<Self> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("PRIVATE+KEY+")
            && let Some((name, _, bytes)) = key_parts(rest)
            && let Some((&NOTE, seed)) = bytes.split_first()
            && let Ok(seed) = seed.try_into()
        {
            return Ok(Self {
                name: name.to_owned(),
                key: Ed25519Key::from_bytes(&seed),
            });
        }
        let key = match hex::read::<32>(text) {
            Some(seed) => Some(Ed25519Key::from_bytes(&seed)),
            None => Ed25519Key::from_pkcs8_pem(text).ok(),
        };
        match key {
            Some(key) => Ok(Self {
                name: OPERATOR.to_owned(),
                key,
            }),
            None => Err(Error::setting(
                "no Ed25519 key: `openssl genpkey -algorithm ed25519` makes one",
            )),
        }
    }

    /// Creates a private key with the name `name` from 32 random bytes.
    pub(super) fn from_seed(name: &str, seed: [u8; 32]) -> Self {
        Self {
            name: name.to_owned(),
            key: Ed25519Key::from_bytes(&seed),
        }
    }

    /// Returns this key with the name `name`.
    ///
    /// # Errors
    /// A setting error if `name` is empty, or contains white space or a plus sign.
    pub fn with_name(self, name: &str) -> Result<Self> {
        if !is_key_name_valid(name) {
            return Err(Error::setting(
                "the name of a key has no white space and no `+`",
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            ..self
        })
    }

    /// Returns the private key as text, in the form `PRIVATE+KEY+name+hash+base64` of C2SP.
    pub(super) fn text(&self) -> String {
        let id = id(&self.name, NOTE, &self.key.verifying_key());
        let bytes = [&[NOTE], self.key.as_bytes().as_slice()].concat();
        let encoded = BASE64.encode(&bytes);
        format!("PRIVATE+KEY+{}+{id:08x}+{encoded}\n", self.name)
    }

    /// Returns the public key for the log's own signatures.
    pub(super) fn public(&self) -> PublicKey {
        self.public_as(NOTE)
    }

    /// Returns the public key for cosignatures by this key.
    pub fn public_cosigner(&self) -> PublicKey {
        self.public_as(COSIGNATURE)
    }

    fn public_as(&self, kind: u8) -> PublicKey {
        PublicKey {
            named: Some((self.name.clone(), kind)),
            key: self.key.verifying_key(),
        }
    }

    /// Signs the text of a checkpoint with the log's own signature, which has no time.
    pub(super) fn sign(&self, text: &[u8]) -> Result<Signature> {
        let signature = self.key.sign(text).to_bytes();
        self.signature(NOTE, signature.to_vec())
    }

    /// Signs the text of a checkpoint with a cosignature, which contains the time `now`.
    pub(super) fn cosign(&self, text: &[u8], now: SystemTime) -> Result<Signature> {
        let since = now.duration_since(SystemTime::UNIX_EPOCH);
        let time = since.map_or(0, |since| since.as_secs());
        let signature = self.key.sign(&cosigned(text, time)).to_bytes();
        let bytes = [time.to_be_bytes().as_slice(), &signature].concat();
        self.signature(COSIGNATURE, bytes)
    }

    fn signature(&self, kind: u8, bytes: Vec<u8>) -> Result<Signature> {
        let id = id(&self.name, kind, &self.key.verifying_key());
        Signature::new(self.name.clone(), id, bytes)
            .map_err(|error| Error::evidence(error.to_string()))
    }
}

/// Returns the bytes that a cosignature signs: a header with `time`, then the text of the
/// checkpoint. `time` is in seconds since 1970.
fn cosigned(text: &[u8], time: u64) -> Vec<u8> {
    let head = format!("cosignature/v1\ntime {time}\n");
    [head.as_bytes(), text].concat()
}

fn id(name: &str, kind: u8, key: &VerifyingKey) -> u32 {
    key_id(name, &[&[kind], key.as_bytes().as_slice()].concat())
}

/// Parses the three parts of a key `name+hash+base64`. Returns `None` if the text is malformed.
/// Does not compare the hash with the key.
fn key_parts(text: &str) -> Option<(&str, u32, Vec<u8>)> {
    let mut parts = text.splitn(3, '+');
    let (name, id, encoded) = (parts.next()?, parts.next()?, parts.next()?);
    let id = u32::from_str_radix(id, 16).ok()?;
    Some((name, id, BASE64.decode(encoded.as_bytes()).ok()?))
}

impl PublicKey {
    /// Parses a public key in one of these forms: PEM from `openssl pkey -pubout`, 64 hexadecimal
    /// digits, or C2SP's verifier key `name+hash+base64`.
    ///
    /// # Errors
    /// A setting error if `text` has another form.
    pub fn read(text: &str) -> Result<Self> {
        let text = text.trim();
        let key = match hex::read::<32>(text) {
            Some(bytes) => VerifyingKey::from_bytes(&bytes).ok(),
            None => VerifyingKey::from_public_key_pem(text).ok(),
        };
        match key {
            Some(key) => Some(Self { named: None, key }),
            None => Self::parse_verifier_key(text),
        }
        .ok_or_else(|| {
            Error::setting("no public Ed25519 key: `openssl pkey -in KEY -pubout` writes it")
        })
    }

    fn parse_verifier_key(text: &str) -> Option<Self> {
        let (name, own, bytes) = key_parts(text)?;
        let (kind, key) = bytes.split_first()?;
        let key = VerifyingKey::from_bytes(key.try_into().ok()?).ok()?;
        let is_known = [NOTE, COSIGNATURE].contains(kind) && id(name, *kind, &key) == own;
        is_known.then(|| Self {
            named: Some((name.to_owned(), *kind)),
            key,
        })
    }

    /// Returns the key as text. A key with a name becomes a C2SP verifier key. A key without a name
    /// becomes 64 hexadecimal digits.
    pub fn text(&self) -> String {
        match &self.named {
            None => hex::text(self.key.as_bytes()),
            Some((name, kind)) => {
                let id = id(name, *kind, &self.key);
                let bytes = [&[*kind], self.key.as_bytes().as_slice()].concat();
                format!("{name}+{id:08x}+{}", BASE64.encode(&bytes))
            }
        }
    }

    /// Finds the first valid signature by this key in the signed note `note`. Returns `None` if the
    /// note has no valid signature by this key.
    pub(super) fn find_signature(&self, note: &Note) -> Option<ValidSignature> {
        let signatures = signatures(note);
        signatures
            .iter()
            .find_map(|signature| self.verify(note.text(), signature))
    }

    /// Verifies that `signature` is a signature of the checkpoint `text` by this key. Returns
    /// `None` if it is not.
    pub(super) fn verify(&self, text: &[u8], signature: &Signature) -> Option<ValidSignature> {
        let is_by = |kind| id(signature.name(), kind, &self.key) == signature.id();
        let mut bytes = signature.signature();
        let mut time = None;
        let mut signed = text.to_vec();
        if is_by(COSIGNATURE) {
            let (seconds, rest) = bytes.split_first_chunk()?;
            let seconds = u64::from_be_bytes(*seconds);
            signed = cosigned(text, seconds);
            time = Some(seconds);
            bytes = rest;
        } else if !is_by(NOTE) {
            return None;
        }
        let ed25519 = Ed25519::from_slice(bytes).ok()?;
        self.key.verify_strict(&signed, &ed25519).ok()?;
        Some(ValidSignature {
            name: signature.name().to_owned(),
            time,
        })
    }
}

/// Returns the content of the log's file `keys`: verifier keys, one in each line.
pub(super) fn file(keys: &[PublicKey]) -> String {
    keys.iter().map(|key| key.text() + "\n").collect()
}

/// Returns the signatures of the signed note `note`, without verifying them. Malformed lines are
/// skipped.
pub(super) fn signatures(note: &Note) -> Vec<Signature> {
    let bytes = note.to_bytes();
    let after = bytes.get(note.text().len() + 1..).unwrap_or_default();
    let lines = after.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| Signature::from_bytes(line).ok())
        .collect()
}

/// Parses lines with signatures. Each line has the form of a signature line in a signed note. Empty
/// lines are skipped.
pub(super) fn parse_signatures(text: &[u8]) -> Result<Vec<Signature>> {
    let lines = text.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(|line| Signature::from_bytes(line).map_err(|error| Error::evidence(error.to_string())))
        .collect()
}
