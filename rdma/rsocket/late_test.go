package rsocket_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestALimitBeforeItsEntry: a C program of two threads may say that the last message of a half is read before it has
// counted the bytes as free. The entry then comes with the next limit.
func TestALimitBeforeItsEntry(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		p, y := rawPair(t, a, listen(t, a, rsocket.Config{}))
		must(t, y.SetDeadline(time.Now().Add(20*time.Second)))
		_, err := y.Write(make([]byte, rawHalf)) // one message
		must(t, err)
		p.message(rsock.WindowMessage(p.credits + 1))
		p.message(rsock.DataMessage(1))
		if _, err := y.Read(make([]byte, 1)); err != nil { // the limit is handled
			t.Fatal(err)
		}
		p.entry(0, p.ownHalf(0))
		p.message(rsock.WindowMessage(p.credits + 1))
		if n, err := y.Write(make([]byte, rawHalf+100)); err != nil { // more than half 1
			t.Error(n, err)
		}
	})
}
