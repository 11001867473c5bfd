package rdma_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// calling is a handler that calls a function for each message.
type calling func(message string)

func (calling) Enabled(context.Context, slog.Level) bool { return true }
func (c calling) WithAttrs([]slog.Attr) slog.Handler     { return c }
func (c calling) WithGroup(string) slog.Handler          { return c }
func (c calling) Handle(_ context.Context, r slog.Record) error {
	c(r.Message)
	return nil
}

// loggedSide is a side whose adapter has this handler.
func loggedSide(t *testing.T, name string, h slog.Handler) *side {
	t.Helper()
	a, err := rdma.Open(within(t), name, rdma.OpenConfig{Log: slog.New(h), FlightRecorder: true})
	must(t, err)
	t.Cleanup(func() { must(t, a.Close()) })
	return sideOf(t, a)
}

// TestLogHandlerThatWaits: connections are made, work, break and end while a handler hangs.
func TestLogHandlerThatWaits(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		goOn := make(chan struct{})
		hang := calling(func(string) { <-goOn })
		x, y := loggedSide(t, name, hang), loggedSide(t, name, hang)
		t.Cleanup(func() { close(goOn) }) // before the adapters are closed
		for range 2 {
			join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone})
			must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64)}))
			must(t, x.conn.Send(within(t), x.mem.Slice(0, 8)))
			next(t, y.conn.RecvCompletions())
			to := y.mem.Slice(0, 64).Remote()
			to.Key++
			x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 64), To: to})
			<-x.conn.Context().Done()
			<-y.conn.Context().Done()
			must(t, x.conn.Close())
			must(t, y.conn.Close())
		}
	})
}

// TestLogHandlerThatCalls: a handler may call the library, also about the connection that has just broken, and close it.
func TestLogHandlerThatCalls(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		if !soft(name) {
			t.Skip("siw may report a refused write as an orderly end")
		}
		var x, y *side
		begin, lost := make(chan struct{}), make(chan struct{}, 8)
		look := calling(func(message string) {
			<-begin // the sides are complete
			for _, s := range []*side{x, y} {
				s.conn.Stats()
				s.adapter.Stats()
				s.conn.Flight()
				if strings.Contains(message, "lost") {
					s.conn.Close()
				}
			}
			if message == "rdma: connection lost" {
				lost <- struct{}{}
			}
		})
		x, y = loggedSide(t, name, look), loggedSide(t, name, look)
		join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone})
		close(begin)
		to := y.mem.Slice(0, 64).Remote()
		to.Key++
		x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 64), To: to})
		select {
		case <-lost:
		case <-within(t).Done():
			t.Fatal("the handler has not returned")
		}
	})
}
