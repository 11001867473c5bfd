package sharedmem_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/shm"
)

// inFiles registers n regions of an end that lie in a memory file each, and are never written through the kernel.
func inFiles(t *testing.T, e *softtest.End, n int) []hca.Key {
	t.Helper()
	keys := make([]hca.Key, n)
	for i := range keys {
		mr, err := e.PD.Register(softtest.FileMemory(t, 4096), hca.AllAccess)
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = mr.RKey()
	}
	return keys
}

// within waits until something holds.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for late := time.Now().Add(30 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(late) {
			t.Fatal(what)
		}
	}
}

// mapped waits until an end has mapped the memory of a key, which it looks up meanwhile.
func mapped(t *testing.T, e *softtest.End, key hca.Key) {
	t.Helper()
	within(t, "the memory is never mapped", func() bool { return sharedmem.Seen(e.QP, key, hca.RemoteWrite) })
}

// fill sends messages from one end to the other, which reads none, until there is no room for more.
func fill(t *testing.T, from *softtest.End) (n int) {
	t.Helper()
	for ; ; n++ {
		switch err := sharedmem.Talk(from.QP, []byte{0}); {
		case errors.Is(err, shm.ErrAgain):
			return n
		case err != nil:
			t.Fatal(err)
		}
	}
}

// TestShmManyFilesAtOnce: more files are looked for than a socket has room for requests, and for answers. All of them
// come.
func TestShmManyFilesAtOnce(t *testing.T) {
	a, b := softtest.Connect(t, "shm", 8, 64)
	keys := inFiles(t, b, 400)
	_, request := sharedmem.QuietSocket(t, b.QP)
	_, answer := sharedmem.QuietSocket(t, a.QP)
	for _, key := range keys {
		sharedmem.Seen(a.QP, key, hca.RemoteWrite)
	}
	request()
	within(t, "the requests are not read", func() bool { return sharedmem.Unheard(t, b.QP) == 0 })
	answer()
	for _, key := range keys {
		mapped(t, a, key)
	}
}

// TestShmRequestForAFileIsRepeated: the socket had no room for it at first.
func TestShmRequestForAFileIsRepeated(t *testing.T) {
	a, b := softtest.Connect(t, "shm", 8, 64)
	key := inFiles(t, b, 1)[0]
	_, back := sharedmem.QuietSocket(t, b.QP)
	fill(t, a)
	sharedmem.Seen(a.QP, key, hca.RemoteWrite)
	back()
	mapped(t, a, key)
}

// TestShmFileIsRequestedAgainAfterALoss: an answer that cannot be read may have been the file.
func TestShmFileIsRequestedAgainAfterALoss(t *testing.T) {
	a, b := softtest.Connect(t, "shm", 8, 64)
	key := inFiles(t, b, 1)[0]
	_, back := sharedmem.QuietSocket(t, b.QP)
	sharedmem.Seen(a.QP, key, hca.RemoteWrite)
	one := sharedmem.Unheard(t, b.QP)
	if err := sharedmem.Talk(b.QP, make([]byte, 4000)); err != nil {
		t.Fatal(err)
	}
	within(t, "the answer is not read", func() bool { return sharedmem.Unheard(t, a.QP) == 0 })
	sharedmem.Seen(a.QP, key, hca.RemoteWrite)
	if n := sharedmem.Unheard(t, b.QP); n != 2*one {
		t.Errorf("the requests have %d bytes, and one has %d", n, one)
	}
	back()
	mapped(t, a, key)
}

// TestShmFileThatCannotBeSentIsRefused, so that the peer does not wait for it.
func TestShmFileThatCannotBeSentIsRefused(t *testing.T) {
	const closed = 1 << 20 // more than a process has
	defer sharedmem.SameInodes()()
	_, b := softtest.Connect(t, "shm", 8, 64)
	if _, err := b.PD.Register(hca.Memory{Bytes: make([]byte, 64), File: closed}, hca.AllAccess); err != nil {
		t.Fatal(err)
	}
	if sharedmem.Given(t, b.QP, sharedmem.FileID(closed)) {
		t.Error("a descriptor that is closed was sent")
	}
}

// TestShmFloodedSocket: a peer that sends without end on its socket does not keep the poller from other connections.
func TestShmFloodedSocket(t *testing.T) {
	a, b := softtest.Connect(t, "shm", 8, 64)
	handle, back := sharedmem.QuietSocket(t, b.QP)
	sent := fill(t, a)
	handle()
	if left := sharedmem.Unheard(t, b.QP); left != sent-sharedmem.SocketRun {
		t.Errorf("%d messages of %d are left after one run", left, sent)
	}
	back()
	within(t, "the rest is not read", func() bool { return sharedmem.Unheard(t, b.QP) == 0 })
}
