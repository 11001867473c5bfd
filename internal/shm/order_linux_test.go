package shm_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/godapl/godapl/internal/fence"
	"github.com/godapl/godapl/internal/shm"
)

const (
	atTurn = 0
	atAck  = 64
	atBlob = 4096
	blob   = shm.PieceSize
)

func init() {
	roles["last byte"] = writeLastByteLast
	roles["sleeper"] = sleepAndAnswer
	roles["holder"] = holdSecret
}

// writeLastByteLast writes blobs of various sizes, each filled with one value, each as
// soon as the one before was acknowledged.
func writeLastByteLast() error {
	mem, err := shared()
	if err != nil {
		return err
	}
	done, ack := untilEnd(), shm.Word64(mem, atAck)
	src := make([]byte, blob)
	for n := uint64(1); ; n++ {
		for i := range src {
			src[i] = blobValue(n)
		}
		for ack.Load() != n {
			if isDone(done) {
				return nil
			}
			pause()
		}
		size := blobSize(n)
		shm.CopyLast(mem[atBlob:atBlob+size], src)
	}
}

func blobValue(n uint64) byte { return byte(n%255) + 1 }

func blobSize(n uint64) int { return int(n*7919)%(blob-1) + 2 }

// TestLastByteIsLast: when the last byte of another process's write has changed, all bytes have.
func TestLastByteIsLast(t *testing.T) {
	h := startRole(t, "last byte", atBlob+blob)
	mem := h.seg.Bytes()
	ack := shm.Word64(mem, atAck)
	for n := uint64(1); n <= 300; n++ {
		data := mem[atBlob : atBlob+blobSize(n)]
		clear(data)
		last := loadByte(mem, atBlob+len(data)-1)
		ack.Store(n)
		value := blobValue(n)
		await(t, "the last byte", func() bool { return last() == value })
		if !bytes.Equal(data, bytes.Repeat([]byte{value}, len(data))) {
			t.Fatalf("round %d: the last of %d bytes was there before others", n, len(data))
		}
	}
}

// sleepAndAnswer sleeps once per round, takes all messages, and answers.
func sleepAndAnswer() error {
	mem, err := shared()
	if err != nil {
		return err
	}
	go func() { // when the parent ends, nothing else wakes the sleeper
		<-untilEnd()
		os.Exit(0)
	}()
	doorbell := shm.NewDoorbell(shm.Word32(mem, atDoorbellThere), orderOf(mem))
	other := shm.NewDoorbell(shm.Word32(mem, atDoorbellHere), orderOf(mem))
	return pingPong(mem, doorbell, other, parkOn(5), 4, atTurn, atAck)
}

const (
	atDoorbellHere  = 128
	atDoorbellThere = 192
	atFence         = 256
)

func orderOf(mem []byte) shm.Order {
	return shm.NewOrder(shm.Word64(mem, atFence).Load() == 0)
}

// pingPong waits until the word at in has increased by one, and then stores it at out.
func pingPong(mem []byte, doorbell, other shm.Doorbell, sleep func() error, event int, in, out int) error {
	from, to := shm.Word64(mem, in), shm.Word64(mem, out)
	for n := uint64(1); ; n++ {
		for from.Load() < n {
			doorbell.Arm()
			if from.Load() < n {
				if err := sleep(); err != nil {
					return err
				}
			}
			doorbell.Disarm()
		}
		fence.StoreRelease(to, n)
		if err := other.Ring(event); err != nil {
			return err
		}
	}
}

// TestDoorbellLosesNoWakeUp plays ping-pong between two processes that always sleep,
// with and without a fence on the ringer's side. A lost wake-up hangs it.
func TestDoorbellLosesNoWakeUp(t *testing.T) {
	for _, fenced := range []uint64{0, 1} {
		t.Run(fmt.Sprintf("fenced=%d", fenced), func(t *testing.T) {
			h := startSleeper(t, fenced)
			if fenced == 0 && !orderOf(h.seg.Bytes()).Asymmetric() {
				t.Skip("the kernel has no expedited membarrier")
			}
			rounds := uint64(20000)
			if testing.Short() {
				rounds = 2000
			}
			h.play(t, rounds)
		})
	}
}

type sleeper struct {
	*helper
	theirs int
}

func startSleeper(t testing.TB, fenced uint64) sleeper {
	seg := func(mem []byte) { shm.Word64(mem, atFence).Store(fenced) }
	h := startRoleWith(t, "sleeper", 4096, seg)
	return sleeper{h, h.theirs}
}

// play is the side of the exchange that begins.
func (s sleeper) play(t testing.TB, rounds uint64) {
	t.Helper()
	mem := s.seg.Bytes()
	o := orderOf(mem)
	mine, other := shm.NewDoorbell(shm.Word32(mem, atDoorbellHere), o), shm.NewDoorbell(shm.Word32(mem, atDoorbellThere), o)
	turn, ack := shm.Word64(mem, atTurn), shm.Word64(mem, atAck)
	from := turn.Load()
	for n := from + 1; n <= from+rounds; n++ {
		fence.StoreRelease(turn, n)
		must(t, other.Ring(s.theirs))
		for ack.Load() < n {
			mine.Arm()
			if ack.Load() < n {
				must(t, s.mine.Sleep())
			}
			mine.Disarm()
		}
	}
}

// TestDoorbellRingsOnce: one signal for a batch, and none when no sleeper is armed.
func TestDoorbellRingsOnce(t *testing.T) {
	mem := aligned(64)
	event := made(shm.NewEvent())(t)
	defer shm.CloseFD(event)
	for _, o := range []shm.Order{{}, shm.NewOrder(true)} {
		b := shm.NewDoorbell(shm.Word32(mem, 0), o)
		must(t, b.Ring(event))
		if b.Armed() || shm.Drain(event) {
			t.Error("rung for nobody")
		}
		b.Arm()
		if !b.Armed() {
			t.Error("not armed")
		}
		for range 3 {
			must(t, b.Ring(event))
		}
		if b.Armed() || !shm.Drain(event) {
			t.Error("not rung")
		}
		b.Arm()
		b.Disarm()
		must(t, b.Ring(event))
		if b.Armed() || shm.Drain(event) {
			t.Error("rung for somebody who is awake")
		}
		shm.Word32(mem, 0).Store(0xdeadbeef) // a peer's scribbling
		must(t, b.Ring(event))
		if !shm.Drain(event) {
			t.Error("whatever is there wakes")
		}
		must(t, b.Ring(event))
		if shm.Drain(event) {
			t.Error("and once only")
		}
	}
}

func TestParkCloses(t *testing.T) {
	p := made(shm.NewPark())(t)
	must(t, shm.Signal(p.FD()))
	must(t, p.Sleep())
	done := make(chan error)
	go func() { done <- p.Sleep() }()
	must(t, p.Close())
	wants(t, "Sleep", <-done, shm.ErrClosed)
	wants(t, "Sleep after Close", p.Sleep(), shm.ErrClosed)
	wants(t, "second Close", p.Close(), shm.ErrClosed)
}

// holdSecret holds memory whose address it tells its parent.
func holdSecret() error {
	mem, err := shared()
	if err != nil {
		return err
	}
	own := make([]byte, 2*blob)
	copy(own, mem[atBlob:atBlob+32])
	shm.Word64(mem, atTurn).Store(addressOf(own))
	<-untilEnd()
	if !bytes.Equal(own[100:105], []byte("hello")) {
		return errors.New("nothing was written")
	}
	return nil
}

// TestPeerMemory reads and writes another process's memory, and nothing else.
func TestPeerMemory(t *testing.T) {
	secret := make([]byte, 32)
	rand.Read(secret)
	h := startRoleWith(t, "holder", atBlob+4096, func(mem []byte) { copy(mem[atBlob:], secret) })
	at := shm.Word64(h.seg.Bytes(), atTurn)
	await(t, "the helper's memory", func() bool { return at.Load() != 0 })
	pid, addr := h.cmd.Process.Pid, at.Load()
	err := shm.ProbePeer(pid, addr, secret)
	if errors.Is(err, shm.ErrDenied) || errors.Is(err, shm.ErrUnsupported) {
		h.kill()
		t.Skipf("this system forbids it: %v", err)
	}
	must(t, err)
	wants(t, "probe of another secret", shm.ProbePeer(pid, addr+1, secret), shm.ErrUnfit)
	if err := shm.ProbePeer(os.Getpid(), addr, secret); err == nil {
		t.Error("this process was taken for the other one")
	}
	wants(t, "probe of no process", shm.ProbePeer(0, addr, secret), shm.ErrDenied)
	wants(t, "probe of a process that is not there", shm.ProbePeer(1<<30, addr, secret), shm.ErrGone)

	if n, err := shm.WritePeer(pid, addr+100, []byte("hello")); n != 5 || err != nil {
		t.Error(n, err)
	}
	got := make([]byte, 32)
	if n, err := shm.ReadPeer(pid, got, addr); n != 32 || err != nil || !bytes.Equal(got, secret) {
		t.Error(n, err, got)
	}
	if n, err := shm.ReadPeer(pid, got[:5], addr+100); n != 5 || err != nil || string(got[:5]) != "hello" {
		t.Error(n, err, got)
	}
	if n, err := shm.ReadPeer(pid, make([]byte, 2*blob), addr); n != shm.PieceSize || err != nil {
		t.Error(n, err)
	}
	if n, err := shm.ReadPeer(pid, nil, addr); n != 0 || err != nil {
		t.Error(n, err)
	}
	for _, n := range []int{1, 2, 64, 4097, shm.PieceSize} {
		src := bytes.Repeat([]byte{byte(n + 1)}, n)
		src[n-1] = byte(n + 2)
		if k, err := shm.WritePeerLast(pid, addr+200, src); k != n || err != nil {
			t.Error(k, err)
		}
		back := make([]byte, n)
		if k, err := shm.ReadPeer(pid, back, addr+200); k != n || err != nil || !bytes.Equal(back, src) {
			t.Errorf("%d bytes, the last one last: %d, %v", n, k, err)
		}
	}
	for _, bad := range []uint64{0, 8, 1 << 62, 1<<64 - 1, 1<<64 - 16} {
		n, err := shm.ReadPeer(pid, got, bad)
		wants(t, fmt.Sprintf("ReadPeer at %#x", bad), err, shm.ErrFault)
		if n != 0 {
			t.Error(n)
		}
		_, err = shm.WritePeer(pid, bad, got)
		wants(t, fmt.Sprintf("WritePeer at %#x", bad), err, shm.ErrFault)
	}
}
