package peers_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// A startup that is cut at each of its bytes, in both roles: rows 2, 8, 67 and 68. A program sees nothing of it
// except the failure of its own call.

// leaves are the ways in which a peer's stream ends.
var leaves = map[string]func(p *peer){"FIN": (*peer).fin, "RST": (*peer).reset}

// longer is a frame with private data.
func longer(f iwarp.Frame) iwarp.Frame {
	f.Private = []byte("a few bytes that the program would see")
	return f
}

func TestCutRequest(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, f := range []iwarp.Frame{plain1, longer(plain1), responder.frame, longer(responder.frame)} {
		for how, leave := range leaves {
			t.Run(fmt.Sprintf("revision %d, %d bytes/%s", f.Revision, len(f.Private), how), func(t *testing.T) {
				t.Parallel()
				v := s.listen(t)
				data := requestBytes(t, f)
				for at := range data {
					p := dial(t, v.address())
					p.write(data[:at])
					leave(p)
					if how == "FIN" {
						p.closed(t)
						_ = p.conn.Close()
					}
				}
				// The listener still works, and no request precedes this one.
				p := dial(t, v.address())
				p.sendRequest(longer(plain1))
				r := v.request()
				if string(r.Private()) != string(longer(plain1).Private) || len(v.requests) > 0 {
					t.Errorf("the program got %q, and %d requests behind it", r.Private(), len(v.requests))
				}
				if err := r.Reject(nil); err != nil {
					t.Error(err)
				}
				p.rejected(t)
			})
		}
	}
}

func TestCutReplies(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	reject := longer(initiator.frame)
	reject.Reject = true
	for _, f := range []iwarp.Frame{plain1, longer(plain1), initiator.frame, longer(enhanced(iwarp.RTRRead, 4, 4)), reject} {
		for how, leave := range leaves {
			t.Run(fmt.Sprintf("revision %d, RTR %03b, %d bytes/%s", f.Revision, f.RTR, len(f.Private), how), func(t *testing.T) {
				t.Parallel()
				data := replyBytes(t, f)
				for at := range data {
					h := listen(t)
					e := s.endpoint(t, depths{4, 4})
					e.recv(16)
					result := e.connect(h.address(), nil)
					p := h.accept()
					p.takeRequest()
					h.ln.Close() // so that a second attempt fails at once
					p.write(data[:at])
					leave(p)
					err := e.failed(result)
					if !errors.Is(err, hca.Refused) {
						t.Fatalf("reply cut at %d: %v", at, err)
					}
					_ = p.conn.Close()
				}
				s.bystander(t)
			})
		}
	}
}

// An initiator's first frame is part of the startup, too.
func TestCutFirstFrame(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for rtr, first := range map[iwarp.RTR][]byte{
		iwarp.RTRWrite: write(1, 0, ""), iwarp.RTRRead: readRequest(1, 1, 0, 0), iwarp.RTRSend: send(1, ""),
	} {
		for how, leave := range leaves {
			t.Run(fmt.Sprintf("RTR %03b/%s", rtr, how), func(t *testing.T) {
				t.Parallel()
				for at := range first {
					v := s.listen(t)
					p := dial(t, v.address())
					p.sendRequest(enhanced(rtr, 4, 4))
					e := s.endpoint(t, depths{4, 4})
					e.recv(8)
					result := e.accept(v.request(), nil)
					p.takeReply()
					p.write(first[:at])
					leave(p)
					err := e.failed(result)
					if !errors.Is(err, hca.Refused) {
						t.Fatalf("cut at %d: %v", at, err)
					}
					if how == "FIN" {
						p.closed(t)
					}
				}
				s.bystander(t)
			})
		}
	}
}

// An empty Send with an offset is no valid first frame.
func TestFirstSendWithAnOffset(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	v := s.listen(t)
	p := dial(t, v.address())
	p.sendRequest(enhanced(iwarp.RTRSend, 4, 4))
	e := s.endpoint(t, depths{4, 4})
	e.recv(8)
	result := e.accept(v.request(), nil)
	p.takeReply()
	p.write(sendPart(iwarp.OpSend, 1, 7, "", true))
	e.established(result)
	p.end().one(t, "1/2/0x04")
	e.over(hca.EventBroken)
	s.bystander(t)
}
