package verbs

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// TestSignaledOnSiw: every suppressed request that siw would send without a copy is signaled. Other suppressed
// requests are not, behind one that is. TestMemoryIsFreeAgain of rdma/interop shows why, between two hosts.
func TestSignaledOnSiw(t *testing.T) {
	for _, c := range []struct {
		siw  bool
		size uint64
		want bool
	}{{false, pageSize, false}, {true, pageSize - 1, false}, {true, pageSize, true}, {true, 1 << 20, true}} {
		q := &qp{ad: &adapter{siw: c.siw}}
		q.send.init(q, 16)
		q.send.note(q.send.add(0, sendRec{len: 8, op: hca.OpWrite}), 0)
		for _, op := range []hca.Op{hca.OpWrite, hca.OpSend} {
			if got := q.send.add(1, sendRec{len: c.size, op: op, flags: hca.Suppress}).signaled; got != c.want {
				t.Errorf("siw %v: %v of %d bytes: signaled %v, want %v", c.siw, op, c.size, got, c.want)
			}
		}
	}
}
