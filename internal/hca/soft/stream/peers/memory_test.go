package peers_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// memory is the memory of an endpoint: pieces with different rights, side by side in one array that holds a
// pattern. The strips between them belong to no piece, so an access beyond its piece shows.
type memory struct {
	array []byte
	all   *piece // all rights
	read  *piece // remote read
	write *piece // remote write
	local *piece // no remote right
	alien *piece // all rights, in another protection domain
	recv  *piece // for receives
	sink  *piece // target of this side's reads
	src   *piece // source of this side's sends
}

// A piece is a registered part of the array.
type piece struct {
	hca.MR
	name string
	off  int
}

const (
	strip     = 64
	pieceSize = 512
)

const arraySize = 8*(pieceSize+strip) + strip

// untouchedArray is the initial contents of the array.
var untouchedArray = func() (a [arraySize]byte) {
	for i := range a {
		a[i] = byte(i*31 ^ i>>8 ^ 0x5a)
	}
	return a
}()

func newMemory(t testing.TB, own, foreign hca.PD) *memory {
	t.Helper()
	m := &memory{array: slices.Clone(untouchedArray[:])}
	off := strip
	piece := func(name string, pd hca.PD, access hca.Access) *piece {
		mr, err := pd.Register(hca.Memory{Bytes: m.array[off : off+pieceSize]}, access)
		if err != nil {
			t.Fatal(err)
		}
		p := &piece{MR: mr, name: name, off: off}
		off += pieceSize + strip
		return p
	}
	m.all = piece("all", own, hca.AllAccess)
	m.read = piece("read", own, hca.LocalRead|hca.RemoteRead)
	m.write = piece("write", own, hca.LocalWrite|hca.RemoteWrite)
	m.local = piece("local", own, hca.LocalRead|hca.LocalWrite)
	m.alien = piece("alien", foreign, hca.AllAccess)
	m.recv = piece("recv", own, hca.LocalWrite)
	m.sink = piece("sink", own, hca.LocalWrite)
	m.src = piece("src", own, hca.LocalRead)
	return m
}

func (m *memory) close() {
	for _, p := range m.pieces() {
		_ = p.Close()
	}
}

func (m *memory) pieces() []*piece {
	return []*piece{m.all, m.read, m.write, m.local, m.alien, m.recv, m.sink, m.src}
}

// stag is the piece's STag for peers. Memory without remote rights has none: a peer would have to guess the
// local key.
func (p *piece) stag() iwarp.STag { return iwarp.STag(p.LKey()) }

// to is the address of byte i.
func (p *piece) to(i int) uint64 { return p.far(int64(i)) }

func (p *piece) far(i int64) uint64 { return p.Addr() + uint64(i) }

func (p *piece) segment(i, n int) hca.Segment {
	return hca.Segment{Addr: p.to(i), Len: uint32(n), Key: p.LKey()}
}

// A span is a part of the array that a peer was allowed to change.
type span struct{ from, to int }

func (p *piece) span(i, n int) span { return span{p.off + i, p.off + i + n} }

// holds fails unless a piece has these bytes.
func (m *memory) holds(t testing.TB, s span, want string) {
	t.Helper()
	if got := string(m.array[s.from:s.to]); got != want {
		t.Errorf("memory holds %q, want %q", got, want)
	}
}

// untouched fails if anything outside of the spans has changed.
func (m *memory) untouched(t testing.TB, may []span) {
	t.Helper()
	want := untouchedArray
	for _, s := range may {
		copy(want[s.from:s.to], m.array[s.from:])
	}
	if bytes.Equal(want[:], m.array) {
		return
	}
	for i, b := range m.array {
		if b != want[i] {
			t.Errorf("byte %d of the memory has changed, %s", i, m.place(i))
			return
		}
	}
}

func (m *memory) place(i int) string {
	for _, p := range m.pieces() {
		if p.off <= i && i < p.off+pieceSize {
			return "in " + p.name
		}
	}
	return "which belongs to nobody"
}
