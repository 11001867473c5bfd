package ping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// ping is the client, from beginning to end.
func (opt *options) ping(ctx context.Context, adapter *rdma.Adapter) error {
	zone, err := adapter.NewZone()
	if err != nil {
		return err
	}
	// The server reads from source and writes to sink. It may do that and nothing
	// else, and only as long as these regions exist.
	from, err := zone.Alloc(opt.size, mem.LocalRead|mem.RemoteRead)
	if err != nil {
		return err
	}
	to, err := zone.Alloc(opt.size, mem.Local|mem.RemoteWrite)
	if err != nil {
		return err
	}
	source, sink := from.Slice(0, opt.size), to.Slice(0, opt.size) // a region is whole pages
	l, err := newLine(adapter, zone)
	if err != nil {
		return err
	}
	opt.say("connecting to %s", opt.address)
	if l.conn, err = l.Connect(ctx, opt.address, rdma.ConnConfig{}); err != nil {
		return err
	}
	defer l.conn.Close()
	opt.say("connected, path %s", l.conn.Path())

	last, done := lasting(ctx, lastPing)
	defer done()
	var times tally
	for n := 0; (opt.count == 0 || n < opt.count) && ctx.Err() == nil; n++ {
		fillPing(source.Bytes(), n)
		clear(sink.Bytes())
		began := time.Now()
		if err := opt.once(last, l, source, sink); err != nil {
			if ctx.Err() != nil {
				break // interrupted: that is how an endless run ends
			}
			return fmt.Errorf("ping %d: %w", n, hint(err))
		}
		times.add(time.Since(began))
		if opt.validate {
			if err := differ(sink.Bytes(), source.Bytes()); err != nil {
				return fmt.Errorf("ping %d came back damaged: %w", n, err)
			}
		}
		if opt.verbose {
			if _, err := fmt.Fprintf(opt.out, "ping data: %s\n", shown(sink.Bytes())); err != nil {
				return err
			}
		}
	}
	_, unwritten := fmt.Fprintf(opt.out, "%d pings of %d bytes to %s, path %s%s%s\n", times.n, opt.size, opt.address, l.conn.Path(), checked(opt.validate), &times)
	err = opt.leave(l)
	switch {
	case unwritten != nil:
		return unwritten
	case times.n < opt.count:
		return context.Cause(ctx) // interrupted before the end
	case opt.count == 0:
		return nil // whether the peer hears of it or not: a peer that stands still may be why there was an interrupt
	}
	return err
}

// lastPing is how long the ping under way may take behind an interrupt: a server that is reading the source, or about to,
// would find the connection broken.
const lastPing = 500 * time.Millisecond

// lasting is ctx, but ends so much later.
func lasting(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(by):
			cancel()
		case <-later.Done():
		}
	})
	return later, func() { stop(); cancel() }
}

// once has the server read the source and write it to the sink.
func (opt *options) once(ctx context.Context, l *line, source, sink mem.Slice) error {
	opt.say("source is %v", source.Remote())
	if err := l.sendAd(ctx, source.Remote()); err != nil {
		return err
	}
	if _, err := l.receive(ctx); err != nil {
		return err
	}
	opt.say("the server has read it; sink is %v", sink.Remote())
	if err := l.sendAd(ctx, sink.Remote()); err != nil {
		return err
	}
	if _, err := l.receive(ctx); err != nil {
		return err
	}
	opt.say("the server has written it")
	return nil
}

// leave says goodbye. It does so although the run may have been interrupted.
func (opt *options) leave(l *line) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	opt.say("leaving")
	return l.conn.Shutdown(ctx)
}

// hint adds what usually is behind a connection that the server has ended.
func hint(err error) error {
	if errors.Is(err, rdma.ErrDisconnected) || errors.Is(err, rdma.ErrBroken) {
		return fmt.Errorf("%w (a server takes no pings that are longer than its own -S)", err)
	}
	return err
}

func checked(yes bool) string {
	if yes {
		return ", each compared"
	}
	return ""
}

// tally sums round trips up.
type tally struct {
	n           int
	least, most time.Duration
	sum         time.Duration
}

func (t *tally) add(d time.Duration) {
	if t.n == 0 || d < t.least {
		t.least = d
	}
	t.most = max(t.most, d)
	t.sum += d
	t.n++
}

func (t *tally) String() string {
	if t.n == 0 {
		return ""
	}
	r := func(d time.Duration) time.Duration { return d.Round(100 * time.Nanosecond) }
	return fmt.Sprintf("; least %v, mean %v, most %v", r(t.least), r(t.sum/time.Duration(t.n)), r(t.most))
}
