// Verifies a log of evidence, its proofs, and proofs of its growth, with the packages of Go's checksum database. It shares
// no code with heedful: golang.org/x/mod/sumdb/note and tlog (Debian: golang-golang-x-mod-dev).
//
//	verify log FOLDER              recomputes the tree from the entries, and compares tiles and checkpoint
//	verify proof KEY FILE...       a proof of an entry, by the key of the log or of a cosigner
//	verify growth KEY OLD FILE     a proof that the log grew since the checkpoint OLD
//
// It ends with 1, and says why, if something does not hold.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must[T any](value T, err error) T {
	if err != nil {
		fail(err)
	}
	return value
}

func fail(why ...any) {
	fmt.Fprintln(os.Stderr, why...)
	os.Exit(1)
}

// The verifier of a cosignature (c2sp.org/tlog-cosignature), which Go's package does not have.
type cosigner struct {
	name string
	id   uint32
	key  ed25519.PublicKey
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.id }
func (c cosigner) Verify(text, signature []byte) bool {
	if len(signature) != 72 {
		return false
	}
	time := binary.BigEndian.Uint64(signature)
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", time, text)
	return ed25519.Verify(c.key, []byte(signed), signature[8:])
}

// A verifier of the first key in a file.
func verifier(path string) note.Verifier {
	line, _, _ := strings.Cut(string(must(os.ReadFile(path))), "\n")
	if v, err := note.NewVerifier(line); err == nil {
		return v
	}
	parts := strings.SplitN(line, "+", 3)
	if len(parts) != 3 {
		fail("no verifier key:", line)
	}
	id := must(strconv.ParseUint(parts[1], 16, 32))
	key := must(base64.StdEncoding.DecodeString(parts[2]))
	if len(key) != 33 || key[0] != 4 {
		fail("no key of a cosigner:", line)
	}
	hash := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	if binary.BigEndian.Uint32(hash[:]) != uint32(id) {
		fail("the hash of the key is another one:", line)
	}
	return cosigner{parts[0], uint32(id), key[1:]}
}

func checkpoint(text []byte, by note.Verifier) (string, tlog.Tree) {
	opened := must(note.Open(text, note.VerifierList(by)))
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		fail("no checkpoint:", opened.Text)
	}
	size := must(strconv.ParseInt(lines[1], 10, 64))
	return lines[0], tlog.Tree{N: size, Hash: must(tlog.ParseHash(lines[2]))}
}

// The first lines of a proof, the hashes of its path, and its checkpoint.
func parts(path string, head int) ([]string, []tlog.Hash, []byte) {
	text := must(os.ReadFile(path))
	before, after, ok := bytes.Cut(text, []byte("\n\n"))
	if !ok {
		fail("no proof:", path)
	}
	lines := strings.Split(string(before), "\n")
	if len(lines) < head {
		fail("no proof:", path)
	}
	var hashes []tlog.Hash
	for _, line := range lines[head:] {
		hashes = append(hashes, must(tlog.ParseHash(line)))
	}
	return lines, hashes, after
}

func proof(path string, by note.Verifier) {
	lines, hashes, after := parts(path, 3)
	_, tree := checkpoint(after, by)
	if lines[0] != "c2sp.org/tlog-proof@v1" {
		fail("no proof:", path)
	}
	extra := must(base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra ")))
	index := must(strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64))
	said := bytes.SplitN(extra, []byte("\n"), 3)
	salt := must(hex.DecodeString(string(said[1])))
	commitment := sha256.Sum256(bytes.Join([][]byte{[]byte("heedful record\x00"), salt, said[2]}, nil))
	entry := fmt.Sprintf("heedful evidence 3\n%s\n%s\n", said[0], base64.StdEncoding.EncodeToString(commitment[:]))
	if err := tlog.CheckRecord(hashes, tree.N, tree.Hash, index, tlog.RecordHash([]byte(entry))); err != nil {
		fail(path, err)
	}
}

func growth(old, path string, by note.Verifier) {
	lines, hashes, after := parts(path, 1)
	origin, tree := checkpoint(after, by)
	olderOrigin, older := checkpoint(must(os.ReadFile(old)), by)
	size := must(strconv.ParseInt(strings.TrimPrefix(lines[0], "old "), 10, 64))
	if size != older.N || origin != olderOrigin {
		fail("another state:", path)
	}
	if err := tlog.CheckTree(hashes, tree.N, tree.Hash, older.N, older.Hash); err != nil {
		fail(path, err)
	}
}

// The stored hashes of a tree, in memory.
type hashes []tlog.Hash

func (h *hashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var read []tlog.Hash
	for _, index := range indexes {
		read = append(read, (*h)[index])
	}
	return read, nil
}

// The path of a tile, as c2sp.org/tlog-tiles names it.
func name(tile tlog.Tile, folder string) string {
	path := tile.Path()
	path = strings.TrimPrefix(path, fmt.Sprintf("tile/%d/%d/", tile.H, tile.L))
	return filepath.Join(folder, path)
}

func log(folder string) {
	read := func(name string) []byte { return must(os.ReadFile(filepath.Join(folder, name))) }
	_, tree := checkpoint(read("checkpoint"), verifier(filepath.Join(folder, "keys")))
	var stored hashes
	var number int64
	for number < tree.N {
		width := tree.N - number
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: 8, L: 0, N: number / 256, W: int(width)}
		bundle := read(name(tile, "tile/entries"))
		for ; width > 0; width-- {
			length := binary.BigEndian.Uint16(bundle)
			stored = append(stored, must(tlog.StoredHashes(number, bundle[2:2+length], &stored))...)
			bundle = bundle[2+length:]
			number++
		}
		if len(bundle) > 0 {
			fail("more entries than the checkpoint says")
		}
	}
	if root := must(tlog.TreeHash(tree.N, &stored)); root != tree.Hash {
		fail("the entries do not lead to the root")
	}
	for _, tile := range tlog.NewTiles(8, 0, tree.N) {
		// Go's package lists narrower partial tiles too, which a log need not keep.
		if width := tree.N>>(8*tile.L) - tile.N<<8; tile.W < 256 && int64(tile.W) < width {
			continue
		}
		data := must(tlog.ReadTileData(tile, &stored))
		path := name(tile, fmt.Sprintf("tile/%d", tile.L))
		if !bytes.Equal(data, read(path)) {
			fail("another tile:", path)
		}
	}
}

func main() {
	switch args := os.Args[1:]; args[0] {
	case "log":
		log(args[1])
	case "proof":
		for _, path := range args[2:] {
			proof(path, verifier(args[1]))
		}
	case "growth":
		growth(args[2], args[3], verifier(args[1]))
	default:
		fail("log, proof or growth")
	}
}
