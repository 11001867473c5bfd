package endpoint_test

import (
	"net"
	"runtime"
	"testing"
	"time"
)

// FuzzSocket is FuzzEndpoint over sockets and in real time: with the adapter's own
// poller, and a consumer that sleeps or polls while the engine works. The result must
// be the same, however the stream is split.
func FuzzSocket(f *testing.F) {
	if a, b, err := socketPair(); err != nil {
		f.Skip(err)
	} else {
		_, _ = a.Close(), b.Close()
	}
	for i, s := range endpointSeeds() {
		f.Add(s.in.role|byte(i%3)<<7, s.in.receives, s.in.reads, s.in.cuts, s.in.script)
	}
	f.Fuzz(func(t *testing.T, role byte, receives, reads, cuts, script []byte) {
		before := runtime.NumGoroutine()
		// The peer ends the connection: the endpoint cannot know whether it has seen
		// everything.
		in := &input{role & 0x7f, 0, receives, reads, cuts, script}
		func() {
			r := newRig(t, true, func() (ours, theirs net.Conn) {
				ours, theirs, err := socketPair()
				if err != nil {
					t.Fatal(err)
				}
				return ours, theirs
			})
			defer r.finish()
			r.polls = role&0x80 != 0
			r.endpoint(in)
		}()
		for begun := time.Now(); runtime.NumGoroutine() > before; runtime.Gosched() {
			if time.Since(begun) > patience {
				t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-before)
			}
		}
	})
}
