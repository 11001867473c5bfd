package soft

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

func Dump(x hca.Adapter) {
	a := x.(*adapter)
	fmt.Printf("adapter %p engine waiting %d workers %d closed %v\n", a, a.engine.waiting.Load(), a.engine.workers, a.engine.closed)
	for o := range a.objects {
		if q, ok := o.(*qp); ok {
			fmt.Printf("qp %p state %d gate %#x sq %d %d %d inbox %d curOn %v stall %v %v held %v mark %v sent %d left %d rq len %d used %d missing %v flush %+v\n", q, q.state.Load(), q.tx.word.Load(), q.sq.head, q.sq.next, q.sq.tail, q.inbox.n.Load(), q.curOn, q.stall.on, q.stall.deadline, q.held, q.mark.Load(), q.sent.Load(), q.left.Load(), q.rq.len(), q.rq.used.Load(), q.rq.missing.Load(), q.flush)
			for i := q.sq.head; i != q.sq.tail; i++ {
				fmt.Printf("   %+v\n", *q.sq.at(i))
			}
		}
		if c, ok := o.(*cq); ok {
			r := c.headRing.Load()
			fmt.Printf("cq %p shared %v armed %v dead %v head %d tail %d\n", c, c.shared.Load(), c.armed.Load(), c.dead.Load(), r.head.Load(), r.tail.Load())
		}
	}
}
