package dat

import (
	"testing"

	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/rdma"
)

func TestEveryOperationHasTheNameThatTheTableGives(t *testing.T) {
	none := rdma.Op(255).String()
	for op := rdma.OpSend; op.String() != none; op++ {
		if int(op) >= len(operations) {
			t.Fatalf("%v has no operation of uDAPL", op)
		}
		if got, want := operations[op].op.String(), ops.Of(op).DAT; got != want {
			t.Errorf("%v is told as %s; the table says %s", op, got, want)
		}
	}
}
