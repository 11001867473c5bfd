package core

import (
	"context"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/accepts"
)

// streamPair returns the two ends of a TCP connection.
func streamPair(t *testing.T) (near, far net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if near, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

func TestAnEndWaitsForBeginningsThatAreDue(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a stream does not tell what it holds")
	}
	a := &Adapter{}
	a.Accepts.Bound = time.Hour
	var told []string
	ending := func() *QP {
		q := &QP{Adapter: a, Finished: make(chan struct{}), reported: true}
		q.Config.Event = func(hca.ConnEvent) { told = append(told, "end") }
		return q
	}
	near, far := streamPair(t)
	b := a.Accepts.Enter(&QP{}, far)
	q := ending()
	q.report() // the peer has sent nothing, so the report does not wait
	<-q.Finished
	if !slices.Equal(told, []string{"end"}) {
		t.Fatal(told)
	}
	told = nil
	if _, err := near.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	b.Await()
	var one [1]byte
	if n, err := far.Read(one[:]); n != 1 || err != nil {
		t.Fatal("what was waited for is gone:", n, err)
	}
	q = ending()
	q.report() // its bytes are being handled
	told = append(told, "beginning")
	a.Accepts.Leave(b)
	<-q.Finished
	if !slices.Equal(told, []string{"beginning", "end"}) {
		t.Fatal(told)
	}
	if len(a.Accepts.Due(nil)) != 0 {
		t.Fatal("one that has left is due")
	}
}

// A peer that sends less than a frame delays the report only briefly.
func TestAnEndDoesNotWaitForEver(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a stream does not tell what it holds")
	}
	a := &Adapter{}
	near, far := streamPair(t)
	b := a.Accepts.Enter(&QP{}, far)
	defer a.Accepts.Leave(b)
	if _, err := near.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	b.Await()
	q := &QP{Adapter: a, Finished: make(chan struct{}), reported: true}
	q.Config.Event = func(hca.ConnEvent) {}
	q.report()
	<-q.Finished
}

// A connection that ends before its accept has returned does not wait for itself.
func TestAnEndDoesNotWaitForItself(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a stream does not tell what it holds")
	}
	a := &Adapter{}
	a.Accepts.Bound = time.Hour
	near, far := streamPair(t)
	q := &QP{Adapter: a, Finished: make(chan struct{}), reported: true}
	q.Config.Event = func(hca.ConnEvent) {}
	b := a.Accepts.Enter(q, far)
	defer a.Accepts.Leave(b)
	if _, err := near.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	b.Await()
	q.report()
	<-q.Finished
}

// Accepts whose peers have all given up end without a wait for each other: each leaves behind its own end.
func TestAttemptsThatFailWaitForNoOther(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a stream does not tell what it holds")
	}
	a := &Adapter{}
	a.Accepts.Bound = time.Hour
	var all [2]*QP
	var pending [2]*accepts.Accept
	for i := range all {
		near, far := streamPair(t)
		all[i] = &QP{Adapter: a, Finished: make(chan struct{})}
		pending[i] = a.Accepts.Enter(all[i], far)
		if err := near.Close(); err != nil {
			t.Fatal(err)
		}
		pending[i].Await()
	}
	for _, q := range all {
		q.report()
	}
	patient, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for i, q := range all {
		select {
		case <-q.Finished:
			a.Accepts.Leave(pending[i])
		case <-patient.Done():
			t.Fatal("the failed accepts wait for each other")
		}
	}
}
