package sharedmem

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// rings are both sides of a ring for answers.
func rings(t *testing.T) (*outRing, *inRing) {
	t.Helper()
	seg, err := shm.NewSegment("test", segmentSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { seg.Close() })
	out, in := new(outRing), new(inRing)
	for _, err := range []error{out.init(seg.Bytes(), 0, answerRing), in.init(seg.Bytes(), 0, answerRing)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return out, in
}

// TestAFullRingKeepsItsBulkBytes: the slots are all in use again before the acknowledgements are counted that made room for
// the latest frames. The bulk bytes of frames that the peer has not handled stay reserved then, too.
func TestAFullRingKeepsItsBulkBytes(t *testing.T) {
	out, in := rings(t)
	size := bulkSize / answerRing.Slots
	put := func(n int, what byte) bool {
		t.Helper()
		slot, data, at, err := out.room(n)
		if err != nil {
			t.Fatal(err)
		}
		if slot == nil {
			return false
		}
		for i := range data {
			data[i] = what
		}
		f := frame{n: uint32(n), off: at}
		out.commit(frameData, 0, f.put(slot), n)
		return true
	}
	take := func() []byte {
		t.Helper()
		if ok, err := in.next(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		defer in.done()
		return in.f.payload(in.bulk)
	}
	put(0, 0)
	for i := 1; i < answerRing.Slots; i++ {
		put(size, byte(i))
	}
	take()
	in.release()
	if !put(size, byte(answerRing.Slots)) { // the slot of the first frame, which room finds by itself
		t.Fatal("there is no room for the last frame")
	}
	if err := out.collect(); err != nil {
		t.Fatal(err)
	}
	take()
	in.release()
	if put(2*size, 0xff) {
		t.Error("a frame found room for twice the bytes that the peer has given back")
	}
	for i := 2; i <= answerRing.Slots; i++ {
		if b := take(); !bytes.Equal(b, bytes.Repeat([]byte{byte(i)}, size)) {
			t.Errorf("frame %d has %d bytes %d...", i, len(b), b[0])
		}
	}
}
