package verbs

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// The opcode of an operation without one would be that of a write, which is 0.
func TestEveryRequestHasTheOpcodeThatTheTableNames(t *testing.T) {
	named := map[string]ibv.WROpcode{
		"IBV_WR_SEND": ibv.WRSend, "IBV_WR_SEND_WITH_INV": ibv.WRSendWithInv, "IBV_WR_SEND_WITH_IMM": ibv.WRSendWithImm,
		"IBV_WR_RDMA_WRITE": ibv.WRRDMAWrite, "IBV_WR_RDMA_WRITE_WITH_IMM": ibv.WRRDMAWriteWithImm, "IBV_WR_RDMA_READ": ibv.WRRDMARead,
		"IBV_WR_ATOMIC_FETCH_AND_ADD": ibv.WRAtomicFetchAndAdd, "IBV_WR_ATOMIC_CMP_AND_SWP": ibv.WRAtomicCmpAndSwp, "IBV_WR_BIND_MW": ibv.WRBindMW,
	}
	for op := hca.OpNone + 1; op < hca.OpRecv; op++ {
		name := ops.Of(op).Verbs
		want, known := named[name]
		if !known {
			t.Errorf("%v is %q, which this test does not know", op, name)
		} else if int(op) >= len(opcodes) || opcodes[op] != want {
			t.Errorf("%v does not become %s", op, name)
		}
	}
}
