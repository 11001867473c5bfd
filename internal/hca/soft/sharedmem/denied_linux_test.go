package sharedmem_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// addressesVariable lists the addresses that a dialer dials, separated by blanks.
const addressesVariable = "GODAPL_SOFT_ADDRESSES"

// playDialer is another role: it listens, dials over any path and over shared memory alone, and reports the
// results.
func playDialer() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var log bytes.Buffer
	for _, path := range []string{"", "shm"} {
		d := soft.Driver(path)
		a, err := d.Open(ctx, d.Names()[0], hca.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			fmt.Println(path, "failed:", err)
			return
		}
		for range 2 {
			l, err := a.Listen(ctx, hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(hca.ConnRequest) bool { return false }})
			fmt.Printf("%q listen unsupported=%v err=%v\n", path, errors.Is(err, hca.Unsupported), err)
			if err == nil {
				l.Close()
			}
		}
		for address := range strings.FieldsSeq(os.Getenv(addressesVariable)) {
			dialOne(ctx, a, path, address)
		}
		if err := a.Close(); err != nil {
			fmt.Println(path, "close failed:", err)
		}
	}
	for line := range strings.Lines(log.String()) {
		fmt.Print("log ", line)
	}
}

func dialOne(ctx context.Context, a hca.Adapter, path, address string) {
	pd, err := a.NewPD()
	cq, err2 := a.NewCQ(hca.CQConfig{Depth: 16})
	taken := make(chan string, 4)
	var qp hca.QP
	if err = errors.Join(err, err2); err == nil {
		qp, err = a.NewQP(hca.QPConfig{PD: pd, SendCQ: cq, RecvCQ: cq, SendDepth: 4, RecvDepth: 4, ReadsIn: 1, ReadsOut: 1, Event: func(ev hca.ConnEvent) {
			if ev.Info != nil {
				taken <- ev.Info.Path
			}
		}})
	}
	if err == nil {
		err = qp.Connect(ctx, address, hca.ConnParams{})
	}
	if err == nil {
		fmt.Printf("%q connect path=%s\n", path, <-taken)
		return
	}
	fmt.Printf("%q connect unsupported=%v err=%v\n", path, errors.Is(err, hca.Unsupported), err)
}

// denials are the things that are denied, and their names in errors.
var denials = map[string]string{
	"memfd_create": "memfd_create: operation not permitted",
	"eventfd2":     "eventfd2: operation not permitted",
	"socket":       "socket: operation not permitted",
	"/proc":        "open /proc/self/fd/",
}

// TestDiallerWithoutSharedMemory: a process that may not create shared memory reaches processes of its host
// over the network, and logs the reason once. Over shared memory alone it fails, and the error names the cause.
func TestDiallerWithoutSharedMemory(t *testing.T) {
	for what, reason := range denials {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			one, two := startServer(t, ""), startServer(t, "")
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), roleVariable+"=dial", denyVariable+"="+what, addressesVariable+"="+one.address+" "+two.address)
			cmd.Stderr = os.Stderr
			b, err := cmd.Output()
			out := string(b)
			if strings.HasPrefix(out, "cannot deny: ") {
				t.Skip(out)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, w := range []struct {
				line string
				n    int
			}{
				{`"" listen unsupported=false err=<nil>`, 2}, {`"" connect path=tcp`, 2},
				{`"shm" listen unsupported=true`, 2}, {`"shm" connect unsupported=true`, 2},
				{"log ", 1}, {reason, 5}, // four errors, and once in the log
			} {
				if n := strings.Count(out, w.line); n != w.n {
					t.Errorf("%d times %q, want %d", n, w.line, w.n)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// TestListenerWithoutSharedMemory: such a process is reached over the network.
func TestListenerWithoutSharedMemory(t *testing.T) {
	for what := range denials {
		t.Run(what, func(t *testing.T) {
			u := newUser(t, "", nil, startServer(t, "", denyVariable+"="+what))
			if u.info.Path != "tcp" {
				t.Fatalf("path %q", u.info.Path)
			}
			u.do(hca.SendWR{Op: hca.OpWrite, Local: u.seg(0, 100), Remote: u.remote, RKey: u.rkey})
		})
	}
}
