package hca_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// An error reads as a sentence: what was done to what, what came of it, what to do.
func TestErrorsRead(t *testing.T) {
	for want, err := range map[string]*hca.Error{
		"PostSend: queue full: poll first":                hca.NewError(hca.QueueFull, "PostSend", "", "poll first"),
		"Open rxe0: not found":                            hca.NewError(hca.NotFound, "Open", "rxe0", ""),
		"connection broken: the stream was lost: EOF":     hca.Wrap(hca.Broken, "connection", "", "the stream was lost", io.EOF),
		"connection: disconnected: the peer disconnected": hca.NewError(hca.Disconnected, "connection", "", "the peer disconnected"),
		"connection to 10.0.0.1:7: connection broken":     hca.NewError(hca.Broken, "connection", "10.0.0.1:7", ""),
		"connection to it: connection broken: bad header": hca.Wrap(hca.Broken, "connection", "to it", "", hca.NewError(hca.Broken, "connection", "", "bad header")),
		"connection to that: connection broken":           hca.Wrap(hca.Broken, "connection", "to that", "", hca.NewError(hca.Broken, "connection", "", "")),
		"connection to 1.2:7: disconnected: by the peer":  hca.Wrap(hca.Disconnected, "connection", "to 1.2:7", "", hca.NewError(hca.Disconnected, "connection", "1.2:7", "by the peer")),
		"connection to him: disconnected: by the peer":    hca.Wrap(hca.Disconnected, "connection", "to him", "", hca.NewError(hca.Disconnected, "connection", "", "by the peer")),
		"send on connection to us: connection broken: reset: EOF": hca.Wrap(hca.Broken, "send", "connection to us", "", hca.Wrap(hca.Broken, "connection", "connection to us", "",
			hca.Wrap(hca.Broken, "connection", "", "reset", io.EOF))),
		"shut down connection to us: timeout: it was ended abruptly":  hca.NewError(hca.Timeout, "shut down", "connection to us", "it was ended abruptly"),
		"post send on endpoint 3: wrong state: connect it first":      hca.NewError(hca.State, "post send", "endpoint 3", "connect it first"),
		"connection to us: connection broken: read: refused: why":     hca.Wrap(hca.Broken, "connection", "connection to us", "", hca.NewError(hca.Refused, "read", "", "why")),
		"register 9 bytes: insufficient resources: raise it: no room": hca.Wrap(hca.Resources, "register", "9 bytes", "raise it", hca.Wrap(hca.Resources, "register", "", "", errors.New("no room"))),
		"receive endpoint: timeout: EOF":                              hca.Wrap(hca.Timeout, "receive", "endpoint", "", io.EOF),
		"open x: not found: try y: open: gone":                        hca.Wrap(hca.NotFound, "open", "x", "try y", errors.New("open: gone")),
		"wait: timeout":                                               hca.Wrap(hca.Timeout, "wait", "", "", hca.Timeout),
		"post: queue full: look: read: full":                          hca.Wrap(hca.QueueFull, "post", "", "look", hca.NewError(hca.QueueFull, "read", "", "full")),
		"write: " + hca.StatusFlushed.String() + ": so far":           {Op: "write", Code: hca.Work, Status: hca.StatusFlushed, Detail: "so far"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What an adapter says becomes an error of the program's call, and loses nothing that
// the call does not tell.
func TestNamed(t *testing.T) {
	for want, err := range map[string]error{
		"free region 3 of zone 1: in use: a window is bound":   hca.NewError(hca.InUse, "close", "region", "a window is bound"),
		"free region 3 of zone 1: in use: 7 entries: too many": hca.NewError(hca.InUse, "CQ.Resize", "7 entries", "too many"),
		"free region 3 of zone 1: closed":                      hca.NewError(hca.Closed, "close", "zone 1", ""),
		"free region 3 of zone 1: internal error: EOF":         io.EOF,
	} {
		if got := hca.Named(err, "free", "region 3 of zone 1"); got.Error() != want {
			t.Errorf("%q, want %q", got, want)
		}
		if code, ok := err.(*hca.Error); ok && (code.Op == "free" || !errors.Is(hca.Named(err, "", ""), code.Code)) {
			t.Errorf("%v has changed, or lost its code", err)
		}
	}
	if hca.Named(nil, "free", "region") != nil {
		t.Error("success has become an error")
	}
}

// Errors are found by their code, by the standard library's name for the same, and by
// their cause.
func TestErrorsAre(t *testing.T) {
	for code, targets := range map[hca.Code][]error{
		hca.Broken:   {hca.Broken, io.EOF},
		hca.Closed:   {hca.Closed, net.ErrClosed},
		hca.Timeout:  {hca.Timeout, os.ErrDeadlineExceeded, context.DeadlineExceeded},
		hca.Canceled: {hca.Canceled, context.Canceled},
	} {
		err := hca.Wrap(code, "Connect", "", "", io.EOF)
		for _, target := range targets {
			if !errors.Is(err, target) {
				t.Errorf("%v is not %v", err, target)
			}
		}
		if err.Timeout() != (code == hca.Timeout) || errors.Is(err, hca.Refused) {
			t.Errorf("%v is taken for something else", err)
		}
	}
}
