package sharedmem_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// killSpot is the size of the memory of one operation; killSpots is the number of operations of each kind:
// reads, sends and receives, in this order.
const (
	killSpot  = 20 << 10
	killSpots = 6
)

// TestNobodyTouchesMemoryBehindAKill kills a peer process after a number of entries. The test paints the memory
// of each operation after its completion, good or flushed, and the paint must stay. What the peer sent back
// before must be what it received, not the paint.
func TestNobodyTouchesMemoryBehindAKill(t *testing.T) {
	for _, path := range []string{"shm", "tcp"} {
		t.Run(path, func(t *testing.T) {
			for round := range 6 {
				killBehind(t, path, 40*round)
			}
		})
	}
}

func killBehind(t *testing.T, path string, moment int) {
	const paint = 0xC1
	s := startServer(t, path)
	u := newUser(t, path, nil, s)
	spot := func(id uint64) []byte { return u.mem[id*killSpot : (id+1)*killSpot] }
	var busy, painted [3 * killSpots]bool
	sent, back := 0, 0
	message := func(k int) byte { return byte(1 + k%100) }
	post := func(id uint64) {
		if painted[id] && bytes.Count(spot(id), []byte{paint}) != killSpot {
			t.Errorf("the memory of operation %d was changed behind its completion", id)
		}
		var err error
		switch local := u.seg(int(id)*killSpot, killSpot); {
		case id < killSpots:
			err = u.qp.PostSend(hca.SendWR{ID: id, Op: hca.OpRead, Local: local, Remote: u.remote, RKey: u.rkey})
		case id < 2*killSpots:
			copy(spot(id), bytes.Repeat([]byte{message(sent)}, killSpot))
			sent++
			err = u.qp.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Local: local})
		default:
			err = u.qp.PostRecv(hca.RecvWR{ID: id, Local: local})
		}
		if err != nil {
			t.Fatal(err)
		}
		busy[id], painted[id] = true, false
	}
	take := func() (n int) {
		var wcs [16]hca.WC
		for _, wc := range wcs[:u.cq.Poll(wcs[:])] {
			if wc.Op == hca.OpRecv && wc.Status == hca.StatusOK {
				if bytes.Count(spot(wc.ID), []byte{message(back)}) != killSpot {
					t.Errorf("message %d came back as %#x..., not as %#x", back, spot(wc.ID)[:4], message(back))
				}
				back++
			}
			copy(spot(wc.ID), bytes.Repeat([]byte{paint}, killSpot))
			busy[wc.ID], painted[wc.ID] = false, true
			n++
		}
		return n
	}
	late := time.Now().Add(30 * time.Second)
	for taken := 0; taken < moment && time.Now().Before(late); taken += take() {
		for id := len(busy) - 1; id >= 0; id-- { // receives first
			if !busy[id] {
				post(uint64(id))
			}
		}
		runtime.Gosched()
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for over := false; !over; runtime.Gosched() {
		select {
		case <-u.events:
			over = true
		default:
			if take(); time.Now().After(late) {
				t.Fatal("no word of the peer's end")
			}
		}
	}
	for take() > 0 {
	}
	if err := u.qp.Close(); err != nil {
		t.Fatal(err)
	}
	for id := range busy {
		if busy[id] || painted[id] && bytes.Count(spot(uint64(id)), []byte{paint}) != killSpot {
			t.Errorf("operation %d: without an entry: %v; or its memory was changed behind its completion", id, busy[id])
		}
	}
}
