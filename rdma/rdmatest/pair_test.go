package rdmatest_test

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestPair: the two ends are of one connection, of adapters of their own, and both are
// gone when the test has ended.
func TestPair(t *testing.T) {
	f := &rdmatest.Faults{}
	remove, err := rdmatest.RegisterFaulty("test-pair", "soft-tcp", f)
	must(t, err)
	defer remove()
	adapters := []string{"soft", "soft-loop", "soft-tcp", "test-pair"}
	if runtime.GOOS == "linux" {
		adapters = append(adapters, "soft-shm")
	}
	for _, adapter := range adapters {
		var ended []*rdma.Conn
		t.Run(adapter, func(t *testing.T) {
			a, b := rdmatest.PairOn(t, adapter, rdma.EndpointConfig{Tag: 7})
			ended = append(ended, a, b)
			if a.Zone().Adapter() == b.Zone().Adapter() || a.Tag() != 7 || b.Tag() != 7 || a.Path() != b.Path() {
				t.Errorf("%v and %v", a, b)
			}
			for _, ends := range [][2]*rdma.Conn{{a, b}, {b, a}} {
				out, err := ends[0].Zone().Alloc(64, mem.Local)
				must(t, err)
				in, err := ends[1].Zone().Alloc(64, mem.Local)
				must(t, err)
				n := copy(out.Bytes(), "over "+adapter)
				received := make(chan error, 1)
				go func() {
					n, err := ends[1].Recv(ctx, in.All())
					if err == nil && !bytes.Equal(in.Bytes()[:n], out.Bytes()[:n]) {
						err = errors.New("another message")
					}
					received <- err
				}()
				must(t, ends[0].Send(ctx, out.Slice(0, n)))
				must(t, <-received)
			}
		})
		for _, conn := range ended {
			if conn.Context().Err() == nil {
				t.Errorf("%v outlives its test", conn)
			}
		}
	}
}

// failing is a test that notes that it has failed.
type failing struct {
	testing.TB
	failed   bool
	cleanups []func()
}

func (f *failing) Helper()               {}
func (f *failing) Cleanup(end func())    { f.cleanups = append(f.cleanups, end) }
func (f *failing) Errorf(string, ...any) { f.failed = true }
func (f *failing) Failed() bool          { return f.failed }
func (f *failing) Logf(string, ...any)   {}
func (f *failing) Fatalf(string, ...any) {
	f.failed = true
	runtime.Goexit()
}

// TestPairThatCannotBe ends the test, and leaves nothing behind.
func TestPairThatCannotBe(t *testing.T) {
	f := &rdmatest.Faults{}
	remove, err := rdmatest.RegisterFaulty("test-nopair", "soft-loop", f)
	must(t, err)
	defer remove()
	f.Set(rdmatest.ConnectEndpoint, rdma.ErrResources)
	no := &failing{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		rdmatest.PairOn(no, "test-nopair", rdma.EndpointConfig{})
	}()
	<-done
	if !no.failed {
		t.Error("a pair without queue pairs")
	}
	for _, end := range no.cleanups {
		end()
	}
}
