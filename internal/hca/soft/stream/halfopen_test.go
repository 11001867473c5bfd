package stream_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/hca/soft/stream"
	"github.com/godapl/godapl/internal/iwarp"
)

// crowd is a listener with any number of streams.
type crowd struct {
	t    *testing.T
	p    softtest.Pipes
	a    hca.Adapter
	ends []net.Conn // the peers' ends, in the order in which they were opened
}

const places = 256

func newCrowd(t *testing.T, onRequest func(hca.ConnRequest) bool, refused ...func(string, error)) *crowd {
	t.Helper()
	w := &crowd{t: t, p: softtest.NewPipes()}
	d := soft.FabricDriver("pipes", w.p)
	var err error
	var opt hca.Options
	for _, opt.Refused = range refused {
	}
	if w.a, err = d.Open(context.Background(), d.Names()[0], opt); err != nil {
		t.Fatal(err)
	}
	if _, err := w.a.Listen(context.Background(), hca.ListenConfig{Address: "anywhere:7", OnRequest: onRequest}); err != nil {
		t.Fatal(err)
	}
	return w
}

// come adds a stream, and checks how many are held.
func (w *crowd) come() net.Conn {
	w.t.Helper()
	ours, theirs := net.Pipe()
	w.p.Accepted <- ours
	w.ends = append(w.ends, theirs)
	if n := stream.HalfOpen(w.a); n > places+1 { // a rejected stream does not wait for the stream that makes room
		w.t.Fatalf("%d streams are held", n)
	}
	return theirs
}

func (w *crowd) close() {
	w.t.Helper()
	if err := w.a.Close(); err != nil {
		w.t.Error(err)
	}
	for _, c := range w.ends {
		_ = c.Close()
	}
}

// open counts the streams whose other end is still open.
func (w *crowd) open() (n int) {
	var b [1]byte
	for _, c := range w.ends {
		_ = c.SetReadDeadline(time.Now())
		if _, err := c.Read(b[:]); errors.Is(err, os.ErrDeadlineExceeded) {
			n++
		}
	}
	return n
}

var knock, _ = iwarp.AppendRequest(nil, &iwarp.Frame{Revision: iwarp.Revision1, CRC: true})

// Any number of silent streams does not keep out a stream that sends its request; the silent ones are closed
// after five seconds.
func TestCrowdThatSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := make(chan hca.ConnRequest, 1)
		w := newCrowd(t, func(r hca.ConnRequest) bool { requests <- r; return true })
		defer w.close()
		for round := range 5 {
			for i := range 1000 {
				if c := w.come(); i%2 == 1 {
					_, _ = c.Write(knock[:i%20]) // some send a part of a request
				}
			}
			begun := time.Now()
			_, _ = w.come().Write(knock)
			r := <-requests
			if d := time.Since(begun); d != 0 {
				t.Errorf("round %d: it took %v to get through", round, d)
			}
			go softtest.DrainPipe(w.ends[len(w.ends)-1])
			if err := r.Reject(nil); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		// Each rejected request, and each one that was handed out, may have cost one.
		if n := stream.HalfOpen(w.a); n > places || n < places-2*5 {
			t.Errorf("%d streams are held", n)
		}
		<-time.After(5 * time.Second)
		synctest.Wait()
		if n := stream.HalfOpen(w.a); n != 0 {
			t.Errorf("%d streams are held after five seconds", n)
		}
	})
}

// Rejected peers that do not close are counted among the half-open streams.
func TestCrowdThatIsTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		w := newCrowd(t, func(hca.ConnRequest) bool { asked++; return false })
		defer w.close()
		begun := time.Now()
		for range 2000 {
			_, _ = w.come().Write(knock) // and does not read the answer
			synctest.Wait()
		}
		if d := time.Since(begun); d != 0 {
			t.Errorf("they had to wait for each other, %v in all", d)
		}
		if asked != 2000 {
			t.Errorf("the program was asked %d times", asked)
		}
		<-time.After(time.Minute)
		synctest.Wait()
		if n := stream.HalfOpen(w.a); n != 0 {
			t.Errorf("%d streams are held after a minute", n)
		}
		if n := w.open(); n != 0 {
			t.Errorf("%d streams are open after a minute", n)
		}
	})
}

// A program that takes its time with a request does not lose the stream to later ones.
func TestCrowdBehindARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan bool)
		w := newCrowd(t, func(hca.ConnRequest) bool { return <-answer })
		defer w.close()
		first := w.come()
		_, _ = first.Write(knock)
		synctest.Wait() // the program has the request
		for range 1000 {
			w.come()
		}
		synctest.Wait() // they are in: one more would close a stream that has its answer
		answer <- false
		reply := make([]byte, iwarp.MaxFrameLen)
		n, err := first.Read(reply)
		var f iwarp.Frame
		if used, _, perr := iwarp.ParseReply(reply[:n], &f); err != nil || perr != nil || used != n || !f.Reject {
			t.Errorf("the answer is %x, %v", reply[:n], err)
		}
	})
}
