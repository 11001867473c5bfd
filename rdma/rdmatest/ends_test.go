package rdmatest

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestTheBooksJudgeEnds of connections: those that cannot be as they are told.
func TestTheBooksJudgeEnds(t *testing.T) {
	startup, err := iwarp.AppendRequest(nil, &iwarp.Frame{Revision: iwarp.Revision1, CRC: true, Private: []byte("private")})
	if err != nil {
		t.Fatal(err)
	}
	part := iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, STag: 1}, make([]byte, 100), true)
	last := iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, STag: 1, Last: true}, make([]byte, 33), true)
	over := hca.ConnEvent{Kind: hca.EventDisconnected, Err: hca.NewError(hca.Disconnected, "connection", "", "")}
	broken := func(err error) hca.ConnEvent { return hca.ConnEvent{Kind: hca.EventBroken, Err: err} }
	failed := hca.WC{ID: 1, Op: hca.OpSend, Status: hca.StatusRemoteAccess}
	for name, c := range map[string]struct {
		read [][]byte
		wcs  []hca.WC
		ev   hca.ConnEvent
		want int
	}{
		"in order":                    {read: [][]byte{startup, part, last}, ev: over},
		"inside the startup":          {read: [][]byte{startup[:len(startup)-1]}, ev: over, want: 1},
		"inside a head":               {read: [][]byte{startup, last, last[:1]}, ev: over, want: 1},
		"inside a frame":              {read: [][]byte{startup, last[:len(last)-1]}, ev: over, want: 1},
		"inside a message":            {read: [][]byte{startup, last, part}, ev: over, want: 1},
		"inside, and it says so":      {read: [][]byte{startup, part}, ev: broken(hca.NewError(hca.Broken, "connection", "", ""))},
		"no iWARP":                    {ev: broken(hca.Wrap(hca.Broken, "connection", "", "", iwarp.ErrCRC)), want: 1},
		"in order behind a failure":   {wcs: []hca.WC{failed}, ev: over, want: 1},
		"broken behind a failure":     {wcs: []hca.WC{failed}, ev: broken(hca.NewError(hca.Broken, "connection", "", ""))},
		"two causes":                  {wcs: []hca.WC{failed, {ID: 2, Op: hca.OpSend, Status: hca.StatusLocalProtection}}, ev: broken(hca.NewError(hca.Broken, "connection", "", "")), want: 1},
		"one cause, and what follows": {wcs: []hca.WC{failed, {ID: 2, Op: hca.OpSend, Status: hca.StatusFlushed}}, ev: broken(hca.NewError(hca.Broken, "connection", "", ""))},
	} {
		synctest.Test(t, func(t *testing.T) {
			no := &noting{TB: t}
			w := NewWorld(t, 1)
			q := bookedPair(w, below{})
			q.event = func(hca.ConnEvent) {}
			q.in = &way{}
			for _, b := range c.read {
				for i := range b { // byte by byte, or all at once
					if len(b)%2 == 0 {
						q.in.read.pass(b[i : i+1])
					}
				}
				if len(b)%2 != 0 {
					q.in.read.pass(b)
				}
			}
			for range c.wcs {
				must1(t, q.PostSend(hca.SendWR{Op: hca.OpSend}))
			}
			w.t = no
			for _, wc := range c.wcs {
				q.complete(&wc)
			}
			q.told(c.ev)
			w.t = t
			if no.n != c.want {
				t.Errorf("%s: %d complaints, want %d", name, no.n, c.want)
			}
		})
	}
}
