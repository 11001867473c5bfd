package status_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"github.com/godapl/godapl/rdma/status"
)

// An error reads as a sentence: what was done to what, what came of it, what to do.
func TestErrorsRead(t *testing.T) {
	for want, err := range map[string]*status.Error{
		"PostSend: queue full: poll first":                newError(status.ErrQueueFull, "PostSend", "", "poll first"),
		"Open rxe0: not found":                            newError(status.ErrNotFound, "Open", "rxe0", ""),
		"connection broken: the stream was lost: EOF":     wrap(status.ErrBroken, "connection", "", "the stream was lost", io.EOF),
		"connection: disconnected: the peer disconnected": newError(status.ErrDisconnected, "connection", "", "the peer disconnected"),
		"connection to 10.0.0.1:7: connection broken":     newError(status.ErrBroken, "connection", "10.0.0.1:7", ""),
		"connection to it: connection broken: bad header": wrap(status.ErrBroken, "connection", "to it", "", newError(status.ErrBroken, "connection", "", "bad header")),
		"connection to that: connection broken":           wrap(status.ErrBroken, "connection", "to that", "", newError(status.ErrBroken, "connection", "", "")),
		"connection to 1.2:7: disconnected: by the peer":  wrap(status.ErrDisconnected, "connection", "to 1.2:7", "", newError(status.ErrDisconnected, "connection", "1.2:7", "by the peer")),
		"connection to him: disconnected: by the peer":    wrap(status.ErrDisconnected, "connection", "to him", "", newError(status.ErrDisconnected, "connection", "", "by the peer")),
		"send on connection to us: connection broken: reset: EOF": wrap(status.ErrBroken, "send", "connection to us", "", wrap(status.ErrBroken, "connection", "connection to us", "",
			wrap(status.ErrBroken, "connection", "", "reset", io.EOF))),
		"shut down connection to us: timeout: it was ended abruptly":  newError(status.ErrTimeout, "shut down", "connection to us", "it was ended abruptly"),
		"post send on endpoint 3: wrong state: connect it first":      newError(status.ErrState, "post send", "endpoint 3", "connect it first"),
		"connection to us: connection broken: read: refused: why":     wrap(status.ErrBroken, "connection", "connection to us", "", newError(status.ErrRefused, "read", "", "why")),
		"register 9 bytes: insufficient resources: raise it: no room": wrap(status.ErrResources, "register", "9 bytes", "raise it", wrap(status.ErrResources, "register", "", "", errors.New("no room"))),
		"receive endpoint: timeout: EOF":                              wrap(status.ErrTimeout, "receive", "endpoint", "", io.EOF),
		"open x: not found: try y: open: gone":                        wrap(status.ErrNotFound, "open", "x", "try y", errors.New("open: gone")),
		"wait: timeout":                                               wrap(status.ErrTimeout, "wait", "", "", status.ErrTimeout),
		"post: queue full: look: read: full":                          wrap(status.ErrQueueFull, "post", "", "look", newError(status.ErrQueueFull, "read", "", "full")),
		"write: " + status.StatusFlushed.String() + ": so far":        {Op: "write", Code: status.ErrWork, Status: status.StatusFlushed, Detail: "so far"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Errors are found by their code, by the standard library's name for the same, and by
// their cause.
func TestErrorsAre(t *testing.T) {
	for code, targets := range map[status.Code][]error{
		status.ErrBroken:   {status.ErrBroken, io.EOF},
		status.ErrClosed:   {status.ErrClosed, net.ErrClosed},
		status.ErrTimeout:  {status.ErrTimeout, os.ErrDeadlineExceeded, context.DeadlineExceeded},
		status.ErrCanceled: {status.ErrCanceled, context.Canceled},
	} {
		err := wrap(code, "Connect", "", "", io.EOF)
		for _, target := range targets {
			if !errors.Is(err, target) {
				t.Errorf("%v is not %v", err, target)
			}
		}
		if err.Timeout() != (code == status.ErrTimeout) || errors.Is(err, status.ErrRefused) {
			t.Errorf("%v is taken for something else", err)
		}
	}
}

func newError(code status.Code, op, object, detail string) *status.Error {
	return wrap(code, op, object, detail, nil)
}

func wrap(code status.Code, op, object, detail string, err error) *status.Error {
	return &status.Error{Op: op, Object: object, Code: code, Detail: detail, Err: err}
}
