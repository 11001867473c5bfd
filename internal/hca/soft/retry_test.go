package soft_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// With ListenWait, an attempt to connect that begins before anybody listens succeeds as soon as somebody does.
func TestListenWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := softtest.NewLone(t, soft.Driver("loop"), hca.Options{ListenWait: time.Minute}, hca.QPConfig{})
		const address = "127.0.0.1:27431"
		done := make(chan error, 1)
		go func() { done <- l.QP.Connect(t.Context(), address, hca.ConnParams{}) }()
		synctest.Wait() // it has found nobody
		select {
		case err := <-done:
			t.Fatal("back before anybody listened: ", err)
		default:
		}
		ln, err := l.A.Listen(t.Context(), hca.ListenConfig{Address: address, OnRequest: func(r hca.ConnRequest) bool {
			go func() { _ = r.Reject([]byte("no")) }()
			return true
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		var e *hca.Error
		if err := <-done; !errors.As(err, &e) || e.Code != hca.Rejected || string(e.Private) != "no" {
			t.Errorf("Connect: %v, want what the listener says", err)
		}
	})
}

// The wait ends at its limit, and with its context.
func TestListenWaitEnds(t *testing.T) {
	code := func(err error, want hca.Code) {
		t.Helper()
		var e *hca.Error
		if !errors.As(err, &e) || e.Code != want {
			t.Errorf("Connect: %v, want %v", err, want)
		}
	}
	l := softtest.NewLone(t, soft.Driver("tcp"), hca.Options{ListenWait: 5 * time.Millisecond}, hca.QPConfig{})
	code(l.QP.Connect(t.Context(), "127.0.0.1:27432", hca.ConnParams{}), hca.Refused)
	l = softtest.NewLone(t, soft.Driver("tcp"), hca.Options{ListenWait: time.Hour}, hca.QPConfig{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	code(l.QP.Connect(ctx, "127.0.0.1:27432", hca.ConnParams{}), hca.Timeout)
}

// TestAnswerTime: a Connect whose context has no deadline gives a peer that does not answer AnswerTime after ListenWait,
// and one with a deadline gives it that.
func TestAnswerTime(t *testing.T) {
	for _, test := range []struct{ listenWait, deadline, want time.Duration }{
		{0, 0, hca.AnswerTime}, {time.Minute, 0, hca.AnswerTime + time.Minute}, {0, time.Hour, time.Hour}, {time.Minute, time.Second, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := softtest.NewLone(t, soft.Driver("loop"), hca.Options{ListenWait: test.listenWait}, hca.QPConfig{})
			ln, err := l.A.Listen(t.Context(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(hca.ConnRequest) bool { return true }})
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			ctx, begin := t.Context(), time.Now()
			if test.deadline != 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, test.deadline)
				defer cancel()
			}
			if err := l.QP.Connect(ctx, ln.Addr(), hca.ConnParams{}); !errors.Is(err, hca.Timeout) || time.Since(begin) != test.want {
				t.Errorf("%+v: %v after %v", test, err, time.Since(begin))
			}
		})
	}
}
