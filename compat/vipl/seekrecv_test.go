package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestReceivesWhileAPeerIsSought posts receives before and while a VI looks for its peer: they get the messages in
// the order of the posts.
func TestReceivesWhileAPeerIsSought(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newSide(t, name), newSide(t, name)
		one, two := a.address(), b.address() // the smaller address connects
		var descs [8]*vipl.Descriptor
		var into [8][]byte
		descs[0], into[0] = a.recv(1)
		ok(t, vipl.ConnectPeerRequest(a.vi, one, two, second))
		for i := 1; i < len(descs); i++ {
			var none *vipl.Descriptor
			want(t, vipl.RecvWait(a.vi, 5, &none), vipl.Timeout) // it has found nobody meanwhile
			descs[i], into[i] = a.recv(1)
		}
		ok(t, vipl.ConnectPeerRequest(b.vi, two, one, second))
		ok(t, vipl.ConnectPeerWait(a.vi, nil))
		ok(t, vipl.ConnectPeerWait(b.vi, nil))
		for i := range descs {
			from := b.room(1)
			from[0] = byte(i)
			b.sent(b.postSend(b.desc(0, seg(b.mem, from))), vipl.StatusOpSend)
			a.received(descs[i], vipl.StatusOpReceive)
			if into[i][0] != byte(i) {
				t.Fatalf("receive %d got message %d", i, into[i][0])
			}
		}
	})
}
