package mailbox_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestCodecPanics: a program that recovers from a panic of its codec goes on with the same sender, and the mailbox
// sees nothing of it.
func TestCodecPanics(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		codec := blobs(nil)
		add := codec.Append
		codec.Append = func(b, v []byte) ([]byte, error) {
			if v[0] == 0xff {
				panic("a codec")
			}
			return add(b, v)
		}
		b := listen(t, a, blobConfig{Values: codec, Slot: 512})
		s := dial(t, a, b, blobDial{Values: codec, Window: 2, Async: true})
		for n := range 40 { // more than there is memory for
			must(t, s.Send(t.Context(), blob(uint64(n), 16)))
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				_ = s.Send(t.Context(), []byte{0xff})
			}()
			must(t, s.Flush(t.Context()))
			m, err := b.Receive(t.Context())
			must(t, err)
			if string(m.Value) != string(blob(uint64(n), 16)) {
				t.Fatalf("value %d is %x", n, m.Value)
			}
		}
	})
}
