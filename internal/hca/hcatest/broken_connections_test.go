package hcatest_test

import (
	"context"
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

// connects makes a defect of QP.Connect.
func connects(f func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error) func() *defect {
	return func() *defect { return &defect{connect: f} }
}

// recode changes the code of errors that Connect returns.
func recode(from, to hca.Code) func() *defect {
	return connects(func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
		err := qp.Connect(ctx, address, p)
		var e *hca.Error
		if errors.As(err, &e) && e.Code == from {
			other := *e
			other.Code = to
			return &other
		}
		return err
	})
}

var brokenConnections = []broken{
	{"cuts private data off", connects(func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
		p.Private = p.Private[:min(len(p.Private), 100)]
		return qp.Connect(ctx, address, p)
	}), []string{"private data/of every length", "private data/over the maximum"}},
	{"pads private data", connects(func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
		if n := len(p.Private); n > 0 && n < 100 {
			p.Private = append(p.Private[:n:n], 0)
		}
		return qp.Connect(ctx, address, p)
	}), []string{"private data/of every length"}},
	{"loses the word of a rejection", connects(func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
		err := qp.Connect(ctx, address, p)
		var e *hca.Error
		if errors.As(err, &e) {
			e.Private = nil
		}
		return err
	}), []string{"private data/of a rejection"}},
	{"takes a rejection for a refusal", recode(hca.Rejected, hca.Refused), []string{"private data/of a rejection", "connect/a request is answered once"}},
	{"takes a refusal for a rejection", recode(hca.Refused, hca.Rejected), []string{"refusal/nobody listening", "refusal/a full backlog"}},
	{"takes a bad address for a silent host", recode(hca.BadAddress, hca.Unreachable), []string{"refusal/a malformed address"}},
	{"takes a deadline for a cancellation", recode(hca.Timeout, hca.Canceled), []string{"cancellation/a deadline"}},
	{"gives bare errors", connects(func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
		if err := qp.Connect(ctx, address, p); err != nil {
			return errors.New(err.Error())
		}
		return nil
	}), []string{"refusal/nobody listening", "cancellation/a cancelled context ends Connect"}},
	{"listens to no context", connects(func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
		return qp.Connect(context.WithoutCancel(ctx), address, p)
	}), []string{"cancellation/a cancelled context ends Connect"}},
	{"connects twice", connects(func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error {
		if err := qp.Connect(ctx, address, p); !errors.Is(err, hca.State) {
			return err
		}
		return nil
	}), []string{"connect/a second connect", "connect/of two connects"}},
	{"is never graceful", func() *defect {
		return &defect{graceful: func(bool) bool { return false }}
	}, []string{"graceful disconnect/drives what was posted"}},
	{"is always graceful", func() *defect {
		return &defect{graceful: func(bool) bool { return true }}
	}, []string{"graceful disconnect/is cut short"}},
	{"claims to have no atomics", func() *defect {
		return &defect{attr: func(a *hca.Attr) { a.Caps &^= hca.CapAtomics }}
	}, []string{"attributes/what is no capability"}},
	{"claims to have no windows", func() *defect {
		return &defect{attr: func(a *hca.Attr) { a.Caps &^= hca.CapZoneWindows }}
	}, []string{"attributes/what is no capability"}},
	{"claims less than it has", func() *defect {
		return &defect{attr: func(a *hca.Attr) { a.MaxSendWR, a.MaxCQE = 100, 100 }}
	}, []string{"limits/what is over a limit"}},
	{"waits for no receive", func() *defect {
		return &defect{options: func(o *hca.Options) { o.ReceiveWait = -1 }}
	}, []string{"receiver not ready/a receive posted in time"}},
	{"waits for receives for ever", func() *defect {
		return &defect{options: func(o *hca.Options) { o.ReceiveWait = 1 << 60 }}
	}, []string{"receiver not ready/without a receive", "receiver not ready/without a wait"}},
	{"keeps a queue pair that was closed", func() *defect {
		return &defect{qpClose: func(hca.QP) error { return nil }}
	}, []string{"close/of an unconnected", "close/stops every access", "objects/a completion queue"}},
}
