package group

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/fence/fencetest"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// heard tells of each message.
type heard struct {
	here chan struct{}
	told atomic.Pointer[func()] // on the goroutine that handles the message; nil: nothing
}

func (h *heard) Arm() {
	if told := h.told.Load(); told != nil {
		(*told)()
	}
	h.here <- struct{}{}
}

func (h *heard) Poll(*core.CQ, *hca.WC) bool { return false }

// consumed is a group of one member whose queue a test consumes, and message, with which its peer sends.
func consumed(t *testing.T) (g *Group, queue *core.CQ, m *heard, message func()) {
	t.Helper()
	defer Everywhere()()
	a := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{})
	made, err := a.NewCQ(hca.CQConfig{Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	queue, m = made.(*core.CQ), &heard{here: make(chan struct{}, 1)}
	place, grouped, _ := new(Groups).enter(&core.QP{Adapter: a, SendCQ: queue, RecvCQ: queue}, Process{PID: 1}, m)
	if !grouped {
		t.Skip("the system has no such memory")
	}
	t.Cleanup(func() {
		place.leave()
		_ = queue.Close()
		a.Shutdown(func() {})
	})
	g = place.group
	r := &ringer{page: g.page, event: g.event}
	return g, queue, m, func() { r.ring(r.page.flag(place.slot)) }
}

func (h *heard) wait(t *testing.T, who string) {
	t.Helper()
	select {
	case <-h.here:
	case <-time.After(30 * time.Second):
		t.Fatal(who, "does not hear the doorbell")
	}
}

// hears waits until the adapter's poller hears the doorbell.
func hears(t *testing.T, g *Group) {
	t.Helper()
	away := func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.away
	}
	for end := time.Now().Add(30 * time.Second); away(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("nobody hears the doorbell of a consumer that has parked and does not poll")
		}
	}
}

// TestAPollBesideTheEndOfTheWatch: the watch has seen no poll, and is about to say that it no longer watches.
func TestAPollBesideTheEndOfTheWatch(t *testing.T) {
	g, queue, m, message := consumed(t)
	g.page.bell.Disarm()
	g.Watched.Store(true)
	for range 2 * manyPolls {
		queue.Poll(make([]hca.WC, 1))
	}
	g.Watched.Store(false)
	g.Rearm()
	for range 2 { // behind the first the poller leaves the group to a consumer that polls, if there is one
		message()
		m.wait(t, "the adapter")
	}
}

// TestTheDoorbellFollowsTheConsumer: whoever is there hears it, and it goes over from one to the next.
func TestTheDoorbellFollowsTheConsumer(t *testing.T) {
	g, queue, m, message := consumed(t)
	arm := func() {
		t.Helper()
		if err := queue.Arm(); err != nil {
			t.Fatal(err)
		}
	}
	park := func() {
		t.Helper()
		if !queue.AcquirePark() {
			t.Fatal("the consumer cannot park")
		}
		m.told.Store(queue.Kicker())
		message()
		if !queue.Park(nil) {
			t.Fatal("the park is left")
		}
		m.wait(t, "the consumer that parks")
		m.told.Store(nil)
	}
	for range 20 {
		arm()
		message()
		m.wait(t, "the adapter")

		park()
		arm() // another consumer sleeps, who does not park
		queue.ReleasePark(true)
		message()
		m.wait(t, "the adapter behind a park")

		queue.Poll(make([]hca.WC, 1)) // the one behind arming
		queue.Poll(make([]hca.WC, 1))
		park()
		(*queue.Kicker())()
		queue.Park(nil) // finds nothing, and arms the doorbell
		queue.ReleasePark(false)
		g.Unpolled()
		hears(t, g) // the adapter's poller, perhaps after a last look
		message()
		m.wait(t, "the adapter behind a consumer that is awake")
	}
}

// TestAThreadHearsTheDoorbell in poll(2). Before it sleeps again, the former ring is taken back, and what it was for is handled.
func TestAThreadHearsTheDoorbell(t *testing.T) {
	_, queue, m, message := consumed(t)
	for range 3 {
		fds, err := queue.ArmDescriptors(nil)
		if err != nil || len(fds) != 1 {
			t.Fatal(fds, err)
		}
		if shm.Drain(int(fds[0])) {
			t.Fatal("woken for nothing")
		}
		message()
		if _, err := queue.ArmDescriptors(nil); err != nil || len(m.here) != 1 {
			t.Fatal("slept behind a ring, without a look", err)
		}
		m.wait(t, "the thread")
		if shm.Drain(int(fds[0])) {
			t.Fatal("woken for what is handled")
		}
		message()
		if !shm.Drain(int(fds[0])) {
			t.Fatal("the thread is not woken")
		}
		queue.DisarmDescriptors(false)
		m.wait(t, "the adapter") // which looks after a consumer that does not poll
	}
}

// TestOneOfTheTwoArms: a consumer stops polling while the adapter's poller leaves the group to it.
func TestOneOfTheTwoArms(t *testing.T) {
	g, _, _ := still(t, 1)
	b := &bellHandler{g}
	begin := func() {
		g.page.bell.Disarm()
		g.serves.Store(true)
		g.Polled.Store(true)
	}
	begin()
	if b.finish(true); g.page.bell.Armed() {
		t.Error("the poller has armed for a consumer that polls")
	}
	if g.Unpolled(); !g.page.bell.Armed() {
		t.Error("a consumer that stops polling has not armed")
	}
	begin()
	fencetest.Together(200_000, func(uint64) { g.Unpolled() }, func(uint64) { b.finish(true) }, func(round uint64) {
		if !g.page.bell.Armed() {
			t.Fatalf("round %d: nobody has armed", round)
		}
		begin()
	})
}
