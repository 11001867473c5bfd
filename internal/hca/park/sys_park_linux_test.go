package park

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/race"
)

// readers is a driver that reads its descriptor. It kicks its park when it has found something.
type readers struct {
	fd    int
	found int
}

func (d *readers) Arrived(p *Park) {
	var b [8]byte
	if n, _ := unix.Read(d.fd, b[:]); n > 0 {
		d.found += n
		(*p.Kicker())()
	}
}

// eachKind runs a test with both kinds of park.
func eachKind(t *testing.T, test func(t *testing.T, open opener)) {
	t.Run("far", func(t *testing.T) { test(t, (*Park).Open) })
	t.Run("near", func(t *testing.T) { test(t, (*Park).OpenNear) })
}

type opener func(*Park, Driver) error

// newPark returns a park with one end of a pair of sockets in it, and the other end.
func newPark(t *testing.T, open opener) (p *Park, d *readers, peer int) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, d = new(Park), &readers{fd: pair[0]}
	if open(p, d) != nil || p.add(d.fd) != nil || !p.AcquirePark() {
		t.Fatal("there is no park")
	}
	t.Cleanup(func() {
		p.Close()
		_ = unix.Close(pair[0])
		_ = unix.Close(pair[1])
	})
	return p, d, pair[1]
}

func write(t *testing.T, fd int) {
	t.Helper()
	if _, err := unix.Write(fd, []byte{1}); err != nil {
		t.Error(err)
	}
}

// TestArrivalsWakeAParkedConsumer: each of them, whether it comes before the consumer sleeps or while it does.
func TestArrivalsWakeAParkedConsumer(t *testing.T) { eachKind(t, testArrivalsWakeAParkedConsumer) }

func testArrivalsWakeAParkedConsumer(t *testing.T, open opener) {
	p, d, peer := newPark(t, open)
	for i := range 1000 {
		if i%2 == 0 {
			write(t, peer)
		} else {
			go write(t, peer)
		}
		for d.found == i {
			if !p.Park(nil) {
				t.Fatal("the park has ended")
			}
		}
	}
}

// TestKicksWakeAParkedConsumer: also if they come late, or when there is no consumer.
func TestKicksWakeAParkedConsumer(t *testing.T) { eachKind(t, testKicksWakeAParkedConsumer) }

func testKicksWakeAParkedConsumer(t *testing.T, open opener) {
	p, _, _ := newPark(t, open)
	kick := *p.Kicker()
	done := make(chan struct{})
	for range 1000 {
		go func() { kick(); kick(); done <- struct{}{} }()
		if !p.Park(nil) {
			t.Fatal("the park has ended")
		}
		p.ReleasePark()
		<-done
		kick()
		if !p.AcquirePark() {
			t.Fatal("the park has an owner already")
		}
	}
}

// TestClosingAParkEndsTheSleep: the owner goes elsewhere.
func TestClosingAParkEndsTheSleep(t *testing.T) { eachKind(t, testClosingAParkEndsTheSleep) }

func testClosingAParkEndsTheSleep(t *testing.T, open opener) {
	p, d, _ := newPark(t, open)
	go p.Close()
	if p.Park(nil) {
		t.Error("the park says that it was kicked")
	}
	p.Close()
	if p.Park(nil) || p.Open(d) == nil || p.add(d.fd) == nil {
		t.Error("a closed park can be used")
	}
	p.remove(d.fd)
}

// busy is a driver whose work lasts until the test ends it.
type busy struct{ in, out chan struct{} }

func (d *busy) Arrived(*Park) { d.in <- struct{}{}; <-d.out }

// TestClosingAParkDoesNotWaitForItsOwner: the kernel queue stays until the owner has left, who uses it.
func TestClosingAParkDoesNotWaitForItsOwner(t *testing.T) {
	p, d := new(Park), &busy{make(chan struct{}), make(chan struct{})}
	if p.Open(d) != nil || !p.AcquirePark() {
		t.Fatal("there is no park")
	}
	q := p.queue.(*epollQueue)
	left := make(chan bool)
	go func() { stays := p.Park(nil); p.ReleasePark(); left <- stays }()
	<-d.in
	p.Close() // returns
	if q.File.Fd() == ^uintptr(0) {
		t.Error("the kernel queue is closed while its owner uses it")
	}
	close(d.out)
	if <-left {
		t.Error("the park says that it was kicked")
	}
	if q.File.Fd() != ^uintptr(0) {
		t.Error("the kernel queue is left open")
	}
	if p.AcquirePark() {
		t.Error("a closed park has an owner")
	}
}

// TestClosingBesideTheOwner: whichever comes last, the owner's leave or Close, frees the kernel queue.
func TestClosingBesideTheOwner(t *testing.T) {
	for range 1000 {
		p := new(Park)
		if p.Open(&readers{fd: -1}) != nil || !p.AcquirePark() {
			t.Fatal("there is no park")
		}
		q := p.queue.(*epollQueue)
		done := make(chan struct{})
		go func() { p.Close(); close(done) }()
		p.ReleasePark()
		<-done
		if q.File.Fd() != ^uintptr(0) {
			t.Fatal("the kernel queue is left open")
		}
	}
}

// TestAParkedConsumerAllocatesNothing holds for the sleep, the arrival and the kick.
func TestAParkedConsumerAllocatesNothing(t *testing.T) {
	eachKind(t, testAParkedConsumerAllocatesNothing)
}

func testAParkedConsumerAllocatesNothing(t *testing.T, open opener) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	p, _, peer := newPark(t, open)
	threads.Add(-1) // AllocsPerRun leaves one processor, on which no owner sleeps on its thread otherwise
	defer threads.Add(1)
	if n := testing.AllocsPerRun(100, func() {
		write(t, peer)
		p.Park(nil)
		p.ReleasePark()
		p.AcquirePark()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
