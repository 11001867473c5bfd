package perf

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// A pingWord writes a word to the other side, and polls for the word that comes back.
// It keeps everything at hand: where a cache line moves fast between processors, the
// round trip is dominated by the instructions between the load of one word and the
// store of the other.
type pingWord struct {
	comes *atomic.Uint64
	goes  []byte
	e     *rdma.Endpoint
	d     *event.Dispatcher[rdma.Completion]
	write rdma.Write
	done  [1]rdma.Completion
	hold  int // empty rounds before the first look
}

func (s *side) newPingWord(e *rdma.Endpoint, far mem.Remote) *pingWord {
	at, n := s.cfg.Size-8, s.cfg.Size
	return &pingWord{
		comes: wordAt(s.shared.Bytes(), at), goes: s.own.Bytes()[at:n], e: e, d: s.requests.Dispatcher(),
		write: rdma.Write{From: s.own.Slice(0, n), To: far.Slice(0, n), Cookie: 1},
	}
}

// put writes, and takes the completion.
func (w *pingWord) put(v uint64) error {
	binary.NativeEndian.PutUint64(w.goes, v)
	err := w.e.PostWrite(w.write)
	for n := 0; n == 0 && err == nil; {
		if n = w.d.Poll(w.done[:]); n == 0 {
			err = w.d.Err()
		}
	}
	for range w.hold {
	}
	return err
}

// Bounds and step of hold.
const (
	holdMost = 96
	holdMore = 16
)

// found adjusts the delay of the first look. vain is the number of looks that found
// nothing. Between two looks is a pause of some 20 nanoseconds, of which half is lost on
// average. If the first look usually finds the word, the processor predicts that and
// continues with the answer while the cache line is still on its way. So the first look is
// delayed until it usually succeeds, and no longer. Where a cache line moves slowly, this
// makes no difference.
func (w *pingWord) found(vain int) {
	if vain > 0 {
		w.hold = min(w.hold+holdMore, holdMost)
	} else {
		w.hold = max(w.hold-1, 0)
	}
}
