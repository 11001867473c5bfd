package softtest

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

type End struct {
	A              hca.Adapter
	PD             hca.PD
	SendCQ, RecvCQ hca.CQ
	QP             hca.QP
	MR             hca.MR
	Mem            []byte
	Sent           chan struct{} // receives a value when an armed SendCQ is notified
}

func NewEnd(tb testing.TB, path string, depth, size int) *End {
	tb.Helper()
	return NewEndWith(tb, path, depth, size, hca.Options{})
}

func NewEndWith(tb testing.TB, path string, depth, size int, opt hca.Options) *End {
	tb.Helper()
	e := End{Sent: make(chan struct{}, 1)}
	var err error
	d := soft.Driver(path)
	if e.A, err = d.Open(context.Background(), d.Names()[0], opt); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { e.A.Close() })
	if e.PD, err = e.A.NewPD(); err != nil {
		tb.Fatal(err)
	}
	notify := func() {
		select {
		case e.Sent <- struct{}{}:
		default:
		}
	}
	if e.SendCQ, err = e.A.NewCQ(hca.CQConfig{Depth: depth, Notify: notify}); err != nil {
		tb.Fatal(err)
	}
	if e.RecvCQ, err = e.A.NewCQ(hca.CQConfig{Depth: depth}); err != nil {
		tb.Fatal(err)
	}
	e.Mem = make([]byte, size)
	Fill(e.Mem)
	if e.MR, err = e.PD.Register(hca.Memory{Bytes: e.Mem}, hca.AllAccess); err != nil {
		tb.Fatal(err)
	}
	e.QP, err = e.A.NewQP(hca.QPConfig{PD: e.PD, SendCQ: e.SendCQ, RecvCQ: e.RecvCQ, SendDepth: depth, RecvDepth: depth, ReadsIn: 16, ReadsOut: 16})
	if err != nil {
		tb.Fatal(err)
	}
	return &e
}

func Connect(tb testing.TB, path string, depth, size int) (a, b *End) {
	tb.Helper()
	a, b = NewEnd(tb, path, depth, size), NewEnd(tb, path, depth, size)
	Join(tb, a, b)
	return a, b
}

// Join connects two ends.
func Join(tb testing.TB, a, b *End) {
	tb.Helper()
	done := make(chan error, 1)
	l, err := b.A.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		go func() { done <- r.Accept(context.Background(), b.QP, hca.ConnParams{}) }()
		return true
	}})
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	if err := a.QP.Connect(context.Background(), l.Addr(), hca.ConnParams{}); err != nil {
		tb.Fatal(err)
	}
	if err := <-done; err != nil {
		tb.Fatal(err)
	}
}

func Fill(b []byte) {
	for i := range b {
		b[i] = byte(i * 7)
	}
}

func PollN(t testing.TB, cq hca.CQ, n int) []hca.WC {
	t.Helper()
	var out []hca.WC
	var wc [16]hca.WC
	for i := 0; len(out) < n; i++ {
		k := cq.Poll(wc[:min(len(wc), n-len(out))]) // the rest is for the next call
		out = append(out, wc[:k]...)
		if i > 200_000_000 {
			t.Fatalf("only %d of %d entries came", len(out), n)
		}
	}
	return out
}

// Paths lists the paths of this system.
func Paths() []string {
	if runtime.GOOS == "linux" {
		return []string{"loop", "shm", "tcp"}
	}
	return []string{"loop", "tcp"}
}

// Await waits until the queue has something, as a sleeping consumer does: nothing is polled meanwhile.
func Await(t *testing.T, cq hca.CQ) {
	t.Helper()
	for over := time.Now().Add(time.Minute); !cq.(hca.Peeker).Ready(); runtime.Gosched() {
		if time.Now().After(over) {
			t.Fatal("nothing came within a minute")
		}
	}
}

// Post posts a request and waits for its completion.
func (e *End) Post(t *testing.T, wr hca.SendWR) {
	t.Helper()
	if err := e.QP.PostSend(wr); err != nil {
		t.Fatal(err)
	}
	e.Ended(t)
}

func (e *End) Ended(t *testing.T) {
	t.Helper()
	if wc := PollN(t, e.SendCQ, 1)[0]; wc.Status != hca.StatusOK {
		t.Fatalf("a request ended with %v", wc.Status)
	}
}
