package selftest

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A test in a process of its own gives its path or says why it failed; one that hangs is
// killed, and that is the error.
func TestApart(t *testing.T) {
	if path, err := Apart(t.Context(), partner("is alone")); path != "path" || err != nil {
		t.Errorf("path %q, %v", path, err)
	}
	if _, err := Apart(t.Context(), partner("nothing0")); err == nil || !strings.Contains(err.Error(), "nothing0") {
		t.Errorf("an adapter that is not there: %v", err)
	}
	// Its input stays open, so the process ends by nothing but the kill.
	r, w := io.Pipe()
	defer w.Close()
	hangs := func(ctx context.Context) (*exec.Cmd, error) {
		cmd, err := partner("hangs")(ctx)
		cmd.Stdin = r
		context.AfterFunc(ctx, func() { w.CloseWithError(io.ErrClosedPipe) }) // for the goroutine that copies
		return cmd, err
	}
	_, err := apart(t.Context(), 50*time.Millisecond, hangs)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("a process that hangs: %v", err)
	}
	gone := errors.New("gone")
	if _, err := Apart(t.Context(), func(context.Context) (*exec.Cmd, error) { return nil, gone }); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}
