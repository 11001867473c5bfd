package receives_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// put posts a receive with one segment for each part, if there is room.
func put(q *receives.Queue, id uint64, parts ...uint32) bool {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	if !q.Count() {
		return false
	}
	wr := hca.RecvWR{ID: id, Local: hca.Segment{Len: parts[0]}}
	for _, n := range parts[1:] {
		wr.More = append(wr.More, hca.Segment{Len: n})
	}
	q.Put(&wr)
	return true
}

// TestQueue compares the queue with a list, over random posts and takes. A queue that is emptied now and then
// grows at every place of its rings. What was taken stays as it is.
func TestQueue(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		q := &receives.Queue{Limit: 1 << 20}
		type want struct {
			id   uint64
			room uint64
			more int
		}
		var list []want
		var got receives.Receive
		var last want
		for i := range uint64(2000) {
			if got.Room() != last.room || len(got.More) != last.more {
				t.Fatalf("seed %d: step %d: what was taken has room for %d in %d segments more meanwhile, want %v", seed, i, got.Room(), len(got.More), last)
			}
			if rng.IntN(10) < 4 {
				is := q.Take(&got)
				if is != (len(list) > 0) {
					t.Fatalf("seed %d: step %d: took one: %v, of %d", seed, i, is, len(list))
				}
				if !is {
					continue
				}
				if w := list[0]; got.ID != w.id || got.Room() != w.room || len(got.More) != w.more {
					t.Fatalf("seed %d: step %d: took number %d with room for %d in %d segments more, want %v", seed, i, got.ID, got.Room(), len(got.More), w)
				}
				last, list = list[0], list[1:]
				continue
			}
			w := want{id: i}
			var parts []uint32
			for range 1 + rng.IntN(3) {
				n := rng.Uint32N(100)
				parts = append(parts, n)
				w.room += uint64(n)
			}
			if w.more = len(parts) - 1; !put(q, i, parts...) {
				t.Fatalf("seed %d: step %d: no room", seed, i)
			}
			if list = append(list, w); q.Len() != len(list) {
				t.Fatalf("seed %d: step %d: %d wait, want %d", seed, i, q.Len(), len(list))
			}
		}
	}
}

// TestLimit: receives count until their completions are taken, not until messages take them.
func TestLimit(t *testing.T) {
	q := &receives.Queue{Limit: 2}
	if !put(q, 1, 8) || !put(q, 2, 8) || put(q, 3, 8) {
		t.Fatal("a queue for two receives takes others than two")
	}
	var r receives.Receive
	if !q.Take(&r) || put(q, 3, 8) {
		t.Fatal("there is room for another receive, although the completion of the first one was not taken")
	}
	r.Back.N.Add(1)
	if !put(q, 3, 8) || q.UsedAfterEnd() != 2 {
		t.Errorf("after a completion was taken there is no room, or %d are in use, want 2", q.UsedAfterEnd())
	}
	q.Mu.Lock()
	q.Uncount()
	if n := q.Used(); n != 1 || !q.Count() {
		t.Errorf("%d are in use, want 1", n)
	}
	q.DropAll()
	q.Mu.Unlock()
	if q.Len() != 0 || q.UsedAfterEnd() != 0 || q.Oldest() != nil {
		t.Errorf("%d wait and %d are in use, want none", q.Len(), q.UsedAfterEnd())
	}
}

// TestTakeBesidePosts: one goroutine takes while another posts, and the queue grows. Each receive is taken
// once, in order.
func TestTakeBesidePosts(t *testing.T) {
	const n = 20000
	q := &receives.Queue{Limit: n}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range uint64(n) {
			put(q, i, uint32(i), uint32(i))
		}
	})
	var r receives.Receive
	var wrong []uint64
	for i := uint64(0); i < n; {
		if !q.Take(&r) && !q.TakeBehind(&r) {
			continue
		}
		if r.ID != i || r.Room() != 2*i {
			wrong = append(wrong, r.ID)
		}
		i++
	}
	wg.Wait()
	if len(wrong) > 0 {
		t.Errorf("%d receives came out of order, or with other memory: %v", len(wrong), slices.Clip(wrong[:min(5, len(wrong))]))
	}
}
