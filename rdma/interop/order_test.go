package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/godapl/godapl/rdma/mem"
)

// An order tells the partner what to do on a connection.
type order struct {
	Do    string `json:",omitempty"`
	ID    uint32 `json:",omitempty"` // to ask for the outcome by
	Size  int    `json:",omitempty"`
	N     int    `json:",omitempty"`
	Depth int    `json:",omitempty"`
	How   string `json:",omitempty"`
	// Memory that the active side lends.
	Key       mem.Key `json:",omitempty"`
	Addr, Len uint64  `json:",omitempty"`
}

func (o *order) lend(r mem.Remote) { o.Key, o.Addr, o.Len = r.Key, r.Addr, r.Length }
func (o *order) remote() mem.Remote {
	return mem.Remote{Key: o.Key, Addr: o.Addr, Length: o.Len}
}

// private is the order as private data. What follows it is filler.
func (o *order) private(filler int) []byte {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // no value of it can make that
	}
	return append(append(b, '\n'), pattern(int(o.ID), filler)...)
}

// takeOrder also gives the filler.
func takeOrder(private []byte) (o order, filler []byte, err error) {
	text, filler, ok := bytes.Cut(private, []byte("\n"))
	if !ok {
		return o, nil, fmt.Errorf("private data %q is no order", private)
	}
	return o, filler, json.Unmarshal(text, &o)
}

// pattern is n bytes that follow from a seed.
func pattern(seed, n int) []byte { return fill(make([]byte, n), seed) }

func fill(b []byte, seed int) []byte {
	x := uint32(seed)*2654435761 + 12345
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// check tells the first place where b is not the pattern.
func check(b []byte, seed int) error {
	x := uint32(seed)*2654435761 + 12345
	for i := range b {
		x = x*1664525 + 1013904223
		if b[i] != byte(x>>24) {
			return fmt.Errorf("byte %d of %d is %#x instead of %#x (pattern %d)", i, len(b), b[i], byte(x>>24), seed)
		}
	}
	return nil
}
