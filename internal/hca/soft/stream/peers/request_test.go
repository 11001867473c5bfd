package peers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Requests that are refused before any program sees them: rows 2 to 9 and 12. Those that depend on time are in
// slow_test.go.

var plain1 = iwarp.Frame{Revision: iwarp.Revision1, CRC: true}

// A badRequest is what a peer sends in place of a request.
type badRequest struct {
	row    int
	name   string
	data   []byte
	reject bool // wanted is a reply that rejects; otherwise a close without a reply
	fin    bool
}

func badRequests(t testing.TB) (cases []badRequest) {
	good := requestBytes(t, plain1)
	changed := func(row int, name string, change func(b []byte)) {
		b := slices.Clone(good)
		change(b)
		cases = append(cases, badRequest{row: row, name: name, data: b})
	}
	for i := range iwarp.KeySize {
		changed(3, fmt.Sprintf("letter %d of the key", i), func(b []byte) { b[i] ^= 0x20 })
	}
	changed(4, "key of a reply", func(b []byte) { copy(b, "MPA ID Rep Frame") })
	for rev := 3; rev < 256; rev++ {
		changed(5, fmt.Sprintf("revision %d", rev), func(b []byte) { b[17] = byte(rev) })
	}
	changed(6, "revision 0", func(b []byte) { b[17] = 0 })
	for _, n := range []int{513, 0x7fff, 65535} {
		changed(7, fmt.Sprintf("%d bytes of private data announced", n), func(b []byte) { b[18], b[19] = byte(n>>8), byte(n) })
	}
	cases = append(cases, badRequest{row: 7, name: "513 bytes of private data", data: append(slices.Clone(cases[len(cases)-3].data), make([]byte, 513)...)})
	for n := range iwarp.EnhancedSize {
		b := slices.Concat(good, make([]byte, n))
		b[16], b[17], b[19] = 0x50, 2, byte(n)
		cases = append(cases, badRequest{row: 9, name: fmt.Sprintf("enhanced, with %d bytes", n), data: b, reject: true})
	}
	for _, f := range []iwarp.Frame{plain1, responder.frame, {Revision: 1, Private: []byte(strings.Repeat("x", iwarp.MaxPrivate))}} {
		b := requestBytes(t, f)
		for _, more := range []string{string(write(1, 0, "")), "x", strings.Repeat("x", 2000), string(b)} {
			cases = append(cases, badRequest{row: 12, name: fmt.Sprintf("%d bytes behind %d", len(more), len(b)), data: append(slices.Clone(b), more...)})
		}
		for n := range len(b) {
			if n < 40 || n%61 == 0 {
				cases = append(cases, badRequest{row: 2, name: fmt.Sprintf("%d bytes of %d, then FIN", n, len(b)), data: b[:n], fin: true})
			}
		}
	}
	return append(cases, badRequest{row: 3, name: "another protocol", data: []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")})
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	v := s.listen(t)
	for _, c := range badRequests(t) {
		p := dial(t, v.address())
		p.write(c.data)
		if c.fin {
			p.fin()
		}
		if c.reject {
			if f := p.rejected(t); f.Revision != iwarp.Revision2 {
				t.Errorf("the reject has revision %d", f.Revision)
			}
		} else {
			p.closed(t)
		}
		_ = p.conn.Close()
		if len(v.requests) > 0 {
			t.Errorf("a request was delivered")
		}
		if t.Failed() {
			t.Fatalf("row %d: %s", c.row, c.name)
		}
	}
	s.bystander(t)
	// The listener still works.
	e, p := s.openAt(t, v, responder, depths{4, 4})
	(&exchange{t, e, p}).alive()
}

// A goodRequest is odd, and still to be accepted.
type goodRequest struct {
	row     int
	name    string
	data    []byte
	private string // what the program must receive
}

func goodRequests(t testing.TB) (cases []goodRequest) {
	add := func(row int, name string, f iwarp.Frame, private string, change func(b []byte)) {
		b := requestBytes(t, f)
		change(b)
		cases = append(cases, goodRequest{row, name, b, private})
	}
	block := "\x80\x10\xc0\x10private"
	for n := range len(block) + 1 {
		f := iwarp.Frame{Revision: iwarp.Revision1, Private: []byte(block[:n])}
		add(10, fmt.Sprintf("revision 1 with the flag of revision 2, %d bytes", n), f, block[:n], func(b []byte) { b[16] |= 0x10 })
	}
	for flags := byte(1); flags < 16; flags++ {
		f := enhanced(0, 1, 1)
		f.PeerToPeer, f.Private = false, []byte("private")
		add(11, fmt.Sprintf("reserved flags %#x", flags), f, "private", func(b []byte) { b[16] |= flags })
		add(11, fmt.Sprintf("revision 1, reserved flags %#x", flags), plain1, "", func(b []byte) { b[16] |= flags })
	}
	f := iwarp.Frame{Revision: iwarp.Revision2, Private: []byte(block)}
	add(10, "revision 2 without the flag", f, block, func([]byte) {})
	add(0, "reject flag in a request", plain1, "", func(b []byte) { b[16] |= 0x20 })
	f = iwarp.Frame{Revision: iwarp.Revision1, Private: []byte(strings.Repeat("x", iwarp.MaxPrivate))}
	add(0, "512 bytes of private data", f, strings.Repeat("x", iwarp.MaxPrivate), func([]byte) {})
	return cases
}

func TestOddRequests(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, c := range goodRequests(t) {
		t.Run(fmt.Sprintf("%d %s", c.row, c.name), func(t *testing.T) {
			v := s.listen(t)
			p := dial(t, v.address())
			p.write(c.data)
			r := v.request()
			if string(r.Private()) != c.private {
				t.Errorf("private data %q, want %q", r.Private(), c.private)
			}
			e := s.endpoint(t, depths{4, 4})
			result := e.accept(r, []byte("welcome"))
			if f := p.takeReply(); f.Reject || string(f.Private) != "welcome" || f.Revision != iwarp.Revision(c.data[17]) {
				t.Errorf("the reply is %+v", f)
			}
			e.established(result)
			(&exchange{t, e, p}).alive()
		})
	}
}
