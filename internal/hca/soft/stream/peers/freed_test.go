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

// Row 49: Writes into a region that another goroutine closes. After Close returns, no byte changes any more.
func TestWriteWhileFreed(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	const size = 60_000
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
					for i := 0; ; i++ {
						if i == 10+round {
							close(begun)
						}
						data := bytes.Repeat([]byte{byte(i + 1)}, size)
						if _, err := p.conn.Write(write(stag, to, string(data))); err != nil {
							return
						}
					}
				})
				<-begun
				err = mr.Close()
				last := mem[size-1] // a copy that is under way gets here last
				after := slices.Clone(mem)
				if err != nil {
					t.Error(err)
				}
				end := p.end()
				p.conn.Close()
				writer.Wait()
				end.one(t, "1/1/0x00")
				e.over(hca.EventBroken)
				if !bytes.Equal(mem, after) || mem[size-1] != last {
					t.Error("memory has changed after its region was closed")
				}
			})
		}
	}
	s.bystander(t)
}

// The same for memory that a peer reads: the stream stays one of whole FPDUs, and the bytes sent are those that
// the memory held while it was registered.
func TestReadWhileFreed(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			e.recv(8)
			e.busy()
			k := newStuck(t, s, p)
			p.write(k.request(1), k.request(2))
			s.jammed(t, p)
			was := slices.Clone(k.bytes)
			if err := k.Close(); err != nil {
				t.Error(err)
			}
			fill(k.bytes, 0xff) // the memory is the program's again
			k.bytes = was
			end := p.end()
			end.one(t, "0/1/0x00")
			k.close(t, end, 1)
			if end.term != nil {
				if op, _, ok := end.term.About(); !ok || op != iwarp.OpReadRequest || end.term.ReadRequest == nil {
					t.Errorf("the Terminate does not say which read it is about: %+v", end.term)
				}
			}
			e.over(hca.EventBroken)
		})
	}
	s.bystander(t)
}

// The same for memory that this side sends: a Write that is half sent when its memory is freed ends with its
// current segment, which holds the original bytes.
func TestSentMemoryFreed(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			x := &exchange{t, e, p}
			p.write(write(1, 0, ""))
			e.recv(8)
			k := x.jam()
			e.ledger.allow(1+e.recvs[0], hca.StatusLocalProtection)
			s.jammed(t, p)
			was := slices.Clone(k.bytes)
			if err := k.Close(); err != nil {
				t.Error(err)
			}
			fill(k.bytes, 0xff)
			end := p.end()
			end.one(t, "close 0/0/0x00")
			for _, seg := range end.segments {
				if at := int(seg.TO); string(seg.Payload) != string(was[at:at+len(seg.Payload)]) {
					t.Fatalf("the segment at %d holds other bytes", at)
				}
				if seg.Op == iwarp.OpWrite && seg.Last && len(seg.Payload) > 0 {
					t.Error("the whole of the Write came")
				}
			}
			e.over(hca.EventBroken)
		})
	}
	s.bystander(t)
}
