package rdmatest

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
)

// noting is a test that counts its failures.
type noting struct {
	testing.TB
	n int
}

func (n *noting) Errorf(string, ...any) { n.n++ }
func (n *noting) Helper()               {}

// below takes every post.
type below struct{ hca.QP }

func (below) PostSend(hca.SendWR) error               { return nil }
func (below) PostRecvs(wrs []hca.RecvWR) (int, error) { return len(wrs), nil }
func (below) Disconnect(bool) error                   { return nil }

// TestTheBooksFind every mistake of an adapter: the entries are made by hand.
func TestTheBooksFind(t *testing.T) {
	send := hca.SendWR{ID: 70, Op: hca.OpSend, Local: hca.Segment{Len: 5}}
	quiet := send
	quiet.Flags = hca.Suppress
	ok := func(id uint64) hca.WC { return hca.WC{ID: id, Op: hca.OpSend, Len: 5} }
	flushed := func(id uint64) hca.WC { return hca.WC{ID: id, Op: hca.OpSend, Status: hca.StatusFlushed} }
	recv := func(id, n uint64) hca.WC { return hca.WC{ID: id, Op: hca.OpRecv, Len: n} }
	for name, c := range map[string]struct {
		sends []hca.SendWR
		recvs int
		peer  []message
		wcs   []hca.WC
		want  int
	}{
		"nothing wrong":           {sends: []hca.SendWR{send, quiet, send}, wcs: []hca.WC{ok(1), ok(3)}},
		"a suppressed success":    {sends: []hca.SendWR{quiet}, wcs: []hca.WC{ok(1)}, want: 1},
		"twice":                   {sends: []hca.SendWR{send}, wcs: []hca.WC{ok(1), ok(1)}, want: 1},
		"out of order":            {sends: []hca.SendWR{send, send}, wcs: []hca.WC{ok(2)}, want: 1},
		"another length":          {sends: []hca.SendWR{send}, wcs: []hca.WC{{ID: 1, Op: hca.OpSend, Len: 4}}, want: 1},
		"another operation":       {sends: []hca.SendWR{send}, wcs: []hca.WC{{ID: 1, Op: hca.OpWrite, Len: 5}}, want: 1},
		"success behind a flush":  {sends: []hca.SendWR{send, send}, wcs: []hca.WC{flushed(1), ok(2)}, want: 1},
		"a flush is left out":     {sends: []hca.SendWR{send, quiet, send}, wcs: []hca.WC{flushed(1), flushed(3)}, want: 1},
		"never":                   {sends: []hca.SendWR{send}, want: 1},
		"a receive never":         {recvs: 2, want: 1},
		"a message":               {recvs: 1, peer: []message{{op: hca.OpRecv, len: 9}}, wcs: []hca.WC{recv(1, 9)}},
		"a message from nowhere":  {recvs: 1, wcs: []hca.WC{recv(1, 9)}, want: 1},
		"a message cut short":     {recvs: 1, peer: []message{{op: hca.OpRecv, len: 9}}, wcs: []hca.WC{recv(1, 8)}, want: 1},
		"another kind of message": {recvs: 1, peer: []message{{op: hca.OpRecvInvalidate, len: 9}}, wcs: []hca.WC{recv(1, 9)}, want: 1},
		"other immediate data":    {recvs: 1, peer: []message{{op: hca.OpRecvWriteImm, imm: 3}}, wcs: []hca.WC{{ID: 1, Op: hca.OpRecvWriteImm, Imm: 4}}, want: 1},
		"another receive":         {recvs: 2, peer: []message{{op: hca.OpRecv}, {op: hca.OpRecv}}, wcs: []hca.WC{recv(2, 0)}, want: 1},
		"other bytes":             {recvs: 1, peer: []message{{op: hca.OpRecv, len: 5, sum: 1, known: true}}, wcs: []hca.WC{recv(1, 5)}, want: 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			no := &noting{TB: t}
			w := NewWorld(t, 1)
			h := &Host{w: w, name: "h"}
			a := &worldAdapter{h: h, regions: map[hca.Key]hca.Memory{7: {Bytes: make([]byte, 8), Own: true}}, at: map[hca.Key]uint64{}}
			h.books = append(h.books, a)
			q := &worldQP{QP: below{}, a: a, peer: &worldQP{}}
			a.pairs = append(a.pairs, q)
			q.peer.outbox.list = c.peer
			for _, wr := range c.sends {
				must1(t, q.PostSend(wr))
			}
			for range c.recvs {
				must1(t, q.PostRecv(hca.RecvWR{ID: 80, Local: hca.Segment{Len: 8, Key: 7}}))
			}
			w.t = no
			for _, wc := range c.wcs {
				q.complete(&wc)
				if no.n == 0 && wc.ID != 70 && wc.ID != 80 {
					t.Errorf("%s: the program gets cookie %d", name, wc.ID)
				}
			}
			w.hosts = append(w.hosts, h)
			if clear(a.regions); no.n == 0 {
				w.left()
			}
			w.t, w.hosts = t, nil
			if no.n != c.want {
				t.Errorf("%s: %d failures, want %d", name, no.n, c.want)
			}
		})
	}
}

func must1(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
