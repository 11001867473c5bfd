package perf

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestNoLookBehindClose: memory that the adapter has taken back is not looked at, by the
// goroutine that was told to watch it last of all.
func TestNoLookBehindClose(t *testing.T) {
	for _, args := range []string{"-path net -op send", "-path net -op write -size 1"} {
		cfg, err := parse(strings.Fields(args), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		p, err := openPassive(t.Context(), cfg, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
		p.watching.Store(true)
		if err := p.watch(); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestTimeoutWhileLooking: a goroutine that polls a word in memory stops before the end
// of the context takes the memory away.
func TestTimeoutWhileLooking(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("shared memory between processes is made on Linux only")
	}
	late := errors.New("too late")
	for range 5 {
		ctx, cancel := context.WithCancelCause(t.Context())
		cfg, err := parse(strings.Fields("-path shm -op write -duration 1h"), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		a, err := open(ctx, cfg, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(20*time.Millisecond, func() { cancel(late) })
		res, err := a.measure(ctx, io.Discard)
		timer.Stop()
		if !errors.Is(err, late) || res.Errors == 0 {
			t.Errorf("%v with %d errors", err, res.Errors)
		}
		a.close() // the context has killed the other side
	}
}
