package perf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/bits"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestPeerKilled kills the second process in the middle of the rate phase.
func TestPeerKilled(t *testing.T) {
	for _, mode := range facesOfQueues {
		cfg, err := parse([]string{"-path", "tcp", "-op", "write", "-mode", mode, "-depth", "8", "-size", "100000", "-duration", "1m"}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		a, err := open(t.Context(), cfg, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.tell(a.during("rate")); err != nil {
			t.Error(err)
		}
		kill := time.AfterFunc(50*time.Millisecond, func() { a.peer.(*peerProcess).cmd.Process.Kill() })
		if _, _, err := a.rate(cfg.limit()); err == nil || a.errors == 0 {
			t.Errorf("mode %s: %v with %d errors; the peer was killed", mode, err, a.errors)
		}
		kill.Stop()
		if exit := new(exec.ExitError); !errors.As(a.close(), &exit) {
			t.Errorf("mode %s: the peer was not killed", mode)
		}
	}
}

// TestTimeout: a measurement that takes too long ends with an error that names the
// cause, and its result counts the error.
func TestTimeout(t *testing.T) {
	for _, mode := range modes {
		ctx, cancel := context.WithCancelCause(t.Context())
		cfg, err := parse([]string{"-path", "net", "-op", "send", "-mode", mode, "-duration", "1h"}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		a, err := open(ctx, cfg, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		late := errors.New("too late")
		timer := time.AfterFunc(20*time.Millisecond, func() { cancel(late) })
		res, err := a.measure(ctx, io.Discard)
		timer.Stop()
		if !errors.Is(err, late) || res.Errors == 0 {
			t.Errorf("mode %s: %v with %d errors", mode, err, res.Errors)
		}
		if err := a.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTimeoutFlag: there is nothing to measure in no time.
func TestTimeoutFlag(t *testing.T) {
	err := run(t.Context(), []string{"-timeout", "1ns"}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "not done after 1ns") {
		t.Error(err)
	}
}

// TestPeerCannotOpen: the second process says why it gives up.
func TestPeerCannotOpen(t *testing.T) {
	const size = 1 << 30 * (1 + bits.UintSize/64*1023) // more than there is
	cfg := &config{Path: "tcp", Op: "send", Mode: "poll", Size: size, Depth: 1, Endpoints: 1}
	var errs bytes.Buffer
	_, _, err := openPeer(t.Context(), cfg, &errs)
	if err == nil || !strings.Contains(errs.String(), "-size") {
		t.Errorf("%v; it said %q", err, &errs)
	}
}

// TestCommands: the second process survives invalid commands.
func TestCommands(t *testing.T) {
	cfg, err := parse([]string{"-path", "net"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	in := strings.NewReader(`{"Do":"dance"}{"Do":"idle"}`)
	var out bytes.Buffer
	if err := servePeer(t.Context(), cfg.marshal(), in, &out); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), `no command \"dance\"`) || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("it answered %s", &out)
	}
	if err := servePeer(t.Context(), "{", in, io.Discard); err == nil {
		t.Error("no error for settings that are not JSON")
	}
}

// TestAnswerToAPeerThatIsDone: the other side ends after a message and does not wait for
// the answer. That is no failure of this side. Which of the two is first is left to the
// scheduler, so it is tried several times.
func TestAnswerToAPeerThatIsDone(t *testing.T) {
	for range 30 {
		cfg, err := parse(strings.Fields("-path net -op send -mode conn"), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		a, err := open(t.Context(), cfg, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.tell("echo"); err != nil {
			t.Error(err)
		}
		if err := a.conn.Send(t.Context(), a.own.Slice(0, cfg.Size)); err != nil {
			t.Error(err)
		}
		if err := a.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoProcessorTime: what measuring takes is subtracted, and may leave none. It is unknown only where no system counts it.
func TestNoProcessorTime(t *testing.T) {
	if cpu, _ := systemUsage(); cpu == 0 {
		t.Skip("this system does not count it")
	}
	c, err := parse(nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := newResult(c).table(&out); err != nil || strings.Contains(out.String(), "unknown") {
		t.Errorf("%v:\n%s", err, &out)
	}
}
