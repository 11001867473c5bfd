package interop_test

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestMemoryIsFreeAgain: the memory of writes without a completion belongs to the program again when a
// later write has completed. It changes it at once, while the peer may not have got all of it. Between two hosts
// siw would send what is there then.
func TestMemoryIsFreeAgain(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		const part, parts, pieces, seed = 64 << 10, 4, 32, 5
		const piece = part * parts
		l, o, there := w.borrow(t, pieces*piece)
		ctx := within(t)
		region, err := l.zone.Alloc(piece, mem.Local)
		ok(t, err)
		defer region.Free()
		all := pattern(seed, pieces*piece)
		for at := 0; at < len(all); at += piece {
			copy(region.Bytes(), all[at:])
			for from := 0; from < piece; from += part {
				to := mem.Remote{Key: there.Key, Addr: there.Addr + uint64(at+from), Length: part}
				ok(t, l.conn.PostWrite(rdma.Write{From: region.Slice(from, part), To: to, Flags: rdma.NoCompletion}))
			}
			_, err := l.conn.Write(ctx, region.Slice(0, 0), mem.Remote{Key: there.Key, Addr: there.Addr})
			ok(t, err)
		}
		ok(t, l.say(ctx, fmt.Sprint(seed)))
		if text, err := l.hear(ctx); err != nil || text != fine {
			t.Errorf("the partner says %q, %v", text, err)
		}
		w.done(t, l, o)
	})
}
