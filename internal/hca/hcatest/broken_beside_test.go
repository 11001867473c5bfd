package hcatest_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// inUse makes an error of a close into none.
func inUse(err error) error {
	if errors.Is(err, hca.InUse) {
		return nil
	}
	return err
}

var brokenBeside = []broken{
	{"says that a domain is closed that is in use", func() *defect {
		return &defect{pdClose: func(p hca.PD) error { return inUse(p.Close()) }}
	}, []string{"beside Close/of a domain | a domain was closed with something in it"}},
	{"says that a queue is closed that is in use", func() *defect {
		return &defect{cqClose: func(q hca.CQ) error { return inUse(q.Close()) }}
	}, []string{"beside Close/of a completion queue | was closed with a queue pair on it"}},
	{"closes no window", func() *defect {
		return &defect{mwClose: func(hca.MW) error { return nil }}
	}, []string{"beside Close/of a window | MR.Close: "}},
	{"closes a window later", func() *defect {
		return &defect{mwClose: func(w hca.MW) error {
			time.AfterFunc(50*time.Millisecond, func() { w.Close() })
			return nil
		}}
	}, []string{"beside Close/of a window | MR.Close: "}},
	{"keeps the receives of a connect that is given up", dropEvery(1, func(wc hca.WC) bool {
		return wc.Status == hca.StatusFlushed && wc.Op.IsRecv()
	}), []string{"beside Close/of a connection that is given up, its refusal | receive: no entry", "beside Close/of a connection that is given up, it is accepted | receive: no entry"}},
	{"takes a connect that is given up for a silent host", recode(hca.Canceled, hca.Unreachable), []string{
		"beside Close/of a connection that is given up, its refusal | code unreachable",
		"beside Close/of a connection that is given up, it is accepted | code unreachable",
	}},
	{"reports no end of what was given up", tells(func(ev hca.ConnEvent, tell func(hca.ConnEvent)) {
		if !terminal(ev) {
			tell(ev)
		}
	}), []string{"beside Close/of a connection that is given up, it is accepted | terminal event"}},
}

// mixer has goroutines that call at the same time use each other's arguments.
type mixer[T any] struct{ last atomic.Pointer[T] }

func (m *mixer[T]) mix(v T) T {
	m.last.Store(&v)
	runtime.Gosched()
	return *m.last.Load()
}

var brokenConcurrency = []broken{
	{"mixes requests up that are posted at once", func() *defect {
		var m mixer[hca.SendWR]
		return &defect{post: func(qp hca.QP, wr hca.SendWR) error { return qp.PostSend(m.mix(wr)) }}
	}, []string{"concurrency/several goroutines post on | of goroutine"}},
	{"mixes receives up that are posted at once", func() *defect {
		var m mixer[hca.RecvWR]
		return &defect{postRecv: func(qp hca.QP, wr hca.RecvWR) error { return qp.PostRecv(m.mix(wr)) }}
	}, []string{"concurrency/several goroutines post receives | of goroutine"}},
	{"takes one request at a time", func() *defect {
		var inside atomic.Int64
		return &defect{post: func(qp hca.QP, wr hca.SendWR) error {
			defer inside.Add(-1)
			if n := inside.Add(1); n > 1 {
				return hca.NewError(hca.State, "post", "", "")
			}
			runtime.Gosched()
			return qp.PostSend(wr)
		}}
	}, []string{"concurrency/several goroutines post on | PostSend: "}},
	{"makes the domains of goroutines one", func() *defect { return &defect{onePD: true} },
		[]string{"concurrency/objects come and go | Close: "}},
	{"makes regions one at a time", func() *defect {
		var n atomic.Int64
		return &defect{
			made: func(hca.MR) { n.Add(1); runtime.Gosched() },
			mrClose: func(m hca.MR) error {
				if n.Add(-1) > 2 { // the mail of both ends is open
					return hca.NewError(hca.State, "close", "region", "")
				}
				return m.Close()
			},
		}
	}, []string{"concurrency/objects come and go | Close: "}},
}
