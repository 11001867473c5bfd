package verbs

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/room"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// The device gives the number of a queue pair that it has just destroyed to the next one. A shared receive of the former
// one, whose completion is still in the device's queue, stays that one's.
func TestNumberIsUsedAgain(t *testing.T) {
	const number = 7
	attr := ibv.QPInitAttr{}
	var made ibv.QP
	lib, release := ibv.Serve(func(name string) ibv.Func {
		return func(a [5]uintptr) (uintptr, ibv.Errno) {
			if name == "rdma_create_qp" {
				ibv.ID(a[0]).SetQP(made)
			}
			return 0, 0
		}
	})
	defer release()
	var held []ibv.WC // by the device's queue
	dev := &device{lib: lib}
	ctx, free := ibv.NewContext(0, -1, ibv.Driver{PollCQ: func(a [5]uintptr) (uintptr, ibv.Errno) {
		n := copy(ibv.View[ibv.WC](a[2], int(a[1])), held)
		held = held[n:]
		return uintptr(n), 0
	}})
	defer free()
	defer ibv.FreeObject(ctx)
	dev.ctx, dev.ops = ctx, ctx.Ops()
	domain := ibv.NewPD(ctx)
	defer ibv.FreeObject(domain)
	made = ibv.NewQP(domain, &attr, number)
	defer ibv.FreeObject(made)
	id := ibv.NewID(0, 0, ibv.PortSpaceTCP)
	defer ibv.FreeObject(id)

	a := &adapter{lib: lib, dev: dev, byQP: map[ibv.QP]*qp{}, byNumber: map[uint32]*qp{}}
	woken := make(chan bool, 2)
	c := &cq{ad: a, h: ibv.CQ(1), frame: ibv.Frame{Ops: dev.ops}, room: room.NewPool(8), armed: true,
		counted: true, cfg: hca.CQConfig{Notify: func() { woken <- true }}}
	a.cqEvents = &cqEvents{ad: a}
	var err error
	if c.wcs, err = ibv.NewArray[ibv.WC](batch); err != nil {
		t.Fatal(err)
	}
	defer c.wcs.Free()
	p := &pd{ad: a, h: domain}
	s := &srq{pd: p, ad: a, recs: []recvRec{{id: 100}}}
	s.index = a.table.put(nil, s)
	s.posted.Store(1)
	s.unpolled.Store(1)
	queuePair := func(owner int) *qp {
		q := &qp{ad: a, pd: p, scq: c, rcq: c, srq: s, cfg: hca.QPConfig{Owner: owner}, id: &cmID{ID: id}}
		q.send.init(q, 8)
		if err := q.recv.init(q, 0, 1); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.recv.free)
		return q
	}
	former, next := queuePair(1), queuePair(2)
	former.recv.open, former.num = true, number // its queue pair of the device is gone
	a.byNumber[number] = former
	held = []ibv.WC{{ID: uint64(idShared | wrID(s.index)<<32), Opcode: ibv.WCRecv, QPNum: number, ByteLen: 5}}

	if err := next.make("Connect", "peer"); err != nil {
		t.Fatal(err)
	}
	a.ends.Wait()
	former.flush()
	former.forget()
	var wcs [2]hca.WC
	if n := c.Poll(wcs[:]); n != 1 || wcs[0].Owner != 1 || wcs[0].ID != 100 || len(next.recv.held) != 0 {
		t.Errorf("%d entries, the first is %+v; the new queue pair holds %d", n, wcs[0], len(next.recv.held))
	}
	if len(woken) != 1 {
		t.Errorf("the consumer was woken %d times", len(woken))
	}
	if a.findQP(made) != next || a.qpByNumber(number) != next {
		t.Error("the new queue pair is not found")
	}
}
