package peers_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Memory that is freed while a peer uses it.

// Row 49: Writes into a region that is closed on another goroutine. When
// closing has returned, not an octet changes any more.
func TestWriteWhileFreed(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	const size = 256 << 10
	for round := range 8 {
		for _, r := range roles {
			t.Run(fmt.Sprintf("%d/%s", round, r.name), func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				e.recv(8)
				e.busy()
				mem := make([]byte, size)
				mr, err := s.pd.Register(hca.Memory{Bytes: mem}, hca.LocalWrite|hca.RemoteWrite)
				if err != nil {
					t.Fatal(err)
				}
				stag, to := iwarp.STag(mr.RKey()), mr.Addr()
				var writer sync.WaitGroup
				begun := make(chan struct{})
				writer.Go(func() {
					for i := range 400 {
						if i == 1+round {
							close(begun)
						}
						p.write(write(stag, to+uint64(i%8)*(size/8), string(bytes.Repeat([]byte{byte(i + 1)}, size/8))))
					}
				})
				<-begun
				if err := mr.Close(); err != nil {
					t.Error(err)
				}
				after := slices.Clone(mem)
				end := p.end()
				p.conn.Close()
				writer.Wait()
				end.one(t, "1/1/0x00")
				e.over(hca.EventBroken)
				if !bytes.Equal(mem, after) {
					t.Error("memory has changed after its region was closed")
				}
			})
		}
	}
	s.bystander(t)
}

// The same for what a peer reads: the stream stays one of whole FPDUs, and
// what was sent of the memory is what it held while it was registered.
func TestReadWhileFreed(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			e.recv(8)
			e.busy()
			k := newStuck(t, s)
			p.write(k.request(1), k.request(2))
			s0, err := p.next()
			for ; err == nil && s0.Op != iwarp.OpReadResponse; s0, err = p.next() {
			}
			if err != nil {
				t.Fatal(err)
			}
			was := slices.Clone(k.bytes)
			if err := k.Close(); err != nil {
				t.Error(err)
			}
			for i := range k.bytes { // the memory is the program's again
				k.bytes[i] = 0xff
			}
			k.bytes = was
			end := p.end()
			end.segments = append([]iwarp.Segment{s0}, end.segments...)
			end.one(t, "0/1/0x00")
			k.close(t, end, 1)
			e.over(hca.EventBroken)
		})
	}
	s.bystander(t)
}
