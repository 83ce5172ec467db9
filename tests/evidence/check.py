#!/usr/bin/env python3
"""Checks proofs and logs of evidence by docs/evidence.md alone, with nothing but Python's standard library.

Usage: check.py PROOF|FOLDER...   Each file of proofs and each folder with a log gets a line; exit 1 if one is bad.
"""
import base64, gzip, hashlib, json, struct, sys
from pathlib import Path

KINDS = ["page", "unchanged", "gone", "copy", "unknown"]
P, Q = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def need(holds, what):
    if not holds: raise ValueError(what)
def leaf(kind, captured, key, page, refers):
    return sha(b"\0", bytes([kind]), struct.pack(">q", captured), key, page, *refers)
def named(text, by="sha256:"):
    need(text.startswith(by), "a digest of another kind")
    return bytes.fromhex(text[len(by):])
def root(leaves):
    if len(leaves) < 2: return leaves[0] if leaves else sha()
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    return sha(b"\1", root(leaves[:half]), root(leaves[half:]))
def climb(old, path, at, last):  # RFC 9162, 2.1.3.2 (the new root) and 2.1.4.2 (both)
    new = old
    for beside in path:
        need(last > 0, "the path is too long")
        if at & 1 or at == last:
            old, new = sha(b"\1", beside, old), sha(b"\1", beside, new)
            while not at & 1 and at: at, last = at >> 1, last >> 1
        else: new = sha(b"\1", new, beside)
        at, last = at >> 1, last >> 1
    need(last == 0, "the path is too short")
    return old, new
def hashes(text):
    data = base64.b64decode(text, validate=True)
    need(len(data) % 32 == 0, "the path is no list of hashes")
    return [data[at:at + 32] for at in range(0, len(data), 32)]
def add(a, b):
    (x, y), (u, v), k = a, b, D * a[0] * b[0] * a[1] * b[1] % P
    return (x * v + u * y) * pow(1 + k, -1, P) % P, (y * v + x * u) * pow(1 - k, -1, P) % P
def times(point, number):
    return add(times(add(point, point), number >> 1), point if number & 1 else (0, 1)) if number else (0, 1)
def point(data):
    number = int.from_bytes(data, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    need(y < P and (x * x - square) % P == 0 and (x or not sign), "no point of the curve")
    return (P - x if x & 1 != sign else x), y
def signed(it, log):  # RFC 8032, 5.1.7
    key, signature = bytes.fromhex(it["key"]), bytes.fromhex(it["signature"])
    text = f"heedful evidence 1\n{log}\n{it['size']}\n{it['root']}\n{it['time']}\n".encode()
    half, scalar = signature[:32], int.from_bytes(signature[32:], "little")
    need(len(signature) == 64 and scalar < Q, "no signature")
    number = int.from_bytes(hashlib.sha512(half + key + text).digest(), "little") % Q
    base = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    need(times(base, scalar) == add(point(half), times(point(key), number)), "the signature is another's")
def grown(old, size, old_root, top, path):
    need((old or old_root == sha()) and (size or top == sha()), "nothing has another root")
    if old in (0, size): return need(not path and old <= size and (old == 0 or old_root == top), "no proof")
    path, at, last = path if old & (old - 1) else [old_root, *path], old - 1, size - 1
    while at & 1: at, last = at >> 1, last >> 1
    need(old < size and path and climb(path[0], path[1:], at, last) == (old_root, top), "it did not only grow")
def proof(it):
    need(it["heedful_evidence"] in (1, 2), "another version")
    if "old" in it: return grown(it["old"], it["size"], bytes.fromhex(it["old_root"]), bytes.fromhex(it["root"]), hashes(it["proof"]))
    salt, parts = bytes.fromhex(it["salt"]), [it["context"], it["head"], it["decision"]]
    refers = [named(part) if part.startswith("sha256:") else sha(part.encode()) for part in parts]
    pad = sha(b"heedful page\0", salt)
    page = bytes(a ^ b for a, b in zip(named(it["page"], "blake3:"), pad, strict=True)) if it["page"] else bytes(32)
    captured = it["captured"] if it["captured"] is not None else -(1 << 63)
    entry = leaf(KINDS.index(it["kind"]) + 1, captured, sha(b"heedful url\0", salt, it["url"].encode()), page, refers)
    need(it["number"] < it["size"], "it is behind the end")
    need(climb(entry, hashes(it["path"]), it["number"], it["size"] - 1)[1].hex() == it["root"], "it leads elsewhere")
    if it["signed"]: signed({**it, **it["signed"]}, it["log"])
def log(folder):
    line, digest, rest = (folder / "head.json").read_bytes().split(b"\n")
    need(sha(line).hex().encode() == digest and not rest, "head.json is damaged")
    head, leaves, blobs = json.loads(line), [], []
    for segment in head["segments"]:
        data = (folder / f"{segment['number']:08}.log").read_bytes()
        need(sha(data).hex() == segment["sum"] and len(data) == segment["bytes"], f"{segment['number']}.log is damaged")
        first, data = data.split(b"\n", 1)
        first = json.loads(first)
        need((first["log"], first["first"]) == (head["log"], len(leaves)), "a segment is in another's place")
        rows, at = 89 * first["entries"], 89 * first["entries"] + 33 * first["blobs"]
        digests, blobs = [data[row + 1:row + 33] for row in range(rows, at, 33)], blobs
        texts, at = [], at + 32 * first["blocks"]
        for count, length in first["members"]:
            member, at = gzip.decompress(data[at:at + length]), at + length
            for _ in range(count):
                end = 4 + int.from_bytes(member[:4], "big")
                texts, member = [*texts, sha(member[4:end])], member[end:]
        need(texts == digests, f"what {segment['number']}.log refers to is damaged")
        blobs += digests
        for row in range(0, rows, 89):
            kind, captured, key, page, *refers, check = struct.unpack(">Bq32s32s3I4s", data[row:row + 89])
            hash, number = leaf(kind, captured, key, page, [blobs[blob] for blob in refers]), struct.pack(">Q", len(leaves))
            need(bytes(a ^ b for a, b in zip(hash, number[4:])) == check, f"entry {len(leaves)} is damaged")
            leaves.append(hash)
    need(len(leaves) == head["size"] and root(leaves).hex() == head["root"], "the entries do not lead to the root")
    signatures = folder / "signed.jsonl"
    for it in map(json.loads, signatures.read_text().splitlines() if signatures.exists() else []):
        need(root(leaves[:it["size"]]).hex() == it["root"], "a signature is for other entries")
        signed(it, head["log"])

bad = 0
for path in map(Path, sys.argv[1:]):
    try:
        lines = [] if path.is_dir() else path.read_text().splitlines()
        log(path) if path.is_dir() else need(lines, "it is empty") or [proof(json.loads(line)) for line in lines]
        print(f"{path}: good")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OSError, EOFError, struct.error) as error:
        print(f"{path}: {error}")
        bad = 1
sys.exit(bad)
