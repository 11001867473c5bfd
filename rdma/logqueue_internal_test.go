package rdma

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hookHandler is a handler that a test looks into.
type hookHandler struct {
	slog.Handler
	hook func(slog.Record)
}

func (h *hookHandler) Handle(ctx context.Context, r slog.Record) error {
	h.hook(r)
	return h.Handler.Handle(ctx, r)
}

// TestLogDoesNotWait: messages wait for a handler that waits, in order; what has no room is counted.
func TestLogDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b logText
		goOn := make(chan struct{})
		log, q := queued("soft-loop", slog.New(&hookHandler{logTo(&b, slog.LevelInfo).Handler(), func(slog.Record) { <-goOn }}))
		log.Info("first")
		synctest.Wait() // the handler has it
		for n := range logRoom + 5 {
			log.With("n", n).WithGroup("g").Info("next", "m", n)
		}
		log.Debug("not wanted")
		begin := time.Now()
		q.flush()
		if took := time.Since(begin); took != logPatience {
			t.Errorf("flush waited %v for a handler that hangs", took)
		}
		close(goOn)
		q.flush()
		want := "msg=first\n"
		for n := range logRoom {
			want += fmt.Sprintf("msg=next n=%d g.m=%d\n", n, n)
		}
		want += `msg="rdma: messages were dropped, since the log's handler is slow" adapter=soft-loop messages=5` + "\n"
		if got := b.take(); got != want {
			t.Errorf("got\n%s", got)
		}
		log.Info("again")
		q.flush()
		if got := b.take(); got != "msg=again\n" || q.idle != nil {
			t.Errorf("got %q; a goroutine is left: %t", got, q.idle != nil)
		}
	})
}

// TestNoLog: without a logger there is no queue.
func TestNoLog(t *testing.T) {
	log, q := queued("soft-loop", nil)
	if log.Error("x"); q != nil || strings.Contains(fmt.Sprintf("%T", log.Handler()), "logHandler") {
		t.Error(q, log)
	}
	q.flush()
}
