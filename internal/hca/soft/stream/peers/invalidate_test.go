package peers_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Sends with Invalidate: rows 61 and 62.

func TestInvalidate(t *testing.T) { runCases(t, invalidateCases()) }

// window binds a window over the first 64 bytes of memory with all rights, for this connection's peer.
func (x *exchange) window(kind hca.WindowKind) (iwarp.STag, hca.MW) {
	x.t.Helper()
	if x.p.silent { // this side does nothing before the peer's first FPDU
		x.p.silent = false
		x.p.write(write(1, 0, ""))
	}
	w, err := x.e.s.pd.NewWindow(kind)
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { w.Close() })
	b := hca.Bind{MW: w, MR: x.m().all.MR, Addr: x.m().all.to(0), Len: 64, Access: hca.RemoteWrite | hca.RemoteRead}
	x.e.post(hca.SendWR{Op: hca.OpBind, Bind: &b}, hca.StatusOK)
	x.e.done(hca.StatusOK)
	return iwarp.STag(b.Key), w
}

func invalidateCases() (cases []badCase) {
	const known, unknown = "0/1/0x09", "0/2/0x09"
	failed := []hca.Status{hca.StatusLocalProtection, hca.StatusLocalQP}
	for _, op := range []iwarp.Opcode{iwarp.OpSendInv, iwarp.OpSendSEInv} {
		bad := func(name, want string, stag func(x *exchange) iwarp.STag) {
			cases = append(cases, badCase{row: 61, name: op.String() + " of " + name, want: want, idle: true, oldest: failed, data: func(x *exchange) []byte {
				x.may(x.m().recv, 0, 5)
				return sendInv(op, stag(x), 1, 0, "hello", true)
			}})
		}
		bad("STag 0", unknown, func(*exchange) iwarp.STag { return 0 })
		bad("an unknown STag", unknown, func(*exchange) iwarp.STag { return 0xabcd02 })
		bad("a region", known, func(x *exchange) iwarp.STag { return x.m().all.stag() })
		bad("a region without remote rights", unknown, func(x *exchange) iwarp.STag { return x.m().local.stag() })
		bad("a region of another zone", known, func(x *exchange) iwarp.STag { return x.m().alien.stag() })
		bad("a window of the whole zone", known, func(x *exchange) iwarp.STag { stag, _ := x.window(hca.ZoneWindow); return stag })
		bad("another connection's window", known, func(x *exchange) iwarp.STag {
			e, p := x.e.s.open(x.t, initiator, depths{4, 4})
			stag, _ := (&exchange{x.t, e, p}).window(hca.EndpointWindow)
			return stag
		})
	}
	return append(cases, badCase{
		row: 61, name: "its own window", want: "1/1/0x00", idle: true, oldest: []hca.Status{hca.StatusOK},
		data: func(x *exchange) []byte {
			stag, _ := x.window(hca.EndpointWindow)
			x.may(x.m().all, 0, 5)
			x.may(x.m().recv, 0, 5)
			x.p.write(write(stag, x.m().all.to(0), "valid"), sendInv(iwarp.OpSendInv, stag, 1, 0, "hello", true))
			if wc := x.e.received(); wc.Op != hca.OpRecvInvalidate || iwarp.STag(wc.RKey) != stag {
				x.t.Errorf("the receive says %+v, want key %#x", wc, stag)
			}
			x.m().holds(x.t, x.m().all.span(0, 5), "valid")
			return write(stag, x.m().all.to(0), "stale")
		},
		check: func(x *exchange, _ ending) { x.m().holds(x.t, x.m().all.span(0, 5), "valid") },
	}, badCase{
		// A Write between two segments of a Send is unusual, but it shows the reaction.
		row: 62, name: "on a middle segment", want: "close", idle: true, fin: true,
		data: func(x *exchange) []byte {
			stag, w := x.window(hca.EndpointWindow)
			x.may(x.m().all, 0, 5)
			x.may(x.m().recv, 0, 64)
			x.t.Cleanup(func() { stillBound(x, w) })
			return slices.Concat(sendInv(iwarp.OpSendInv, stag, 1, 0, "hello", false), write(stag, x.m().all.to(0), "valid"))
		},
		check: func(x *exchange, _ ending) { x.m().holds(x.t, x.m().all.span(0, 5), "valid") },
	})
}

// stillBound runs when the endpoint is gone and its memory could not be closed.
func stillBound(x *exchange, w hca.MW) {
	if err := x.m().all.Close(); !errors.Is(err, hca.InUse) {
		x.t.Errorf("closing the region: %v, want that a window is bound to it", err)
	}
	if err := w.Close(); err != nil {
		x.t.Error(err)
	}
	if err := x.m().all.Close(); err != nil {
		x.t.Error(err)
	}
}
