package rdma

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

const (
	// logRoom is how many messages wait for the program's handler.
	logRoom = 256
	// logPatience bounds how long Close waits for a handler.
	logPatience = time.Second
)

// A logQueue takes messages for the program's handler from wherever the library logs, often with a lock or a gate held.
// A goroutine passes them on, so a handler may wait, and may call the library. There is one only while there are
// messages.
type logQueue struct {
	adapter string
	handler slog.Handler // as the program has it

	mu      sync.Mutex
	waiting []logEntry
	dropped int
	idle    chan struct{} // closed when the goroutine ends; nil: there is none
}

type logEntry struct {
	ctx     context.Context
	handler slog.Handler
	record  slog.Record
}

// queued returns a logger that writes to the program's one. A nil log drops everything.
func queued(adapter string, log *slog.Logger) (*slog.Logger, *logQueue) {
	if log == nil {
		return slog.New(slog.DiscardHandler), nil
	}
	q := &logQueue{adapter: adapter, handler: log.Handler()}
	return slog.New(&logHandler{q, q.handler}), q
}

func (q *logQueue) put(e logEntry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == logRoom {
		q.dropped++
		return
	}
	q.waiting = append(q.waiting, e)
	if q.idle == nil {
		idle := make(chan struct{})
		q.idle = idle
		go hca.Labeled(q.adapter, "log", func() { q.passOn(idle) })()
	}
}

// passOn is the goroutine.
func (q *logQueue) passOn(idle chan struct{}) {
	defer close(idle)
	for {
		all, dropped := q.take()
		if all == nil {
			return
		}
		for _, e := range all {
			_ = e.handler.Handle(e.ctx, e.record)
		}
		if ctx := context.Background(); dropped > 0 && q.handler.Enabled(ctx, slog.LevelWarn) {
			r := slog.NewRecord(time.Now(), slog.LevelWarn, "rdma: messages were dropped, since the log's handler is slow", 0)
			r.AddAttrs(slog.String("adapter", q.adapter), slog.Int("messages", dropped))
			_ = q.handler.Handle(ctx, r)
		}
	}
}

// take takes all that waits. If that is nothing, the goroutine ends.
func (q *logQueue) take() (all []logEntry, dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all, dropped = q.waiting, q.dropped
	q.waiting, q.dropped = nil, 0
	if all == nil {
		q.idle = nil
	}
	return all, dropped
}

// flush waits until everything is written, for a bounded time: the handler may hang, or have called Close itself.
func (q *logQueue) flush() {
	if q == nil {
		return
	}
	q.mu.Lock()
	idle := q.idle
	q.mu.Unlock()
	if idle == nil {
		return
	}
	patience := time.NewTimer(logPatience)
	defer patience.Stop()
	select {
	case <-idle:
	case <-patience.C:
	}
}

// logHandler is the handler of the library's loggers.
type logHandler struct {
	q *logQueue
	h slog.Handler
}

func (l *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return l.h.Enabled(ctx, level)
}

func (l *logHandler) Handle(ctx context.Context, r slog.Record) error {
	l.q.put(logEntry{ctx, l.h, r.Clone()})
	return nil
}

func (l *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{l.q, l.h.WithAttrs(attrs)}
}

func (l *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{l.q, l.h.WithGroup(name)}
}
