package peers_test

import (
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Markers: this side never requests them, and sends them to a peer that does.

func markerRoles() []role {
	list := append([]role{}, roles...)
	for i := range list {
		list[i].frame.Markers = true
		list[i].name += " with markers"
	}
	return append(list, role{name: "initiator of revision 1 with markers", initiator: true, frame: iwarp.Frame{Revision: iwarp.Revision1, CRC: true, Markers: true}})
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range markerRoles() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			e, p := s.open(t, r, depths{4, 4})
			x := &exchange{t, e, p}
			p.write(write(1, 0, ""))
			p.silent = false
			// Sizes around the distance of markers, and segments of the largest size.
			big := make([]byte, 200_000)
			for i := range big {
				big[i] = byte(i * 7)
			}
			mr, err := s.pd.Register(hca.Memory{Bytes: big}, hca.LocalRead|hca.RemoteRead)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 1, 3, 4, 470, 480, 484, 488, 490, 492, 496, 500, 504, 508, 512, 516, 1000, 2048, 2049, 5000, 64768, 70000, len(big)} {
				local := hca.Segment{Addr: mr.Addr(), Len: uint32(n), Key: mr.LKey()}
				e.post(hca.SendWR{Op: hca.OpSend, Local: local}, hca.StatusOK)
				x.arrives(iwarp.OpSend, big[:n])
				e.done(hca.StatusOK)
				e.post(hca.SendWR{Op: hca.OpWrite, Local: local, Remote: 0, RKey: 7}, hca.StatusOK)
				x.arrives(iwarp.OpWrite, big[:n])
				e.done(hca.StatusOK)
				p.write(readRequest(p.request, iwarp.STag(mr.RKey()), mr.Addr(), uint32(n)))
				p.request++
				x.arrives(iwarp.OpReadResponse, big[:n])
			}
			// Many small ones, so that markers fall on every position.
			for range 100 {
				e.post(hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: mr.Addr(), Len: 28, Key: mr.LKey()}, RKey: 7}, hca.StatusOK)
				x.arrives(iwarp.OpWrite, big[:28])
				e.done(hca.StatusOK)
			}
			w := x.wanted(0, 8)
			e.ledger.allow(w.id, hca.StatusOK)
			x.may(e.mem.sink, 0, 8)
			p.write(w.answer("abcdefgh"))
			e.done(hca.StatusOK)
			x.alive()
			if err := mr.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// arrives reads a whole message, which must hold these bytes.
func (x *exchange) arrives(op iwarp.Opcode, want []byte) {
	x.t.Helper()
	at := 0
	for {
		s := x.p.want(op)
		if at+len(s.Payload) > len(want) || string(s.Payload) != string(want[at:at+len(s.Payload)]) {
			x.t.Fatalf("%v: %d bytes at %d of %d are not what was sent", op, len(s.Payload), at, len(want))
		}
		at += len(s.Payload)
		if s.Last {
			break
		}
	}
	if at != len(want) {
		x.t.Fatalf("%v has %d bytes, want %d", op, at, len(want))
	}
}

// A Terminate has markers too.
func TestMarkedTerminate(t *testing.T) {
	cases := []badCase{
		{row: 46, name: "one byte past", want: "1/1/0x01", roles: markerRoles(), data: func(x *exchange) []byte {
			return write(x.m().all.stag(), x.m().all.to(pieceSize-4), "hello")
		}},
		{row: 52, name: "behind half a stream", want: "1/2/0x05", roles: markerRoles(), idle: true, data: func(x *exchange) []byte {
			x.p.write(readRequest(1, x.m().all.stag(), x.m().all.to(0), 480))
			return readRequestLong(2)
		}},
	}
	runCases(t, cases)
}

func readRequestLong(msn iwarp.MSN) []byte {
	return raw(append(readRequest(msn, 1, 0, 0)[2:][:46], 'x')...)
}

// Row 70: markers that nobody requested. This side reads them as part of FPDUs.
func TestUnwantedMarkers(t *testing.T) {
	const want = "2/0/0x02 2/0/0x03 1/1/0x04 1/2/0x06"
	long := strings.Repeat("x", 600)
	runCases(t, []badCase{
		fixed(70, "in front of the first FPDU", want, iwarp.AppendMarked(nil, 0, send(1, "hello"), true)),
		{row: 70, name: "inside of an FPDU", want: want, recvs: []int{0}, data: func(x *exchange) []byte {
			return iwarp.AppendMarked(nil, 4, write(x.m().all.stag(), x.m().all.to(0), long[:pieceSize]), true)
		}, fin: true},
	})
}
