package peers_test

import (
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// A peer that knows only revision 1 closes without an answer. So does one that has too many streams, so this side tries
// once more with revision 2, and then with revision 1, each time on a new connection.
func TestRetryWithRevision1(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for name, refuse := range map[string]func(p *peer){
		"FIN": func(p *peer) { p.takeRequest(); p.conn.Close() },
		"RST": func(p *peer) { p.takeRequest(); p.reset() },
		// A peer that has read only the header leaves bytes unread: that is a reset too.
		"unread bytes": func(p *peer) {
			var b [iwarp.FrameHeaderSize]byte
			_, _ = p.conn.Read(b[:])
			p.conn.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := listen(t)
			e := s.endpoint(t, depths{4, 4})
			result := e.connect(h.address(), []byte("hello"))
			next := func() *peer {
				_ = h.ln.SetDeadline(time.Now().Add(patience))
				conn, err := h.ln.Accept()
				if err != nil {
					t.Fatalf("ours does not try again: %v; connecting says %v", err, e.outcome(result))
				}
				return newPeer(t, conn)
			}
			refuse(next())
			refuse(next())
			p := next()
			if f := p.takeRequest(); f.Revision != iwarp.Revision1 || f.Enhanced || string(f.Private) != "hello" {
				t.Errorf("the third request is %+v", f)
			}
			p.sendReply(iwarp.Frame{Revision: iwarp.Revision1, CRC: true, Private: []byte("welcome")})
			if info := e.established(result); string(info.Private) != "welcome" {
				t.Errorf("connected with %+v", info)
			}
			(&exchange{t, e, p}).alive()
		})
	}
}

// A peer that had too many streams for a moment, or no descriptors, gets a connection with the extensions.
func TestRetryWithRevision2(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	h := listen(t)
	e := s.endpoint(t, depths{4, 4})
	result := e.connect(h.address(), []byte("hello"))
	h.accept().conn.Close()
	p := h.accept()
	f := p.takeRequest()
	if f.Revision != iwarp.Revision2 || !f.Enhanced || string(f.Private) != "hello" {
		t.Fatalf("the second request is %+v", f)
	}
	p.sendReply(softtest.Theirs)
	if info := e.established(result); info.Caps&hca.CapAtomics == 0 {
		t.Errorf("connected with %+v, want atomics", info)
	}
}

// It tries twice, and only if there was no answer at all.
func TestNoThirdRetry(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	t.Run("nobody answers", func(t *testing.T) {
		h := listen(t)
		e := s.endpoint(t, depths{4, 4})
		e.recv(16)
		result := e.connect(h.address(), nil)
		for range 3 {
			p := h.accept()
			p.takeRequest()
			p.conn.Close()
		}
		if err := e.failed(result); !errors.Is(err, hca.Refused) {
			t.Errorf("connecting failed with %v", err)
		}
		h.nobody(t)
	})
	t.Run("malformed", func(t *testing.T) {
		h := listen(t)
		e := s.endpoint(t, depths{4, 4})
		result := e.connect(h.address(), nil)
		p := h.accept()
		p.takeRequest()
		p.write([]byte("MPA ID Rep Frume"))
		p.closed(t)
		_ = e.failed(result)
		h.nobody(t)
	})
}

// nobody fails if there is a stream that nobody has accepted. The connect is over, so none will follow.
func (h *host) nobody(t testing.TB) {
	t.Helper()
	_ = h.ln.SetDeadline(time.Now().Add(10 * time.Millisecond))
	if conn, err := h.ln.Accept(); err == nil {
		conn.Close()
		t.Error("ours has tried once more")
	}
}
