package peers_test

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// What a TCP segment carries: to a peer that is not identified as this library, one FPDU that begins and ends
// with it, also when many are queued. To this library, FPDUs are as long as possible.
func TestFPDUsAndSegments(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	foreign := append([]role{}, roles...)
	foreign = append(foreign, markerRoles()...)
	spoken := initiator
	spoken.name, spoken.first = "initiator with a foreign peer that has spoken", responder.first
	for _, r := range append(append(foreign, spoken), ownRoles...) {
		for _, mss := range []int{0, 540, 1000, 1460} {
			r := r
			r.mss = mss
			t.Run(fmt.Sprintf("%s/segments of %d", r.name, mss), func(t *testing.T) {
				t.Parallel()
				e, p := s.open(t, r, depths{4, 4})
				if p.silent {
					p.write(write(1, 0, ""))
					p.silent = false
				}
				if r.own {
					(&exchange{t, e, p}).heard()
				}
				before := p.segments()
				sizes := e.flood(t)
				longest, count := 0, 0
				for _, n := range sizes {
					for at := 0; ; {
						seg, err := p.next()
						if err != nil {
							t.Fatal(err)
						}
						longest = max(longest, p.taken)
						count++
						if at += len(seg.Payload); at > n {
							t.Fatalf("%d bytes of a message of %d", at, n)
						} else if seg.Last {
							break
						}
					}
				}
				segments := p.segments() - before
				t.Logf("%d FPDUs of up to %d bytes in %d segments", count, longest, segments)
				switch {
				case r.own:
					if longest < 65000 {
						t.Errorf("FPDUs have up to %d bytes", longest)
					}
				case mss > 0 && (longest > mss || longest < mss-16):
					t.Errorf("FPDUs have up to %d bytes, a segment %d less 12 of options", longest, mss)
				// Two in a segment make fewer segments. There may be more: TCP splits a segment where the
				// peer's window ends, or the host lacks memory.
				case segments < count || segments > 2*count:
					t.Errorf("%d FPDUs came in %d segments", count, segments)
				}
				for range sizes {
					e.done(hca.StatusOK)
				}
			})
		}
	}
	s.bystander(t)
}

// flood posts messages of many sizes, more than the stream accepts at once.
func (e *endpoint) flood(t *testing.T) (sizes []int) {
	t.Helper()
	for n := range 40 {
		sizes = append(sizes, n%5, 100_000, n, 511+n, 64)
	}
	sizes = sizes[:120]
	mr, err := e.s.pd.Register(hca.Memory{Bytes: make([]byte, 100_000)}, hca.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mr.Close() })
	for i, n := range sizes {
		wr := hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: mr.Addr(), Len: uint32(n), Key: mr.LKey()}, RKey: 7}
		if i%3 == 0 {
			wr = hca.SendWR{Op: hca.OpSend, Local: wr.Local}
		}
		e.post(wr, hca.StatusOK)
	}
	return sizes
}

// heard returns when this side has noticed what the peer has sent.
func (x *exchange) heard() {
	x.t.Helper()
	x.e.recv(8)
	x.may(x.m().recv, 0, 8)
	x.p.write(send(x.p.send, "hello"))
	x.p.send++
	x.e.received()
}
