package peers_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Rows 1, 2 and 8: peers that do not complete their request in time. All of them wait together, because the
// time is real.
func TestSilentRequests(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	v := s.listen(t)
	long := requestBytes(t, iwarp.Frame{Revision: iwarp.Revision1, Private: []byte(strings.Repeat("x", 100))})
	var wg sync.WaitGroup
	wait := func(data []byte) {
		p := dial(t, v.address())
		p.write(data)
		wg.Go(func() {
			// Much longer than this side's deadline.
			if err := p.more(2 * patience); err == nil {
				t.Errorf("%d bytes were answered with % x", len(data), p.in)
			} else if ne, ok := err.(interface{ Timeout() bool }); ok && ne.Timeout() {
				t.Errorf("%d bytes hold a connection open", len(data))
			}
		})
	}
	for n := range iwarp.FrameHeaderSize {
		wait(long[:n]) // row 1 is 0 bytes
	}
	wait(long[:iwarp.FrameHeaderSize])
	wait(long[:iwarp.FrameHeaderSize+50]) // row 8
	wait(long[:len(long)-1])
	// Meanwhile others get through.
	e, p := s.openAt(t, v, responder, depths{4, 4})
	(&exchange{t, e, p}).alive()
	wg.Wait()
	if len(v.requests) > 0 {
		t.Error("a request was delivered")
	}
	s.bystander(t)
}

// The number of half-open peers is bounded, and their places become free again.
func TestManySilentRequests(t *testing.T) {
	t.Parallel()
	s := secondStation(t)
	v := s.listen(t)
	var silent []*peer
	full := make(chan struct{}, 2000)
	var wg sync.WaitGroup
	defer wg.Wait()
	for range 1000 {
		p := dial(t, v.address())
		silent = append(silent, p)
		wg.Go(func() {
			var b [1]byte
			_ = p.conn.SetReadDeadline(time.Now().Add(patience))
			_, _ = p.conn.Read(b[:])
			full <- struct{}{}
		})
		if len(full) > 0 {
			break // the first that was closed
		}
	}
	if len(silent) == 1000 {
		t.Error("a thousand silent peers are held")
	}
	for p := range slices.Values(silent) {
		_ = p.conn.Close()
	}
	// A request gets through as soon as there is a place.
	for deadline := time.Now().Add(patience); ; {
		p := dial(t, v.address())
		p.sendRequest(plain1)
		var req hca.ConnRequest
		gone := make(chan error, 1)
		go func() { gone <- p.more(patience) }()
		select {
		case req = <-v.requests:
		case <-gone:
			if time.Now().After(deadline) {
				t.Fatal("no place became free")
			}
			continue
		}
		if err := req.Reject(nil); err != nil {
			t.Error(err)
		}
		<-gone
		return
	}
}
