package integration_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// work posts until all is posted or the connection ends. reached is called
// once, when the first goroutine has made so many posts.
func (p *party) work(wg *sync.WaitGroup, r *rand.Rand, posts int, reached func(int)) {
	for page := range posters {
		r := branch(r)
		if page == posters-1 {
			wg.Go(func() { p.postBatches(page, r, posts, reached) })
		} else {
			wg.Go(func() { p.postOneByOne(page, r, posts, reached) })
		}
	}
	calls := branch(r)
	wg.Go(func() { p.call(calls) })
}

func (p *party) postOneByOne(page int, r *rand.Rand, posts int, reached func(int)) {
	n := int64(0)
	for i := 0; i < posts; i++ {
		reached(i)
		if !p.waitPlace(page, n) {
			return
		}
		flags := flagsFor(r, n)
		cookie := p.sent.enter(page, flags)
		err := p.request(page, n, r, nil, cookie, flags)
		for errors.Is(err, rdma.ErrQueueFull) && p.pause(page) {
			err = p.again(page, n, cookie, flags)
		}
		if err == nil {
			p.accept(page, n)
			n++
			continue
		}
		p.reject(page, n)
		p.sent.strike(page, 1)
		if !p.bearable(err) {
			return
		}
	}
}

// postBatches posts with one doorbell, and again what there was no room for.
func (p *party) postBatches(page int, r *rand.Rand, posts int, reached func(int)) {
	b := p.endpoint.NewBatch()
	n := int64(0)
	for i := 0; i < posts; {
		reached(i)
		first := n
		for range 1 + r.IntN(12) {
			i++
			if !p.waitPlace(page, n) {
				break
			}
			flags := flagsFor(r, n)
			if err := p.request(page, n, r, b, p.sent.enter(page, flags), flags); err != nil {
				p.reject(page, n)
				p.sent.strike(page, 1)
				if !p.bearable(err) {
					break
				}
				continue
			}
			n++
		}
		var err error
		for next := first; ; {
			var k int
			k, err = b.Post()
			for range k {
				p.accept(page, next)
				next++
			}
			if !errors.Is(err, rdma.ErrQueueFull) || !p.pause(page) {
				for k := n; k > next; k-- { // what was not accepted
					p.reject(page, k-1)
				}
				p.sent.strike(page, int(n-next))
				break
			}
		}
		if err != nil {
			p.bearable(err)
			return
		}
	}
}

// pause waits until there may be room. It gives up when the connection ends:
// then there would be room for what is flushed.
func (p *party) pause(page int) bool {
	late := time.NewTimer(time.Millisecond) // suppressed successes make room and say nothing
	defer late.Stop()
	select {
	case <-p.pages[page].some:
	case <-late.C:
	case <-p.conn.Context().Done():
		return false
	}
	return true
}

// bearable tells whether a post that was refused may be followed by others: its
// memory is gone, others' is not.
func (p *party) bearable(err error) bool {
	switch {
	case errors.Is(err, rdma.ErrPrivileges):
		return true
	case errors.Is(err, rdma.ErrState), errors.Is(err, rdma.ErrClosed), errors.Is(err, rdma.ErrQueueFull):
		return false
	}
	p.t.Errorf("post: %v", err)
	return false
}

// request draws request number n of a page and posts it, or adds it to b.
func (p *party) request(page int, n int64, r *rand.Rand, b *rdma.Batch, cookie uint64, flags rdma.Flags) error {
	m := &p.pages[page].meta[n%places]
	at := p.place(page, n)
	*m = meta{}
	kind := r.IntN(12)
	if kind == 11 && (page != 0 || b != nil) || kind == 5 && (p.peer.byCalls || !p.conn.Caps().WriteImmediate) {
		kind = 0
	}
	switch kind {
	default: // a message
		m.op, m.n = rdma.OpSend, headSize+r.IntN(2<<10)
		if out := p.out.Bytes(); out != nil {
			p.message(out[at:at+m.n], page, p.accepted[page])
		}
		p.accepted[page]++
	case 5:
		m.op, m.n, m.want = rdma.OpWriteImm, r.IntN(placeSize), uint64(page<<24|p.accepted[page])
		m.off = at
		p.accepted[page]++
		p.paintOut(at, m.n, page, n)
	case 6:
		m.op, m.n, m.off = rdma.OpWrite, r.IntN(placeSize), at
		p.paintOut(at, m.n, page, n)
	case 7: // a large one
		m.op, m.n, m.off = rdma.OpWrite, placeSize+1+r.IntN(bigSize-placeSize-1), posters*pageSize+page*bigSize
	case 8:
		m.op, m.n, m.off = rdma.OpRead, r.IntN(placeSize), r.IntN(bigSize-placeSize)
	case 9:
		m.op, m.n = rdma.OpRead, placeSize+1+r.IntN(bigSize-placeSize-1)
	case 10:
		m.op, m.n, m.off = rdma.OpFetchAdd, 8, countersAt+16*page
		m.want = p.counted[page][0]
		p.counted[page][0]++
		if r.IntN(2) == 0 {
			m.op, m.off, m.want = rdma.OpCompareSwap, m.off+8, p.counted[page][1]
			p.counted[page][0]--
			p.counted[page][1]++
		}
	case 11:
		m.op, m.n = rdma.OpBind, r.IntN(2)*placeSize
	}
	if b != nil {
		return p.add(b, page, n, cookie, flags)
	}
	return p.again(page, n, cookie, flags)
}

func (p *party) paintOut(at, n, page int, number int64) {
	if out := p.out.Bytes(); out != nil {
		paint(out[at:at+n], page<<20+int(number))
	}
}

// forms are the posts for request number n, of which one is right.
type forms struct {
	send rdma.Send
	read rdma.Read
	wr   rdma.Write
	add  rdma.FetchAdd
	swap rdma.CompareSwap
}

func (p *party) form(page int, n int64, cookie uint64, flags rdma.Flags) (f forms, m *meta) {
	m = &p.pages[page].meta[n%places]
	at := p.place(page, n)
	there := p.peer.target.Remote()
	switch m.op {
	case rdma.OpSend:
		half := m.n / 2 // in two pieces
		f.send = rdma.Send{From: p.out.Slice(at, half), More: []mem.Slice{p.out.Slice(at+half, m.n-half)}, Cookie: cookie, Flags: flags}
	case rdma.OpWrite, rdma.OpWriteImm:
		f.wr = rdma.Write{From: p.out.Slice(at, m.n), To: there.Slice(m.off, m.n), Cookie: cookie, Flags: flags}
		if m.n > placeSize {
			f.wr.From = p.constant.Slice(0, m.n)
		}
		if m.op == rdma.OpWriteImm {
			f.wr.Flags |= rdma.WithImmediate
			f.wr.Immediate = uint32(m.want)
		}
	case rdma.OpRead:
		into := p.fetched.Slice(at, m.n)
		if m.n > placeSize {
			into = p.fetched.Slice(posters*pageSize+page*bigSize, m.n)
		}
		f.read = rdma.Read{Into: into, From: p.peer.constant.Remote().Slice(m.off, m.n), Cookie: cookie, Flags: flags}
	case rdma.OpFetchAdd:
		f.add = rdma.FetchAdd{Into: p.fetched.Slice(at, 8), At: there.Slice(m.off, 8), Add: 1, Cookie: cookie, Flags: flags}
	case rdma.OpCompareSwap:
		f.swap = rdma.CompareSwap{Into: p.fetched.Slice(at, 8), At: there.Slice(m.off, 8), Compare: m.want, Swap: m.want + 1, Cookie: cookie, Flags: flags}
	}
	return f, m
}

// again posts request number n, which has been drawn.
func (p *party) again(page int, n int64, cookie uint64, flags rdma.Flags) error {
	f, m := p.form(page, n, cookie, flags)
	e := p.endpoint
	switch m.op {
	case rdma.OpSend:
		return e.PostSend(f.send)
	case rdma.OpWrite, rdma.OpWriteImm:
		return e.PostWrite(f.wr)
	case rdma.OpRead:
		return e.PostRead(f.read)
	case rdma.OpFetchAdd:
		return e.PostFetchAdd(f.add)
	case rdma.OpCompareSwap:
		return e.PostCompareSwap(f.swap)
	}
	_, err := e.PostBind(rdma.Bind{Window: p.window, To: p.target.Slice(0, m.n), Rights: mem.RemoteRead, Cookie: cookie, Flags: flags})
	return err
}

func (p *party) add(b *rdma.Batch, page int, n int64, cookie uint64, flags rdma.Flags) error {
	f, m := p.form(page, n, cookie, flags)
	switch m.op {
	case rdma.OpSend:
		return b.Send(f.send)
	case rdma.OpWrite, rdma.OpWriteImm:
		return b.Write(f.wr)
	case rdma.OpRead:
		return b.Read(f.read)
	case rdma.OpFetchAdd:
		return b.FetchAdd(f.add)
	}
	return b.CompareSwap(f.swap)
}

// accept and reject say what became of request number n.
func (p *party) accept(page int, n int64) {
	p.numbers[page] = n + 1
}

func (p *party) reject(page int, n int64) {
	switch p.pages[page].meta[n%places].op {
	case rdma.OpSend, rdma.OpWriteImm:
		p.accepted[page]--
	case rdma.OpFetchAdd:
		p.counted[page][0]--
	case rdma.OpCompareSwap:
		p.counted[page][1]--
	}
}

// receive keeps receives posted until the connection ends.
func (p *party) receive(r *rand.Rand) {
	if p.byCalls {
		p.receiveByCalls(r)
		return
	}
	ended := p.conn.Context().Done()
	b := p.endpoint.NewBatch()
	for n := p.receivesPosted; ; {
		if n-p.nextReceive.Load() >= places/2 {
			select {
			case <-p.freedReceive:
				continue
			case <-ended:
				return
			}
		}
		var err error
		if r.IntN(4) > 0 {
			err = p.postReceive(p.endpoint.PostRecv)
		} else {
			err = p.postReceive(func(v rdma.Recv) error {
				if err := b.Recv(v); err != nil {
					return err
				}
				_, err := b.Post()
				b.Reset()
				return err
			})
		}
		switch {
		case err == nil:
			n++
		case errors.Is(err, rdma.ErrQueueFull):
			select {
			case <-p.freedReceive:
			case <-ended:
				return
			}
		case !p.bearable(err):
			return
		default: // The memory is gone. Whoever sends now has to hear of it.
			p.endpoint.Disconnect(false)
			return
		}
	}
}

func (p *party) postReceive(post func(rdma.Recv) error) error {
	return p.received.post(0, 0, func(cookie uint64) error {
		return post(rdma.Recv{Into: p.in.Slice(p.place(0, int64(cookie)), placeSize), Cookie: cookie})
	})
}

// receiveByCalls takes messages by waiting calls that are cancelled at random.
func (p *party) receiveByCalls(r *rand.Rand) {
	for i := int64(0); ; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), moment(r))
		into := p.in.Slice(p.place(0, i), placeSize)
		n, err := p.conn.Recv(ctx, into)
		cancel()
		if err == nil {
			if b := into.Bytes(); b != nil {
				p.came(b[:n])
			}
			continue
		}
		if !errors.Is(err, rdma.ErrTimeout) {
			p.wantEnd("receive", err)
			p.endpoint.Disconnect(false) // as nobody receives any more
			return
		}
	}
}

// call does a number of requests by waiting calls that are cancelled at random.
// Each has memory of its own, since it stays the adapter's.
func (p *party) call(r *rand.Rand) {
	there := p.peer.target.Remote().Slice(countersAt+1024, 8)
	counter := uint64(0) // at least
	fetched := func(v uint64, err error, more uint64) error {
		if err == nil && v < counter {
			p.t.Errorf("a waiting atomic fetched %d, the counter was %d before; the endpoint is %v", v, counter, p.endpoint.State())
		}
		if err == nil {
			counter = v + more
		}
		return err
	}
	for i := range places {
		ctx, cancel := context.WithCancel(context.Background())
		if r.IntN(2) == 0 {
			ctx, cancel = context.WithTimeout(context.Background(), moment(r))
		}
		from := p.out.Slice(posters*pageSize+i*placeSize, headSize+r.IntN(1<<10))
		var err error
		switch r.IntN(6) {
		case 0:
			if b := from.Bytes(); b != nil {
				p.message(b, posters, i)
			}
			err = p.conn.Send(ctx, from)
		case 1:
			_, err = p.conn.Write(ctx, from, p.peer.target.Remote().Slice(countersAt+2048, from.Len()))
		case 2:
			into := p.fetched.Slice(posters*(pageSize+bigSize)+i*placeSize, 1+r.IntN(placeSize))
			var n int
			n, err = p.conn.Read(ctx, into, p.peer.constant.Remote().Slice(0, into.Len()))
			if b := into.Bytes(); err == nil && b != nil && (n != len(b) || differs(b, 0) >= 0) && !p.fetched.Freed() {
				p.t.Errorf("a waiting read brought %d bytes, of which number %d is wrong; the endpoint is %v", n, differs(b, 0), p.endpoint.State())
			}
		case 3:
			v, e := p.conn.FetchAdd(ctx, there, 1)
			err = fetched(v, e, 1)
		case 4:
			v, e := p.conn.CompareSwap(ctx, there, 1, 2)
			err = fetched(v, e, 0)
		case 5:
			whole := p.peer.constant.Remote()
			b := make([]byte, 1+r.IntN(bigSize))
			if _, err = p.conn.ReaderAt(ctx, whole).ReadAt(b, 0); err == nil && differs(b, 0) >= 0 {
				p.t.Errorf("a reader brought %d bytes, of which number %d is wrong; the endpoint is %v", len(b), differs(b, 0), p.endpoint.State())
			}
		}
		cancel()
		if err != nil && !errors.Is(err, rdma.ErrTimeout) && !errors.Is(err, rdma.ErrPrivileges) {
			p.wantEnd("call", err)
			return
		}
	}
}

// wantEnd checks the error of a call that was not cancelled.
func (p *party) wantEnd(what string, err error) {
	for _, code := range []rdma.Code{rdma.ErrDisconnected, rdma.ErrBroken, rdma.ErrClosed, rdma.ErrState, rdma.ErrWork, rdma.ErrPrivileges} {
		if errors.Is(err, code) {
			return
		}
	}
	p.t.Errorf("%s: %v", what, err)
}
