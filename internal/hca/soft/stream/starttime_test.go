package stream_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// wantTimeout checks how and when an attempt ended.
func wantTimeout(t *testing.T, result <-chan error, begun time.Time, after time.Duration) {
	t.Helper()
	select {
	case err := <-result:
		if !errors.Is(err, hca.Timeout) {
			t.Errorf("the attempt ended with %v", err)
		}
	case <-time.After(time.Hour):
		t.Fatal("the attempt goes on for ever")
	}
	if d := time.Since(begun); d != after {
		t.Errorf("the attempt took %v, want %v", d, after)
	}
}

// A peer that reads the request and does not answer is given ten seconds, or the context's time, be it less or
// more.
func TestAnswerThatDoesNotCome(t *testing.T) {
	for name, c := range map[string]struct{ limit, want time.Duration }{
		"no deadline": {0, 10 * time.Second}, "less": {time.Second, time.Second}, "more": {time.Minute, time.Minute},
	} {
		for half, data := range map[string]int{"nothing": 0, "half of it": 10} {
			t.Run(name+"/"+half, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := softtest.NewPipes()
					l := softtest.NewLone(t, soft.FabricDriver("pipes", p), hca.Options{}, hca.QPConfig{})
					go func() {
						c := <-p.Dialled
						softtest.ReadRequest(t, c)
						b, _ := iwarp.AppendReply(nil, &softtest.Theirs)
						_, _ = c.Write(b[:data])
						softtest.DrainPipe(c)
					}()
					ctx := context.Background()
					if c.limit > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, c.limit)
						defer cancel()
					}
					begun, result := time.Now(), make(chan error, 1)
					go func() { result <- l.QP.Connect(ctx, "anywhere:7", hca.ConnParams{}) }()
					wantTimeout(t, result, begun, c.want)
				})
			})
		}
	}
}

// An answer after nine seconds is accepted, and no deadline of the startup is left on the connection.
func TestAnswerThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := softtest.NewPipes()
		l := softtest.NewLone(t, soft.FabricDriver("pipes", p), hca.Options{}, hca.QPConfig{})
		go func() {
			c := <-p.Dialled
			softtest.ReadRequest(t, c)
			<-time.After(9 * time.Second)
			b, _ := iwarp.AppendReply(nil, &softtest.Theirs)
			_, _ = c.Write(b)
			softtest.DrainPipe(c)
		}()
		if err := l.QP.Connect(context.Background(), "anywhere:7", hca.ConnParams{}); err != nil {
			t.Fatal(err)
		}
		<-l.Events
		select {
		case ev := <-l.Events:
			t.Errorf("the connection ended: %+v", ev)
		case <-time.After(time.Hour):
		}
	})
}

// A peer that was accepted and does not send its first frame is given ten seconds, even if the context allows
// more.
func TestFirstFrameThatDoesNotCome(t *testing.T) {
	for name, c := range map[string]struct{ limit, want time.Duration }{
		"no deadline": {0, 10 * time.Second}, "less": {time.Second, time.Second}, "more": {time.Minute, 10 * time.Second},
	} {
		for half, data := range map[string]int{"nothing": 0, "half of it": 10} {
			t.Run(name+"/"+half, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { firstFrame(t, c.limit, c.want, data) })
			})
		}
	}
}

func firstFrame(t *testing.T, limit, want time.Duration, data int) {
	p := softtest.NewPipes()
	l := softtest.NewLone(t, soft.FabricDriver("pipes", p), hca.Options{}, hca.QPConfig{})
	ctx := context.Background()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	result := make(chan error, 1)
	ln, err := l.A.Listen(ctx, hca.ListenConfig{Address: "anywhere:7", OnRequest: func(r hca.ConnRequest) bool {
		go func() { result <- r.Accept(ctx, l.QP, hca.ConnParams{}) }()
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ours, c := net.Pipe()
	defer c.Close()
	begun := time.Now()
	p.Accepted <- ours
	f := softtest.Theirs
	f.RTR = iwarp.RTRWrite
	b, _ := iwarp.AppendRequest(nil, &f)
	_, _ = c.Write(b)
	go softtest.DrainPipe(c)
	first := iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true}, nil, true)
	_, _ = c.Write(first[:data])
	wantTimeout(t, result, begun, want)
}
