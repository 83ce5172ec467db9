//! Forged proofs and checkpoints: none is accepted, whatever key the reader trusts.
//!
//! The forger has everything that the log ever published, and keys of their own. Each forgery is
//! made from true proofs, and checked by somebody who trusts the operator's key, and by somebody who
//! trusts the key of the log.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use data_encoding::BASE64;
use heedful::{Bot, Filter};
use heedful_evidence::{Growth, IndexEvidence, Log, Proof, PublicKey, SigningKey, Trust};
use heedful_index::Index;

use crate::support::made::folder;

const SITE: &str = "https://site.example";

fn key(byte: &str) -> SigningKey {
    let key = SigningKey::read(&byte.repeat(32)).unwrap();
    key.with_name("operator.example").unwrap()
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

/// Creates a log with this number of entries, cosigned with a key. Returns a proof for each of three
/// of its pages, and its checkpoint.
fn made(folder: &Path, name: &str, pages: usize, key: &SigningKey) -> (Log, Vec<String>, String) {
    let place = folder.join(name);
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let index = Index::create(folder.join(format!("{name}.index")), &filter).unwrap();
    let mut writer = index.evidence(&place).writer(1).unwrap();
    for number in 0..pages {
        let url = format!("{SITE}/{number}");
        writer
            .add(&filter.page(&url, &[], b"<p>one").unwrap())
            .unwrap();
    }
    writer.commit().unwrap();
    drop(writer);
    Log::cosign(&place, key, now()).unwrap();
    let log = Log::open(&place).unwrap();
    let prove = |number| {
        let proof = log.prove(&format!("{SITE}/{number}")).unwrap();
        proof.unwrap().text()
    };
    let proofs = [0, pages / 2, pages - 1].map(prove).to_vec();
    let checkpoint = fs::read_to_string(place.join("checkpoint")).unwrap();
    (log, proofs, checkpoint)
}

/// A proof in its parts.
#[derive(Clone)]
struct Parts {
    extra: String,
    index: String,
    path: Vec<String>,
    checkpoint: String,
}

impl Parts {
    fn of(proof: &str) -> Self {
        let (head, checkpoint) = proof.split_once("\n\n").unwrap();
        let mut lines = head.lines().skip(1).map(str::to_owned);
        let extra = lines.next().unwrap();
        let extra = BASE64.decode(extra.strip_prefix("extra ").unwrap().as_bytes());
        Self {
            extra: String::from_utf8(extra.unwrap()).unwrap(),
            index: lines.next().unwrap().replace("index ", ""),
            path: lines.collect(),
            checkpoint: checkpoint.to_owned(),
        }
    }

    fn text(&self) -> String {
        let extra = BASE64.encode(self.extra.as_bytes());
        let path: String = self.path.iter().map(|hash| format!("{hash}\n")).collect();
        let (index, checkpoint) = (&self.index, &self.checkpoint);
        format!("c2sp.org/tlog-proof@v1\nextra {extra}\nindex {index}\n{path}\n{checkpoint}")
    }

    fn with_lines(&self, change: impl Fn(&mut Vec<String>)) -> Self {
        let mut lines: Vec<_> = self.checkpoint.lines().map(str::to_owned).collect();
        change(&mut lines);
        let checkpoint = lines.join("\n") + "\n";
        Self {
            checkpoint,
            ..self.clone()
        }
    }
}

/// Returns a line of a signature with other bytes: after the key's identifier and the time.
fn altered(line: &str, change: impl Fn(&mut Vec<u8>)) -> String {
    let (before, encoded) = line.rsplit_once(' ').unwrap();
    let mut bytes = BASE64.decode(encoded.as_bytes()).unwrap();
    change(&mut bytes);
    format!("{before} {}", BASE64.encode(&bytes))
}

/// Multiplies nothing: adds the order of the group to the scalar of a signature, so that it is
/// another text of the same signature.
fn add_order(bytes: &mut [u8]) {
    let order = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let scalar = bytes.len() - 32;
    let mut carry = 0;
    for (byte, add) in bytes[scalar..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + add + carry;
        *byte = u8::try_from(sum & 0xff).unwrap();
        carry = sum >> 8;
    }
}

/// Returns forgeries of one true proof. `other` is a true proof from another log of the same size,
/// and `older` one from a smaller log.
fn forgeries(true_proof: &Parts, other: &Parts, older: &Parts) -> Vec<(String, Parts)> {
    let mut made: Vec<(String, Parts)> = Vec::new();
    let mut add = |name: &str, parts: Parts| made.push((name.to_owned(), parts));
    let with = |change: &dyn Fn(&mut Parts)| {
        let mut parts = true_proof.clone();
        change(&mut parts);
        parts
    };
    // Another record, kind, salt or number.
    let record = &true_proof.extra;
    for (from, to) in [
        ("page\n", "gone\n"),
        ("\"train\":true", "\"train\":false"),
        (SITE, "https://other.example"),
        ("\"page\":null", "\"page\":\"x\""),
        ("\"law\":1", "\"law\":2"),
        ("\"bot\":\"", "\"bot\":\"x"),
        (
            "\"files\":[",
            "\"files\":[{\"kind\":\"robots.txt\"}],\"files\":[",
        ),
        ("\"captured\":null", "\"captured\":1"),
        ("{", " {"),
        ("}", "} "),
    ] {
        let extra = record.replacen(from, to, 1);
        assert_ne!(*record, extra, "{from}");
        add(from, with(&|parts| parts.extra.clone_from(&extra)));
    }
    add("salt", with(&|parts| parts.extra = flip(&parts.extra, 5)));
    add(
        "record of another",
        with(&|parts| parts.extra.clone_from(&other.extra)),
    );
    let number: u64 = true_proof.index.parse().unwrap();
    for index in [number ^ 1, number + 2, number + 256, 1 << 40, u64::MAX] {
        add("index", with(&|parts| parts.index = index.to_string()));
    }
    for index in ["", "-1", "+0", "00", " 0", "1e1", "0x1"] {
        add("index", with(&|parts| parts.index = index.to_owned()));
    }
    // Another path.
    for at in 0..true_proof.path.len() {
        add("path cut", with(&|parts| drop(parts.path.remove(at))));
        add(
            "path twice",
            with(&|parts| parts.path.insert(at, parts.path[at].clone())),
        );
        add(
            "path altered",
            with(&|parts| parts.path[at] = flip_base64(&parts.path[at])),
        );
        add(
            "path swapped",
            with(&|parts| {
                let last = parts.path.len() - 1;
                parts.path.swap(at, if at == last { 0 } else { last });
            }),
        );
    }
    add("no path", with(&|parts| parts.path.clear()));
    add(
        "long path",
        with(&|parts| parts.path = vec![parts.path[0].clone(); 70]),
    );
    add(
        "path of another",
        with(&|parts| parts.path.clone_from(&other.path)),
    );
    // Another checkpoint.
    for (name, from) in [("other", other), ("older", older)] {
        add(
            name,
            with(&|parts| parts.checkpoint.clone_from(&from.checkpoint)),
        );
        add(
            name,
            Parts {
                checkpoint: true_proof.checkpoint.clone(),
                ..from.clone()
            },
        );
        // Its text with these signatures.
        add(
            name,
            true_proof.with_lines(|lines| {
                for (at, line) in from.checkpoint.lines().take(3).enumerate() {
                    lines[at] = line.to_owned();
                }
            }),
        );
    }
    for size in [
        "0",
        "1",
        "299",
        "301",
        "512",
        "18446744073709551615",
        "",
        "0300",
        " 300",
    ] {
        add(
            "size",
            true_proof.with_lines(|lines| lines[1] = size.to_owned()),
        );
    }
    add(
        "root",
        true_proof.with_lines(|lines| lines[2] = flip_base64(&lines[2])),
    );
    let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    add(
        "empty root",
        true_proof.with_lines(|lines| lines[2] = empty.to_owned()),
    );
    add("origin", true_proof.with_lines(|lines| lines[0].push('x')));
    add("no origin", true_proof.with_lines(|lines| lines[0].clear()));
    add(
        "extension",
        true_proof.with_lines(|lines| lines.insert(3, "more".to_owned())),
    );
    // Other signatures.
    let last = |lines: &Vec<String>| lines.len() - 1;
    add(
        "no signature",
        true_proof.with_lines(|lines| lines.truncate(4)),
    );
    for byte in (0..76).step_by(3) {
        add(
            "signature",
            true_proof.with_lines(|lines| {
                let at = last(lines);
                lines[at] = altered(&lines[at], |bytes| bytes[byte] ^= 0x10);
            }),
        );
    }
    for (name, change) in [
        ("zeros", (|bytes| bytes[12..].fill(0)) as fn(&mut Vec<u8>)),
        ("order", |bytes| add_order(bytes)),
        ("short", |bytes| bytes.truncate(40)),
        ("long", |bytes| bytes.push(0)),
        ("without time", |bytes| drop(bytes.drain(4..12))),
        ("time 0", |bytes| bytes[4..12].fill(0)),
        ("time at the end", |bytes| bytes[4..12].fill(0xff)),
    ] {
        add(
            name,
            true_proof.with_lines(|lines| {
                let at = last(lines);
                lines[at] = altered(&lines[at], change);
            }),
        );
    }
    add(
        "name",
        true_proof.with_lines(|lines| {
            let at = last(lines);
            lines[at] = lines[at].replace("operator.example", "operator.examplf");
        }),
    );
    add(
        "signature of another",
        true_proof.with_lines(|lines| {
            let at = last(lines);
            lines[at] = other.checkpoint.lines().last().unwrap().to_owned();
        }),
    );
    made
}

/// Alters a hexadecimal digit.
fn flip(text: &str, at: usize) -> String {
    let mut bytes = text.as_bytes().to_vec();
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    String::from_utf8(bytes).unwrap()
}

fn flip_base64(text: &str) -> String {
    let mut bytes = BASE64.decode(text.as_bytes()).unwrap();
    bytes[7] ^= 1;
    BASE64.encode(&bytes)
}

fn is_accepted(proof: &str, trust: &Trust) -> bool {
    let proofs = Proof::parse_all(proof);
    proofs.is_ok_and(|proofs| proofs.iter().all(|proof| proof.check(trust).is_ok()))
}

#[test]
fn no_forgery_is_accepted() {
    let folder = folder();
    let operator = key("07");
    let (_, proofs, checkpoint) = made(folder.path(), "log", 300, &operator);
    // The forger's own log, cosigned by a key with the operator's name.
    let (_, others, _) = made(folder.path(), "other", 300, &key("08"));
    let (_, olders, _) = made(folder.path(), "older", 150, &key("08"));
    let trust = Trust::Key(operator.public_cosigner());
    let by_log = Trust::Key(Log::open(folder.path().join("log")).unwrap().key().unwrap());
    let mut tried = 0;
    for ((proof, other), older) in proofs.iter().zip(&others).zip(&olders) {
        assert!(is_accepted(proof, &trust) && is_accepted(proof, &by_log));
        assert!(!is_accepted(other, &trust) && !is_accepted(older, &trust));
        let [proof, other, older] = [proof, other, older].map(|proof| Parts::of(proof));
        assert!(
            is_accepted(&proof.text(), &trust),
            "taken apart and put together"
        );
        for (name, forgery) in forgeries(&proof, &other, &older) {
            let text = forgery.text();
            assert!(!is_accepted(&text, &trust), "{name}: {text}");
            // The log's own signature stands unaltered in some: these are true to its key.
            let is_own = forgery.extra == proof.extra
                && forgery.index == proof.index
                && forgery.path == proof.path
                && forgery.checkpoint.starts_with(&checkpoint[..200]);
            assert!(!is_accepted(&text, &by_log) || is_own, "{name}: {text}");
            tried += 1;
        }
    }
    assert!(tried >= 200, "{tried}");
}

/// Keys of small order, for which a signature of anything can be made.
#[test]
fn no_key_of_small_order_verifies_anything() {
    let folder = folder();
    let (_, proofs, _) = made(folder.path(), "log", 3, &key("07"));
    for key in [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ] {
        let Ok(public) = PublicKey::read(key) else {
            continue;
        };
        let zeros = BASE64.encode(&[[0; 4].as_slice(), &[1], &[0; 63]].concat());
        for proof in &proofs {
            let parts = Parts::of(proof).with_lines(|lines| {
                lines.push(format!("\u{2014} operator.example {zeros}"));
            });
            assert!(
                !is_accepted(&parts.text(), &Trust::Key(public.clone())),
                "{key}"
            );
        }
    }
}

/// A proof of growth needs both checkpoints, from the same log, by the same key.
#[test]
fn growth_is_only_that_of_the_checkpoints_that_are_trusted() {
    let folder = folder();
    let operator = key("07");
    let trust = Trust::Key(operator.public_cosigner());
    let (log, _, checkpoint) = made(folder.path(), "log", 40, &operator);
    let (_, _, other) = made(folder.path(), "other", 40, &operator);
    let (_, _, forged) = made(folder.path(), "forged", 40, &key("08"));
    let growth = log.growth(40).unwrap();
    growth.check(&checkpoint, &trust).unwrap();
    for older in [
        &other,
        &forged,
        "",
        "x\n40\n",
        &checkpoint.replace("\n40\n", "\n39\n"),
    ] {
        assert!(growth.check(older, &trust).is_err(), "{older}");
    }
    // From nothing, and to nothing.
    let empty = "heedful.evidence/0\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
    let line = checkpoint.lines().last().unwrap();
    for old in ["old 0\n", "old 40\n"] {
        let text = format!("{old}\n{empty}\n{line}\n");
        let growth = Growth::parse(&text).unwrap();
        assert!(growth.check(&checkpoint, &trust).is_err());
    }
}
