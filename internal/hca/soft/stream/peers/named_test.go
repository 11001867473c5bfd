package peers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestRefusedOperation: the error of a connection that this side breaks, because it cannot do what the peer asks for, names
// the operation, and does not say that the peer violates the protocol.
func TestRefusedOperation(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	atomic := func(op iwarp.AtomicOp) func(x *exchange) []byte {
		return func(x *exchange) []byte {
			return iwarp.AppendAtomicRequest(nil, 1, &iwarp.AtomicRequest{Op: op, STag: x.m().all.stag(), TO: iwarp.TO(x.m().all.to(1))}, true)
		}
	}
	const ofReceive = hca.StatusLocalProtection
	for name, c := range map[string]struct {
		data   func(x *exchange) []byte
		op     hca.Op
		status hca.Status
		ours   hca.Status // of the receive
	}{
		"a message too long": {func(x *exchange) []byte { return send(1, strings.Repeat("x", 17)) }, hca.OpSend, hca.StatusRemoteInvalid, hca.StatusLocalLength},
		"memory of a receive": {func(x *exchange) []byte {
			_ = x.m().recv.Close()
			return send(1, "hello")
		}, hca.OpSend, hca.StatusRemoteOp, ofReceive},
		"an unknown key": {func(x *exchange) []byte { return sendInv(iwarp.OpSendInv, 0x12345, 1, 0, "", true) }, hca.OpSend, hca.StatusRemoteAccess, ofReceive},
		"a region's key": {func(x *exchange) []byte {
			return sendInv(iwarp.OpSendInv, x.m().all.stag(), 1, 0, "", true)
		}, hca.OpSend, hca.StatusRemoteAccess, ofReceive},
		"fetch-add, not aligned":    {atomic(iwarp.AtomicFetchAdd), hca.OpFetchAdd, hca.StatusRemoteInvalid, hca.StatusFlushed},
		"compare-swap, not aligned": {atomic(iwarp.AtomicCompareSwap), hca.OpCompareSwap, hca.StatusRemoteInvalid, hca.StatusFlushed},
		"a read that is withdrawn": {func(x *exchange) []byte {
			k := newStuck(x.t, s, x.p)
			x.p.write(k.request(1), k.request(2))
			s.jammed(x.t, x.p)
			_ = k.Close()
			return nil
		}, hca.OpRead, hca.StatusRemoteAccess, hca.StatusFlushed},
	} {
		for _, r := range ownRoles {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				e.ledger.allow(e.recv(16), c.ours)
				p.write(c.data(&exchange{t, e, p}))
				p.end()
				err := e.over(hca.EventBroken)
				var told *hca.Error
				if !errors.As(err, &told) || told.Refused != c.op || told.Status != c.status || strings.Contains(err.Error(), "not iWARP") {
					t.Errorf("%v: refused %v (%v), want %v (%v)", err, told.Refused, told.Status, c.op, c.status)
				}
			})
		}
	}
	s.bystander(t)
}
