package peers_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// stuck is memory that is larger than everything a stream can hold: the peer's side is limited, and this side
// usually holds up to 4 MiB.
type stuck struct {
	hca.MR
	bytes []byte
}

func newStuck(t testing.TB, s *station, p *peer) *stuck {
	t.Helper()
	if err := p.conn.SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	k := &stuck{bytes: make([]byte, 12<<20)}
	for page := range len(k.bytes) >> 12 {
		fill(k.bytes[page<<12:][:1<<12], byte(page))
	}
	var err error
	if k.MR, err = s.pd.Register(hca.Memory{Bytes: k.bytes}, hca.LocalRead|hca.RemoteRead); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *stuck) request(msn iwarp.MSN) []byte {
	return readRequest(msn, iwarp.STag(k.RKey()), k.Addr(), uint32(len(k.bytes)))
}

// close fails unless the bytes of the response are right, and fewer than tooMany.
func (k *stuck) close(t testing.TB, end ending, tooMany int) {
	t.Helper()
	answers, at := 0, 0
	for _, s := range end.segments {
		if s.Op != iwarp.OpReadResponse {
			continue
		}
		if want := int(s.TO - sinkTO); want != at {
			t.Errorf("a segment is for byte %d, want %d", want, at)
			break
		}
		if string(s.Payload) != string(k.bytes[at:at+len(s.Payload)]) {
			t.Errorf("the segment at %d has other bytes", at)
			break
		}
		at += len(s.Payload)
		if s.Last {
			answers, at = answers+1, 0
		}
	}
	if answers >= tooMany {
		t.Errorf("%d answers came", answers)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

func fill(b []byte, v byte) { copy(b, bytes.Repeat([]byte{v}, len(b))) }

// jam posts Writes until the stream accepts no more, to a peer that never reads.
func (x *exchange) jam() *stuck {
	x.t.Helper()
	k := newStuck(x.t, x.e.s, x.p)
	local := hca.Segment{Addr: k.Addr(), Len: uint32(len(k.bytes)), Key: k.LKey()}
	x.e.post(hca.SendWR{Op: hca.OpWrite, Local: local, RKey: 7}, hca.StatusOK, hca.StatusFlushed)
	x.e.post(hca.SendWR{Op: hca.OpWrite, Local: local, RKey: 7}, hca.StatusFlushed)
	x.e.readAt(0, 8)
	return k
}
