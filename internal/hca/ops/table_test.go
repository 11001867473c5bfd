package ops_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
)

// all lists the operations that package status names.
func all() (list []hca.Op) {
	none := hca.Op(255).String()
	for op := hca.OpNone + 1; op.String() != none; op++ {
		list = append(list, op)
	}
	return list
}

func TestEveryOperationHasARow(t *testing.T) {
	if n := len(all()); n != int(hca.OpRecvWriteImm) {
		t.Errorf("%d operations have names, and the last one is number %d", n, hca.OpRecvWriteImm)
	}
	for _, op := range all() {
		if r := ops.Of(op); r.Verbs == "" || r.DAT == "" {
			t.Errorf("%v has no row, or one without names: %+v", op, *r)
		}
	}
	for _, op := range []hca.Op{hca.OpNone, hca.OpRecvWriteImm + 1, 255} {
		if r := ops.Of(op); *r != (ops.Row{}) || ops.Posted(op) || ops.HasResponse(op) {
			t.Errorf("%d is no operation, and has a row: %+v", op, *r)
		}
	}
}

func TestRowsAgreeWithEachOther(t *testing.T) {
	verbs := map[string]hca.Op{}
	for _, op := range all() {
		r := ops.Of(op)
		if ops.HasResponse(op) != r.Response {
			t.Errorf("HasResponse(%v) is not what its row says", op)
		}
		if ops.Posted(op) == op.IsRecv() {
			t.Errorf("%v is a request and a receive, or neither", op)
		}
		if first, twice := verbs[r.Verbs]; twice && ops.Posted(op) {
			t.Errorf("%v and %v are both %s", first, op, r.Verbs)
		}
		verbs[r.Verbs] = op
		if d := r.Delivers; d != hca.OpNone {
			at := ops.Of(d)
			if !d.IsRecv() || at.Imm != r.Imm || at.Key != r.Key {
				t.Errorf("%v carries other things than the %v that it completes", op, d)
			}
			if (at.Local == 0) != (r.Remote != 0) {
				t.Errorf("%v fills memory under a key and that of a receive, or neither", op)
			}
		}
		if r.Response && (r.Local != hca.LocalWrite || r.Delivers != hca.OpNone) {
			t.Errorf("%v has a response and nowhere to put it, or consumes a receive too", op)
		}
		if op.IsRecv() && (r.Remote != 0 || r.Response || r.Delivers != hca.OpNone) {
			t.Errorf("%v is a receive, and its row says what only requests do", op)
		}
	}
}
