package dat_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/compat/dat"
)

// FuzzConsumer: a program makes any calls in any order, with arguments of every kind: good ones, handles that were freed,
// that are of another kind or of another adapter, null, and junk. Each call returns what the pages list for it, each
// operation completes once, each connection has one beginning and one end, and in the end everything can be freed.
func FuzzConsumer(f *testing.F) {
	for seed := range uint64(120) {
		f.Add(seed%4 == 3, randomProgram(seed, 200+int(seed%5)*200))
	}
	f.Fuzz(func(t *testing.T, together bool, program []byte) {
		synctest.Test(t, func(t *testing.T) {
			c := newConsumer(t)
			programs := [][]byte{program}
			if c.together = together; together {
				programs = [][]byte{program[:len(program)/2], program[len(program)/2:]}
			}
			var others sync.WaitGroup
			for _, b := range programs[1:] {
				others.Go(func() { (&caller{consumer: c, b: b[:min(len(b), 4096)]}).run() })
			}
			(&caller{consumer: c, b: programs[0][:min(len(programs[0]), 4096)]}).run()
			others.Wait()
			if !t.Failed() {
				c.end()
			}
		})
	})
}

func randomProgram(seed uint64, n int) []byte {
	rng, b := rand.New(rand.NewPCG(seed, 2)), make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// consumer is what the callers know in common. Nobody makes a call while it holds mu.
type consumer struct {
	t        *testing.T
	together bool // there are two callers, and so none knows what there is when it makes a call
	allowed  map[string][]string
	clock    dat.EVDHandle // waits for it make time pass
	waiters  sync.WaitGroup

	mu       sync.Mutex
	objects  []*object
	posts    map[uint64]*post
	last     uint64
	messages map[dat.EVDHandle][]uint64 // software events that are queued
	links    map[dat.EPHandle]*links
}

// object is what has a handle. It is never forgotten.
type object struct {
	kind   dat.HandleType
	handle dat.Handle
	ia     dat.IAHandle
	gone   bool
	lent   bool // an endpoint that belongs to a request, or a dispatcher that the adapter has made
	flags  dat.EVDFlags
	mem    memory        // of a region
	number uint64        // a qualifier, or the length of a queue
	binds  dat.EVDHandle // of an endpoint in the form of 1.0
}

// caller makes the calls that its bytes tell.
type caller struct {
	*consumer
	b  []byte
	ia dat.IAHandle // whose objects are used now
	// dead: the first handle of the call is of no object, and was of none before.
	dead, first bool
	aheads      map[dat.EVDHandle]*dat.Ahead
}

// adapters that the programs use, all by this name.
const consumed = "soft-loop"

func newConsumer(t *testing.T) *consumer {
	c := &consumer{t: t, allowed: map[string][]string{}, posts: map[uint64]*post{}, messages: map[dat.EVDHandle][]uint64{}, links: map[dat.EPHandle]*links{}}
	for _, row := range table(t, "returns.txt") {
		c.allowed[row[0]] = row[1:]
	}
	var ia dat.IAHandle
	exists := dat.EVDAsyncExists
	ok(t, dat.IAOpen(consumed, 8, &exists, &ia))
	c.clock = evd(t, ia, 8, dat.EVDSoftwareFlag)
	t.Cleanup(func() {
		for _, o := range c.live(dat.HandleTypeIA, nil) { // the test has failed
			dat.IAClose(o.ia, dat.CloseAbruptFlag)
		}
		dat.IAClose(ia, dat.CloseAbruptFlag)
		c.waiters.Wait()
	})
	for i := range 2 {
		c.world(uint64(i))
	}
	return c
}

// world is an adapter with objects of most kinds. Queues are so long that no event is lost.
func (c *consumer) world(n uint64) {
	t := c.t
	var (
		ia    dat.IAHandle
		async dat.EVDHandle
		pz    dat.PZHandle
		srq   dat.SRQHandle
		psp   dat.PSPHandle
		evds  [4]dat.EVDHandle
	)
	ok(t, dat.IAOpen(consumed, enough, &async, &ia))
	c.add(object{kind: dat.HandleTypeIA, handle: dat.Handle(ia), ia: ia})
	c.add(object{kind: dat.HandleTypeEVD, handle: dat.Handle(async), ia: ia, lent: true, number: enough})
	ok(t, dat.PZCreate(ia, &pz))
	c.add(object{kind: dat.HandleTypePZ, handle: dat.Handle(pz), ia: ia})
	for i, flags := range []dat.EVDFlags{dat.EVDDTOFlag, dat.EVDDTOFlag | dat.EVDRMRBindFlag, dat.EVDConnectionFlag | dat.EVDSoftwareFlag, dat.EVDCRFlag} {
		evds[i] = evd(t, ia, enough, flags)
		c.add(object{kind: dat.HandleTypeEVD, handle: dat.Handle(evds[i]), ia: ia, flags: flags, number: enough})
	}
	m := register(t, ia, pz, 4096, allPriv)
	c.add(object{kind: dat.HandleTypeLMR, handle: dat.Handle(m.lmr), ia: ia, mem: m})
	ok(t, dat.SRQCreate(ia, pz, &dat.SRQAttr{MaxRecvDTOS: 16, MaxRecvIOV: 2}, &srq))
	c.add(object{kind: dat.HandleTypeSRQ, handle: dat.Handle(srq), ia: ia})
	ok(t, dat.PSPCreate(ia, firstQualifier+dat.ConnQual(n), evds[3], dat.PSPConsumerFlag, &psp))
	c.add(object{kind: dat.HandleTypePSP, handle: dat.Handle(psp), ia: ia, number: uint64(firstQualifier) + n})
	for range 2 {
		var ep dat.EPHandle
		ok(t, dat.EPCreate(ia, pz, evds[0], evds[1], evds[2], nil, &ep))
		c.add(object{kind: dat.HandleTypeEP, handle: dat.Handle(ep), ia: ia})
	}
}

const (
	enough         = 4096
	firstQualifier = dat.ConnQual(1<<33 + 1)
	firstPort      = 7471
)

func (c *consumer) add(o object) *object {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects = append(c.objects, &o)
	return &o
}

// live are the objects of a kind that are not gone.
func (c *consumer) live(kind dat.HandleType, also func(*object) bool) (all []*object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.objects {
		if o.kind == kind && !o.gone && (also == nil || also(o)) {
			all = append(all, o)
		}
	}
	return all
}

func (c *consumer) find(h dat.Handle) *object {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.objects {
		if o.handle == h {
			return o
		}
	}
	return nil
}

// leave marks an object whose call to free it has succeeded.
func (c *consumer) leave(h dat.Handle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.objects {
		if o.handle == h || o.kind != dat.HandleTypeIA && dat.Handle(o.ia) == h {
			o.gone = true
		}
	}
}

// byte is the next byte of the program, and n is a number below most from it.
func (c *caller) byte() byte {
	if len(c.b) == 0 {
		return 0
	}
	b := c.b[0]
	c.b = c.b[1:]
	return b
}

func (c *caller) n(most int) int { return int(c.byte()) % most }

func (c *caller) rarely() bool { return c.byte()%32 == 31 }

// object is one of the kind, as a rule of the adapter that is used now; nil if there is none.
func (c *caller) object(kind dat.HandleType) *object {
	all := c.live(kind, func(o *object) bool { return o.ia == c.ia })
	if len(all) == 0 {
		return nil
	}
	return all[c.n(len(all))]
}

// handle is that of an object, or a handle of none.
func (c *caller) handle(kind dat.HandleType) dat.Handle {
	first := c.first
	c.first = false
	if !c.rarely() {
		if o := c.object(kind); o != nil {
			return o.handle
		}
	}
	c.mu.Lock()
	o := c.objects[int(c.byte())%len(c.objects)]
	dead := o.gone || o.kind != kind
	c.mu.Unlock()
	h := o.handle
	if b := c.byte(); b < 64 {
		h, dead = dat.Handle(b)*0x01010101_01010101*dat.Handle(b%2), true
	}
	c.dead = c.dead || first && dead
	return h
}

// maybe is null now and then, where that is allowed.
func (c *caller) maybe(kind dat.HandleType) dat.Handle {
	if c.byte()%8 == 7 {
		return dat.HandleNull
	}
	dead := c.dead
	h := c.handle(kind)
	c.dead = dead || c.dead && h != dat.HandleNull
	return h
}

// evd is a dispatcher, mostly one that has the stream.
func (c *caller) evd(of dat.EVDFlags) dat.EVDHandle {
	if !c.rarely() {
		if all := c.live(dat.HandleTypeEVD, func(o *object) bool { return o.ia == c.ia && o.flags&of != 0 }); len(all) > 0 {
			c.first = false
			return dat.EVDHandle(all[c.n(len(all))].handle)
		}
	}
	return dat.EVDHandle(c.maybe(dat.HandleTypeEVD))
}

// some is a pointer that is nil now and then.
func some[T any](c *caller, p *T) *T {
	if c.rarely() {
		return nil
	}
	return p
}

// name of a type of return, as the table has it.
func nameOf(ret dat.Return) string {
	var name string
	dat.StrError(ret, &name, nil)
	return strings.TrimPrefix(name, "DAT_")
}

// more is what calls may return besides what the pages have.
var more = map[string]string{
	"dat_ep_post_send_with_invalidate": "INSUFFICIENT_RESOURCES LENGTH_ERROR PROTECTION_VIOLATION", // as send
	"dat_ep_post_rdma_read_to_rmr":     "INSUFFICIENT_RESOURCES PROTECTION_VIOLATION",              // as read
	"dat_ep_create_10":                 "INVALID_PARAMETER",
	"dat_rmr_bind_20":                  "INSUFFICIENT_RESOURCES INVALID_STATE PRIVILEGES_VIOLATION PROTECTION_VIOLATION",
	"dat_cr_accept":                    "MODEL_NOT_SUPPORTED",
	"dat_ib_post_fetch_and_add":        "INSUFFICIENT_RESOURCES LENGTH_ERROR PROTECTION_VIOLATION MODEL_NOT_SUPPORTED",
	"dat_ib_post_cmp_and_swap":         "INSUFFICIENT_RESOURCES LENGTH_ERROR PROTECTION_VIOLATION MODEL_NOT_SUPPORTED",
	"dat_ib_post_rdma_write_immed":     "INSUFFICIENT_RESOURCES PROTECTION_VIOLATION PRIVILEGES_VIOLATION",
}

// check fails the test unless the call may return that.
func (c *caller) check(call string, ret dat.Return) dat.Return {
	c.t.Helper()
	if testing.Verbose() {
		c.t.Log(call, ret)
	}
	allowed, known := c.allowed[call]
	switch name := nameOf(ret); {
	case !known:
		c.t.Fatalf("%s is not in the table", call)
	case ret == dat.Success:
		if c.dead {
			c.t.Fatalf("%s succeeded with a handle of nothing", call)
		}
	case ret.Class() != dat.ClassError:
		c.t.Fatalf("%s returned %#x, which is no error", call, uint32(ret))
	case c.dead && ret.Type() != dat.InvalidHandle:
		c.t.Fatalf("%s with a handle of nothing: %v", call, ret)
	default:
		for _, n := range append(strings.Fields(more[call]), allowed...) {
			if n == name {
				return ret
			}
		}
		c.t.Fatalf("%s returned %v, which is none of %v", call, ret, allowed)
	}
	return ret
}
