package mailbox_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// drive is a run of the random driver: clients that dial again and again, and a mailbox that is closed
// and opened again now and then.
type drive struct {
	t     *testing.T
	a     *rdma.Adapter
	seed  uint64
	want  int64
	codec *mailbox.Codec[ticket] // nil: tickets travel as plain values
	sent  atomic.Int64
	box   atomic.Pointer[mailbox.Mailbox[ticket, uint64]]
	mu    sync.Mutex
	lives map[life]*record
}

// TestDrive lets clients send, ask, cancel and die at random, and compares what the mailbox got with
// what the calls have said. GODAPL_MAILBOX=1000000 sends so many values on each path.
func TestDrive(t *testing.T) {
	want, seed := number("GODAPL_MAILBOX", 4000), number("GODAPL_SEED", 1)
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for name, codec := range map[string]*mailbox.Codec[ticket]{"codec": tickets(), "plain": nil} {
			t.Run(name, func(t *testing.T) {
				d := &drive{t: t, a: a, codec: codec, seed: uint64(seed), want: want, lives: map[life]*record{}}
				d.run()
				d.compare()
			})
		}
	})
}

// number is what a variable of the environment says.
func number(name string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

func (d *drive) run() {
	const clients = 6
	d.open()
	var clientsDone, reading sync.WaitGroup
	for client := range uint32(clients) {
		clientsDone.Go(func() {
			for session := uint32(0); d.sent.Load() < d.want && !d.t.Failed(); session++ {
				d.session(client, session)
			}
		})
	}
	closed := make(chan struct{})
	reading.Go(func() {
		for {
			b := d.box.Load()
			d.read(b)
			d.open() // it was closed in read
			select {
			case <-closed: // what is closed below may be the one before
				return
			default:
			}
		}
	})
	clientsDone.Wait()
	close(closed)
	_ = d.box.Load().Close()
	reading.Wait()
	_ = d.box.Load().Close()
}

func (d *drive) open() {
	d.box.Store(listen(d.t, d.a, mailbox.Config[ticket, uint64]{Values: d.codec, Depth: 50, Slot: 64, MaxLarge: 30_000, MaxValue: 20_000, Window: 8}))
}

// read takes what the mailbox gets, answers or declines asks, some of them late, aborts some
// connections, and closes the mailbox some time.
func (d *drive) read(b *mailbox.Mailbox[ticket, uint64]) {
	r := rand.New(rand.NewPCG(d.seed, uint64(d.sent.Load())))
	var late []mailbox.Message[ticket, uint64]
	var closing sync.WaitGroup
	defer closing.Wait()
	life := int64(r.IntN(int(d.want)/4 + 1000))
	for m := range b.C() {
		d.received(m.Value)
		if life--; life == 0 {
			closing.Go(func() { _ = b.Close() })
		}
		switch n := r.IntN(2000); {
		case n == 0:
			m.Abort()
		case !m.Asked():
		case n < 20:
			_ = m.Decline("not now")
		case n < 200:
			late = append(late, m)
		default:
			_ = m.Reply(m.Value.seq)
		}
		if len(late) > 0 && (len(late) > 10 || b.Len() == 0) {
			for _, m := range late {
				_ = m.Reply(m.Value.seq)
			}
			late = late[:0]
		}
	}
}

// session is one connection of a client, with two goroutines that send, and its end.
func (d *drive) session(client, session uint32) {
	r := rand.New(rand.NewPCG(d.seed, uint64(client)<<32|uint64(session)))
	async := r.IntN(2) == 0
	s, err := mailbox.Dial(d.t.Context(), d.a, d.box.Load().Addr().String(),
		mailbox.DialConfig[ticket, uint64]{Values: d.codec, Async: async, Window: 1 + r.IntN(12), Asks: 1 + r.IntN(4)})
	if err != nil {
		mailbox.Yield() // the mailbox is being closed
		return
	}
	var streams sync.WaitGroup
	ops := 1 + r.IntN(min(3000, int(d.want)/10))
	var lives []*record
	for stream := range uint32(2) {
		x := &record{life: life{client, session, stream}}
		d.mu.Lock()
		d.lives[x.life] = x
		d.mu.Unlock()
		lives = append(lives, x)
		seed := r.Uint64()
		streams.Go(func() { x.stream(d, s, rand.New(rand.NewPCG(d.seed, seed)), ops, async) })
	}
	if r.IntN(3) == 0 {
		streams.Wait()
	}
	_ = s.Close()
	streams.Wait()
	lost := new(mailbox.Lost)
	if !errors.As(context.Cause(s.Context()), &lost) {
		d.t.Errorf("the cause is %v", context.Cause(s.Context()))
	}
	for _, x := range lives {
		x.lost = lost
	}
}

func (d *drive) received(v ticket) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x := d.lives[v.life]
	switch {
	case x == nil:
		d.t.Errorf("a value of %v, which does not exist", v.life)
	case v.seq < x.next:
		d.t.Errorf("%v: value %d after %d", v.life, v.seq, x.next-1)
	default:
		x.next = v.seq + 1
		x.got = append(x.got, v.seq)
	}
}
