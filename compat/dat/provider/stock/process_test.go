package stock

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// patience bounds how long a program may be silent. A program that prints regularly
	// may run for any time: where two sides poll, some take minutes.
	patience = 90 * time.Second
	// always is for a server of many lines: the test ends it.
	always = 24 * time.Hour
)

// process is a stock program that runs.
type process struct {
	t    testing.TB
	line string
	out  *transcript
	done chan struct{} // closed when it has ended
	err  error         // how, then
	end  func()
}

// start runs a program and collects its output line by line. The program ends with the
// test at the latest.
func (h *host) start(t testing.TB, program string, args ...string) *process {
	t.Helper()
	return h.startFor(t, patience, program, args...)
}

// startFor is start with another bound than patience.
func (h *host) startFor(t testing.TB, bound time.Duration, program string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	silent := time.AfterFunc(bound, func() { cancel(context.DeadlineExceeded) })
	cmd := exec.CommandContext(ctx, "stdbuf", append([]string{"-oL", program}, args...)...)
	cmd.Env = append(os.Environ(), "DAT_OVERRIDE="+h.conf)
	cmd.WaitDelay = time.Second
	p := &process{t: t, line: program + " " + strings.Join(args, " "), out: newTranscript(), done: make(chan struct{})}
	p.end = func() { cancel(nil) }
	p.out.heard = func() { silent.Reset(bound) }
	cmd.Stdout, cmd.Stderr = p.out, p.out
	if err := cmd.Start(); err != nil {
		silent.Stop()
		cancel(nil)
		t.Fatal(err)
	}
	go func() {
		p.err = cmd.Wait()
		silent.Stop()
		if err := context.Cause(ctx); err == context.DeadlineExceeded {
			p.err = err
		}
		cancel(nil)
		p.out.close()
		close(p.done)
	}()
	t.Cleanup(p.stop)
	return p
}

func (p *process) stop() {
	p.end()
	<-p.done
}

func (p *process) wait() error {
	<-p.done
	return p.err
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// ready waits for a text after position from, and reports whether it came.
func (p *process) ready(text string, from int) bool { return p.out.await(text, from) }

// transcript is the output of a program, which can be waited on.
type transcript struct {
	mu    sync.Mutex
	grown *sync.Cond
	text  []byte
	over  bool
	heard func() // called with each output, where it is set
}

func newTranscript() *transcript {
	o := &transcript{}
	o.grown = sync.NewCond(&o.mu)
	return o
}

func (o *transcript) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.heard != nil {
		o.heard()
	}
	o.text = append(o.text, b...)
	o.grown.Broadcast()
	return len(b), nil
}

func (o *transcript) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	o.grown.Broadcast()
}

func (o *transcript) await(text string, from int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !strings.Contains(string(o.text[from:]), text) {
		if o.over {
			return false
		}
		o.grown.Wait()
	}
	return true
}

func (o *transcript) len() int { return len(o.from(0)) }

func (o *transcript) from(at int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text[at:])
}
