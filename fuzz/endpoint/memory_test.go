package endpoint_test

import (
	"bytes"
	"slices"

	"github.com/godapl/godapl/fuzz/reference"
	"github.com/godapl/godapl/internal/hca"
)

// memory is one array with pieces of different rights, and guard strips between them.
// The reference works on a copy of it.
type memory struct {
	array, shadow []byte
	pieces        map[string]*piece
	order         []*piece
}

type piece struct {
	hca.MR
	name string
	off  int
	used int // of receives and sinks
}

const (
	pieceSize = 64
	stripSize = 16
)

var kinds = []struct {
	name    string
	access  hca.Access
	foreign bool
}{
	{name: "all", access: hca.AllAccess},
	{name: "read", access: hca.LocalRead | hca.RemoteRead},
	{name: "write", access: hca.LocalWrite | hca.RemoteWrite},
	{name: "alien", access: hca.AllAccess, foreign: true},
	{name: "local", access: hca.LocalRead | hca.LocalWrite},
	{name: "recv", access: hca.LocalWrite},
	{name: "sink", access: hca.LocalWrite},
}

func (m *memory) init(r *rig) {
	m.array = make([]byte, len(kinds)*(pieceSize+stripSize)+stripSize)
	for i := range m.array {
		m.array[i] = byte(i*31) ^ 0x5a
	}
	m.shadow = slices.Clone(m.array)
	m.pieces = map[string]*piece{}
	off := stripSize
	for _, k := range kinds {
		pd := r.pd
		if k.foreign {
			pd = r.foreign
		}
		mr, err := pd.Register(hca.Memory{Bytes: m.array[off : off+pieceSize]}, k.access)
		r.must(err)
		p := &piece{MR: mr, name: k.name, off: off}
		m.pieces[k.name] = p
		m.order = append(m.order, p)
		// Memory without remote rights has a key, too, which a peer might guess.
		r.ref.Regions = append(r.ref.Regions, &reference.Region{
			STag: uint32(mr.LKey()), Base: mr.Addr(), Bytes: m.shadow[off : off+pieceSize], Foreign: k.foreign,
			Read: k.access&hca.RemoteRead != 0, Write: k.access&hca.RemoteWrite != 0, Atomic: k.access&hca.RemoteAtomic != 0,
		})
		off += pieceSize + stripSize
	}
}

// part is where n bytes more of a piece are, for a work request and in the
// copy. When the piece is used up it is shorter.
func (m *memory) part(name string, n int) (hca.Segment, []byte) {
	p := m.pieces[name]
	n = min(n, pieceSize-p.used)
	at := p.used
	p.used += n
	return hca.Segment{Addr: p.Addr() + uint64(at), Len: uint32(n), Key: p.LKey()}, m.shadow[p.off+at:][:n:n]
}

// differs tells where the memory is not as the reference has it.
func (m *memory) differs() (at int, where string) {
	if bytes.Equal(m.array, m.shadow) {
		return -1, ""
	}
	for i := range m.array {
		if m.array[i] == m.shadow[i] {
			continue
		}
		for _, p := range m.order {
			if i >= p.off && i < p.off+pieceSize {
				return i - p.off, "of " + p.name
			}
		}
		return i, "which is nobody's"
	}
	return -1, ""
}
