package rsock_test

import (
	"testing"

	"github.com/godapl/godapl/internal/rsock"
)

// TestDataBehindTheEnd: it is the peer's own end behind which nothing may come.
func TestDataBehindTheEnd(t *testing.T) {
	for _, c := range []struct {
		what string
		do   func(*rsock.Ends)
		fine bool
	}{
		{"open", func(*rsock.Ends) {}, true},
		{"CloseRead", func(e *rsock.Ends) { e.CloseRead() }, true},
		{"Close", func(e *rsock.Ends) { e.Close() }, true},
		{"shutdown", (*rsock.Ends).PeerShutdown, false},
		{"disconnect", (*rsock.Ends).PeerDisconnect, false},
	} {
		var e rsock.Ends
		if c.do(&e); (e.Data() == nil) != c.fine {
			t.Errorf("%s: %v", c.what, e.Data())
		}
	}
}

// TestEnds walks the table of half-closes that rdma-core has.
func TestEnds(t *testing.T) {
	type step struct {
		name string
		do   func(*rsock.Ends) (rsock.Message, bool)
	}
	peer := func(f func(*rsock.Ends)) func(*rsock.Ends) (rsock.Message, bool) {
		return func(e *rsock.Ends) (rsock.Message, bool) { f(e); return 0, false }
	}
	wr, rd, cl := step{"wr", (*rsock.Ends).CloseWrite}, step{"rd", (*rsock.Ends).CloseRead}, step{"close", (*rsock.Ends).Close}
	ps, pd := step{"peer shutdown", peer((*rsock.Ends).PeerShutdown)}, step{"peer disconnect", peer((*rsock.Ends).PeerDisconnect)}
	for _, c := range []struct {
		steps []step
		want  rsock.Message // of the last step; 0: none
		r, w  bool
	}{
		{[]step{wr}, rsock.Shutdown, true, false},
		{[]step{rd}, 0, false, true},
		{[]step{cl}, rsock.Disconnect, false, false},
		{[]step{wr, rd}, rsock.Disconnect, false, false},
		{[]step{wr, cl}, rsock.Disconnect, false, false},
		{[]step{rd, wr}, rsock.Disconnect, false, false},
		{[]step{ps, wr}, rsock.Disconnect, false, false},
		{[]step{ps, cl}, rsock.Disconnect, false, false},
		{[]step{ps}, 0, false, true},
		{[]step{ps, rd}, 0, false, true},
		{[]step{wr, ps}, 0, false, false},
		{[]step{wr, ps, cl}, 0, false, false},
		{[]step{pd}, 0, false, false},
		{[]step{pd, cl}, 0, false, false},
		{[]step{wr, wr}, 0, true, false},
		{[]step{wr, pd, cl}, 0, false, false},
	} {
		var e rsock.Ends
		var got rsock.Message
		names := ""
		for _, s := range c.steps {
			m, send := s.do(&e)
			if got = 0; send {
				got = m
			}
			names += s.name + " "
		}
		if got != c.want || e.Readable() != c.r || e.Writable() != c.w || e.Over() == (c.r || c.w) {
			t.Errorf("%s: sends %v, readable %t, writable %t", names, got, e.Readable(), e.Writable())
		}
	}
}

// TestCut: a program that has closed its direction writes into what it closed, whatever the peer does before or after.
func TestCut(t *testing.T) {
	closeWrite := func(e *rsock.Ends) { e.CloseWrite() }
	for _, c := range []struct {
		what string
		do   []func(*rsock.Ends)
		want bool
	}{
		{"open", nil, false},
		{"CloseWrite", []func(*rsock.Ends){closeWrite}, false},
		{"disconnect", []func(*rsock.Ends){(*rsock.Ends).PeerDisconnect}, true},
		{"CloseWrite, disconnect", []func(*rsock.Ends){closeWrite, (*rsock.Ends).PeerDisconnect}, false},
		{"disconnect, CloseWrite", []func(*rsock.Ends){(*rsock.Ends).PeerDisconnect, closeWrite}, false},
	} {
		var e rsock.Ends
		for _, f := range c.do {
			f(&e)
		}
		if e.Cut() != c.want {
			t.Errorf("%s: %v", c.what, e.Cut())
		}
	}
}
