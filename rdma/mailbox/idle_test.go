package mailbox_test

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// value64 is a plain value of 64 bytes.
type value64 [8]uint64

// TestIdleSendersAtTheMailbox measures what idle senders of another process cost the process of a
// mailbox: heap, stacks and registered memory, without the depth of the mailbox.
// GODAPL_IDLE_PROFILE names a file for the heap's profile.
func TestIdleSendersAtTheMailbox(t *testing.T) {
	if address := os.Getenv("GODAPL_IDLE_SENDERS"); address != "" {
		idleSenders(address, os.Getenv("GODAPL_IDLE_ADAPTER"))
		os.Exit(0)
	}
	if race.Enabled {
		t.Skip("the race detector takes memory")
	}
	const senders = 1000
	for _, name := range []string{"soft-shm", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			if bits.UintSize == 32 && name == "soft-shm" {
				t.Skip("each connection takes 4 MiB of addresses, and 32 bits of them are too few")
			}
			a, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
			if err != nil {
				t.Skip(err)
			}
			defer a.Close()
			b := listen(t, a, mailbox.Config[value64, value64]{})
			child := exec.Command(os.Args[0], "-test.run=^TestIdleSendersAtTheMailbox$")
			child.Env = append(os.Environ(), "GODAPL_IDLE_SENDERS="+b.Addr().String(), "GODAPL_IDLE_ADAPTER="+name)
			child.Stderr = os.Stderr
			in, err := child.StdinPipe()
			must(t, err)
			out, err := child.StdoutPipe()
			must(t, err)
			must(t, child.Start())
			dialled := func(n int) (used int64) {
				_, err := fmt.Fprintln(in, n)
				must(t, err)
				_, err = fmt.Fscanln(out, &n)
				must(t, err)
				for b.Peers() < n {
					mailbox.Yield()
				}
				var m runtime.MemStats
				for range 3 {
					runtime.GC()
				}
				runtime.ReadMemStats(&m)
				return int64(m.HeapAlloc + m.StackInuse)
			}
			before := dialled(40)
			goroutines := runtime.NumGoroutine()
			after := dialled(40 + senders)
			more := runtime.NumGoroutine() - goroutines
			if file := os.Getenv("GODAPL_IDLE_PROFILE"); file != "" {
				f, err := os.Create(file + "." + name)
				must(t, err)
				must(t, pprof.Lookup("heap").WriteTo(f, 0))
				must(t, f.Close())
			}
			each := (after-before)/senders + int64(b.RegisteredEach())
			t.Logf("%d bytes for an idle sender, %d of them registered; %d goroutines more for %d senders", each, b.RegisteredEach(), more, senders)
			if each > idleLimit || more > senders/20 {
				t.Errorf("more than %d bytes, or %d goroutines", idleLimit, more)
			}
			must(t, in.Close())
			must(t, child.Wait())
		})
	}
}

// idleSenders dials as often as its input says, and stays until the input ends.
func idleSenders(address, name string) {
	ctx := context.Background()
	a, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		panic(err)
	}
	var all []*mailbox.Sender[value64, value64]
	for {
		n := 0
		if _, err := fmt.Fscanln(os.Stdin, &n); err != nil {
			if err != io.EOF && !strings.Contains(err.Error(), "EOF") {
				panic(err)
			}
			break
		}
		for len(all) < n {
			s, err := mailbox.Dial(ctx, a, address, mailbox.DialConfig[value64, value64]{})
			if err != nil {
				panic(err)
			}
			all = append(all, s)
		}
		fmt.Println(n)
	}
	_ = a.Close()
}

// idleLimit is in bytes.
const idleLimit = 12 << 10
