package rdma

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Of each kind, logEach messages of a second are logged, and how many more there were.
const (
	logEach  = 10
	logEvery = time.Second
)

// Kinds of messages about connections.
const (
	logMade = iota
	logLost
	logRefused
	logKinds
)

var logTexts = [logKinds]struct{ one, more string }{
	logMade:    {"rdma: connection established", "rdma: more connections established"},
	logLost:    {"rdma: connection lost", "rdma: more connections lost"},
	logRefused: {"rdma: connection refused", "rdma: more connections refused"},
}

// connLog logs connections that were made, lost and refused, at Info, and not more than an operator can read.
type connLog struct {
	log *slog.Logger

	mu     sync.Mutex
	timer  *time.Timer // ends the present second; nil: none
	round  sync.WaitGroup
	counts [logKinds]int
	closed bool
}

// tell logs one message, or counts it. attrs is called only if it is logged.
func (l *connLog) tell(kind int, attrs func() []slog.Attr) {
	ctx := context.Background()
	if !l.log.Enabled(ctx, slog.LevelInfo) || !l.admit(kind) {
		return
	}
	l.log.LogAttrs(ctx, slog.LevelInfo, logTexts[kind].one, attrs()...)
}

// admit counts a message, and reports whether it is one of the first of its second.
func (l *connLog) admit(kind int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil && !l.closed {
		l.round.Add(1)
		l.timer = time.AfterFunc(logEvery, func() {
			defer l.round.Done()
			l.rest()
		})
	}
	l.counts[kind]++
	return l.counts[kind] <= logEach
}

// close logs the rest.
func (l *connLog) close() {
	l.mu.Lock()
	l.closed = true
	if l.timer != nil && l.timer.Stop() {
		l.round.Done()
	}
	l.mu.Unlock()
	l.round.Wait()
	l.rest()
}

// rest ends a second: it logs how many messages there were beyond those that were logged. The lock is not held
// meanwhile: a logger may take long.
func (l *connLog) rest() {
	l.mu.Lock()
	l.timer = nil
	counts := l.counts
	l.counts = [logKinds]int{}
	l.mu.Unlock()
	for kind, n := range counts {
		if n > logEach {
			l.log.LogAttrs(context.Background(), slog.LevelInfo, logTexts[kind].more, slog.Int("connections", n-logEach))
		}
	}
}

// attrs describe a connection for the log.
func (c *Conn) attrs(more ...slog.Attr) []slog.Attr {
	return append([]slog.Attr{slog.String("adapter", c.ep.adapter.name), slog.Int("endpoint", c.ep.Number()),
		slog.String("path", c.info.Path), slog.String("local", c.info.Local), slog.String("peer", c.info.Remote)}, more...)
}

// logMade and logLost tell of an established connection and of a broken one.
func (c *Conn) logMade() { c.ep.adapter.conns.tell(logMade, func() []slog.Attr { return c.attrs() }) }

func (c *Conn) logLost(cause *Error) {
	c.ep.adapter.conns.tell(logLost, func() []slog.Attr {
		all := c.attrs(slog.String("cause", cause.Error())) // %+v would have the events, too
		if cause.Flight != nil {
			all = append(all, slog.Any("flight", cause.Flight))
		}
		return all
	})
}

// refusedBelow tells of a request that the software or the device below has refused.
func (a *Adapter) refusedBelow(peer string, cause error) {
	a.logRefused(func() string { return peer }, cause)
}

// logRefused tells of a connection that was not made.
func (a *Adapter) logRefused(peer func() string, cause error) {
	a.conns.tell(logRefused, func() []slog.Attr {
		return []slog.Attr{slog.String("adapter", a.name), slog.String("peer", peer()), slog.Any("cause", cause)}
	})
}
