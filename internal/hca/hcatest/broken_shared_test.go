package hcatest_test

import (
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

// srq is a shared receive queue with a defect.
type srq struct {
	hca.SRQ
	d *sharedDefect
}

type sharedDefect struct {
	post   func(q hca.SRQ, wr hca.RecvWR) error
	counts func(available, outstanding int) (int, int)
	close  func(q hca.SRQ) error
}

func (q *srq) PostRecv(wr hca.RecvWR) error {
	if q.d.post != nil {
		return q.d.post(q.SRQ, wr)
	}
	return q.SRQ.PostRecv(wr)
}

func (q *srq) Counts() (available, outstanding int) {
	available, outstanding = q.SRQ.Counts()
	if q.d.counts != nil {
		return q.d.counts(available, outstanding)
	}
	return available, outstanding
}

func (q *srq) Close() error {
	if q.d.close != nil {
		return q.d.close(q.SRQ)
	}
	return q.SRQ.Close()
}

func shares(d sharedDefect) func() *defect {
	return func() *defect { return &defect{shared: &d} }
}

var brokenShared = []broken{
	{"takes more shared receives than the queue holds", shares(sharedDefect{post: func(q hca.SRQ, wr hca.RecvWR) error {
		if err := q.PostRecv(wr); !errors.Is(err, hca.QueueFull) {
			return err
		}
		return nil
	}}), []string{"shared receives/the queue takes what was asked for"}},
	{"forgets later segments of shared receives", shares(sharedDefect{post: func(q hca.SRQ, wr hca.RecvWR) error {
		wr.More = nil
		return q.PostRecv(wr)
	}}), []string{"shared receives/keep their segments"}},
	{"counts used shared receives as available", shares(sharedDefect{counts: func(_, outstanding int) (int, int) {
		return outstanding, outstanding
	}}), []string{"shared receives/are counted"}},
	{"closes a shared queue that is in use", shares(sharedDefect{close: func(hca.SRQ) error { return nil }}),
		[]string{"objects/a shared receive queue cannot be closed"}},
}
