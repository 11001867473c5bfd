package hcatest_test

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

var brokenRequests = []broken{
	{"does not tell that a peer has given up", func() *defect {
		return &defect{leave: func(hca.Leaver, func()) {}}
	}, []string{"requests/a peer that gives up | word that the peer has given up: nothing"}},
	{"does not tell that a peer had given up", func() *defect {
		var asked sync.Map // requests
		return &defect{leave: func(l hca.Leaver, f func()) {
			if _, again := asked.LoadOrStore(l, nil); !again {
				l.OnLeave(f)
			}
		}}
	}, []string{"requests/a peer that gives up | word that it had: nothing"}},
	{"accepts for a peer that has given up", func() *defect {
		return &defect{accept: func(ctx context.Context, r hca.ConnRequest, qp hca.QP, p hca.ConnParams) error {
			_ = r.Accept(ctx, qp, p)
			return nil
		}}
	}, []string{"requests/a peer that gives up | was accepted"}},
	{"takes an accept for a peer that gives up", func() *defect {
		var tell sync.Map
		return &defect{
			leave: func(l hca.Leaver, f func()) { tell.Store(l, f); l.OnLeave(f) },
			accept: func(ctx context.Context, r hca.ConnRequest, qp hca.QP, p hca.ConnParams) error {
				err := r.Accept(ctx, qp, p)
				if f, ok := tell.Load(r); ok {
					f.(func())()
				}
				return err
			},
		}
	}, []string{"requests/a peer that waits | (accepted: true) is said to have given up"}},
	{"takes a reject for a peer that gives up", func() *defect {
		var tell sync.Map
		return &defect{
			leave: func(l hca.Leaver, f func()) { tell.Store(l, f); l.OnLeave(f) },
			reject: func(r hca.ConnRequest, private []byte) error {
				err := r.Reject(private)
				if f, ok := tell.Load(r); ok {
					f.(func())()
				}
				return err
			},
		}
	}, []string{"requests/a peer that waits | (accepted: false) is said to have given up"}},

	{"gives a peer's private data to another request", func() *defect {
		var last atomic.Pointer[[]byte]
		return &defect{private: func(r hca.ConnRequest) []byte {
			b := r.Private()
			if old := last.Swap(&b); old != nil {
				return *old
			}
			return b
		}}
	}, []string{"crowd/many peers | is there twice"}},
	{"gives an answer to another peer", func() *defect {
		return &defect{accept: func(ctx context.Context, r hca.ConnRequest, qp hca.QP, p hca.ConnParams) error {
			if len(p.Private) == 8 {
				n := binary.BigEndian.Uint64(p.Private)
				p.Private = binary.BigEndian.AppendUint64(nil, n^1)
			}
			return r.Accept(ctx, qp, p)
		}}
	}, []string{"crowd/many peers | was answered for peer"}},
	{"connects a peer to the queue pair of another", func() *defect {
		var mu sync.Mutex
		var first *waitingAccept
		return &defect{accept: func(ctx context.Context, r hca.ConnRequest, qp hca.QP, p hca.ConnParams) error {
			w := &waitingAccept{qp: qp, other: make(chan hca.QP, 1)}
			mu.Lock()
			before := first
			if first = w; before != nil {
				first = nil
				before.other <- qp
				w.other <- before.qp
			}
			mu.Unlock()
			return r.Accept(ctx, <-w.other, p)
		}}
	}, []string{"crowd/many peers | message: byte 0"}},
	{"uses something up with each connection", func() *defect {
		var n atomic.Int64
		return &defect{connect: func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
			if n.Add(1) > 90 {
				return hca.NewError(hca.Resources, "connect", address, "")
			}
			return qp.Connect(ctx, address, p)
		}}
	}, []string{"crowd/connections come and go | Connect: "}},
	{"keeps the queues of connections that were closed", func() *defect {
		var n atomic.Int64
		return &defect{cqClose: func(q hca.CQ) error {
			if n.Add(1) > 100 {
				return hca.NewError(hca.InUse, "close", "completion queue", "")
			}
			return q.Close()
		}}
	}, []string{"crowd/connections come and go | CQ.Close: "}},
}

type waitingAccept struct {
	qp    hca.QP
	other chan hca.QP
}
