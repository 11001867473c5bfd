package sharedmem_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// faultOps are operations of a, and the side that loses memory during each.
var faultOps = []struct {
	name   string
	op     hca.Op
	theirs bool // b's memory is lost
	writes bool // the lost memory is written to
	// status is the status at a, on a path with acknowledgements. On iWARP a gets it only if a's memory is
	// lost, and any status otherwise.
	status hca.Status
}{
	{"write from", hca.OpWrite, false, false, hca.StatusLocalProtection},
	{"write to", hca.OpWrite, true, true, hca.StatusRemoteAccess},
	{"write with immediate from", hca.OpWriteImm, false, false, hca.StatusLocalProtection},
	{"write with immediate to", hca.OpWriteImm, true, true, hca.StatusRemoteAccess},
	{"read into", hca.OpRead, false, true, hca.StatusLocalProtection},
	{"read of", hca.OpRead, true, false, hca.StatusRemoteAccess},
	{"send from", hca.OpSend, false, false, hca.StatusLocalProtection},
	{"receive into", hca.OpSend, true, true, hca.StatusRemoteOp},
	{"atomic result into", hca.OpFetchAdd, false, true, hca.StatusLocalProtection},
	{"atomic on", hca.OpFetchAdd, true, true, hca.StatusRemoteAccess},
	{"swap on", hca.OpCompareSwap, true, true, hca.StatusRemoteAccess},
}

// faultRanges lie around the middle of the memory, from where on it is lost. The first three are tried with
// each loss, the others with one.
var faultRanges = []struct{ from, n int }{
	{0, 8}, {-100, 1500}, {-300 << 10, 400 << 10},
	{0, 200}, {-8, 64}, {-2000, 5000}, {-softtest.LostPage, 3 * softtest.LostPage}, {-1500 << 10, 2 << 20},
}

const faultSize = 4 << 20

// faultGood is memory of the side that loses none.
var faultGood = make([]byte, faultSize)

// TestLostMemory: if a program registers memory and then takes it away, the operation that accesses it ends
// with a protection error, and nothing else happens: on each path, with each operation, on either side.
func TestLostMemory(t *testing.T) {
	for _, path := range []string{"loop", "tcp", "shm", "shm, asked", "shm, mapped"} {
		for _, loss := range softtest.Losses {
			for _, op := range faultOps {
				t.Run(fmt.Sprintf("%s/%s/%s", path, loss.Name, op.name), func(t *testing.T) {
					for _, plain := range []bool{false, true} {
						ranges := faultRanges
						if loss.Name != "for nothing" {
							ranges = ranges[:3]
						}
						for _, r := range ranges {
							atomic := op.op == hca.OpFetchAdd || op.op == hca.OpCompareSwap
							if atomic && r.n != 8 || plain && op.op != hca.OpWrite && op.op != hca.OpSend {
								continue
							}
							f := &faultTest{TB: t, path: path, op: op.op, theirs: op.theirs, plain: plain, from: faultSize/2 + r.from, n: r.n}
							f.good = loss.Reads && !op.writes
							f.what = fmt.Sprintf("%d bytes, %d before, plain %v", r.n, -r.from, plain)
							f.run(loss.File, loss.Lose, op.status)
						}
					}
				})
			}
		}
	}
}

type faultTest struct {
	testing.TB
	path, what          string
	op                  hca.Op
	theirs, plain, good bool
	from, n             int

	a, b  *softtest.End
	async [2]chan hca.AsyncEvent
}

func (f *faultTest) run(file bool, lose func(testing.TB, *softtest.LostMemory), status hca.Status) {
	path, how, _ := strings.Cut(f.path, ", ")
	if how == "asked" {
		defer sharedmem.WithoutProcessMemory()()
	}
	for i := range f.async {
		f.async[i] = make(chan hca.AsyncEvent, 16)
	}
	told := func(c chan hca.AsyncEvent) hca.Options {
		return hca.Options{Async: func(ev hca.AsyncEvent) { c <- ev }}
	}
	f.a, f.b = softtest.NewEndWith(f, path, 16, softtest.LostPage, told(f.async[0])), softtest.NewEndWith(f, path, 16, softtest.LostPage, told(f.async[1]))
	softtest.Join(f, f.a, f.b)
	m := softtest.NewLostMemory(f, faultSize, file)
	loser, other := f.a, f.b
	if f.theirs {
		loser, other = f.b, f.a
	}
	mr, err := loser.PD.Register(hca.Memory{Bytes: m.B}, hca.AllAccess)
	if err != nil {
		f.Fatal(err)
	}
	theirs := hca.Memory{Bytes: faultGood}
	if how == "mapped" {
		theirs = softtest.FileMemory(f, faultSize)
	}
	good, err := other.PD.Register(theirs, hca.AllAccess)
	if err != nil {
		f.Fatal(err)
	}
	if how == "mapped" && !f.theirs {
		f.untilMapped(good)
	}
	near, far := mr, good
	if f.theirs {
		near, far = good, mr
	}
	f.receives(far)
	lose(f, m)
	f.post(near, far)
	f.outcome(status)
	f.tells()
	// A gate or lock that is still held would show here: nobody could pass it.
	if err := mr.Close(); err != nil {
		f.Error(f.what, err)
	}
	for _, e := range []*softtest.End{f.a, f.b} {
		if err := e.QP.Close(); err != nil {
			f.Error(f.what, err)
		}
		if err := e.A.Close(); err != nil {
			f.Error(f.what, err)
		}
	}
}

// untilMapped writes words until the other side's memory is mapped here.
func (f *faultTest) untilMapped(far hca.MR) {
	near, err := f.a.PD.Register(softtest.FileMemory(f, 8), hca.LocalRead)
	if err != nil {
		f.Fatal(err)
	}
	for !sharedmem.PlainWriteReady(f.a.QP, far.RKey()) {
		if err := f.a.QP.(hca.PlainPoster).PostPlainWrite(9, 0, hca.Segment{Addr: near.Addr(), Len: 8, Key: near.LKey()}, far.Addr(), far.RKey()); err != nil {
			f.Fatal(err)
		}
		var wc [4]hca.WC
		for f.a.SendCQ.Poll(wc[:]) == 0 {
			f.b.RecvCQ.Poll(wc[:])
			runtime.Gosched()
		}
	}
}

// receives posts the receives that the operation needs at b.
func (f *faultTest) receives(far hca.MR) {
	local := hca.Segment{Addr: far.Addr() + uint64(f.from), Len: uint32(f.n), Key: far.LKey()}
	if f.op != hca.OpSend {
		local = hca.Segment{Addr: f.b.MR.Addr(), Len: softtest.LostPage, Key: f.b.MR.LKey()}
	}
	for range 2 {
		if err := f.b.QP.PostRecv(hca.RecvWR{ID: 100, Local: local}); err != nil {
			f.Fatal(err)
		}
	}
}

// post posts the operation, and one behind it that would succeed.
func (f *faultTest) post(near, far hca.MR) {
	wr := hca.SendWR{
		ID: 1, Op: f.op, Local: hca.Segment{Addr: near.Addr() + uint64(f.from), Len: uint32(f.n), Key: near.LKey()},
		Remote: far.Addr() + uint64(f.from), RKey: far.RKey(), Operand: 1,
	}
	p, _ := f.a.QP.(hca.PlainPoster)
	var err error
	switch {
	case f.plain && f.op == hca.OpWrite:
		err = p.PostPlainWrite(1, 0, wr.Local, wr.Remote, wr.RKey)
	case f.plain:
		err = p.PostPlainSend(1, 0, wr.Local)
	default:
		err = f.a.QP.PostSend(wr)
	}
	if err != nil {
		f.Fatal(err)
	}
	behind := hca.SendWR{ID: 2, Op: hca.OpSend, Local: hca.Segment{Addr: f.a.MR.Addr(), Len: 8, Key: f.a.MR.LKey()}}
	if err := f.a.QP.PostSend(behind); err != nil {
		f.Fatal(err)
	}
}

// outcome checks the entries of both sides.
func (f *faultTest) outcome(status hca.Status) {
	sent, received := f.entries()
	if len(sent) != 2 || sent[0].ID != 1 || sent[1].ID != 2 {
		f.Fatalf("%s: %+v", f.what, sent)
	}
	if f.good {
		status = hca.StatusOK
	}
	switch got := sent[0].Status; {
	case got == status:
	case f.path == "tcp" && f.theirs && !f.good: // see docs/model.md: what a success means
	default:
		f.Errorf("%s: %v, want %v", f.what, got, status)
	}
	if got := sent[1].Status; f.path != "tcp" && (got == hca.StatusOK) != f.good {
		f.Errorf("%s: the request behind it: %v", f.what, got)
	}
	if f.op == hca.OpSend && f.theirs && received[0].Status != hca.StatusLocalProtection {
		f.Errorf("%s: the receive: %v", f.what, received[0].Status)
	}
}

// entries returns the entries of a's two requests and, if the connection ends, of b's two receives.
func (f *faultTest) entries() (sent, received []hca.WC) {
	var wc [4]hca.WC
	for deadline := time.Now().Add(30 * time.Second); len(sent) < 2 || !f.good && len(received) < 2; {
		for _, q := range []struct {
			cq hca.CQ
			to *[]hca.WC
		}{{f.a.SendCQ, &sent}, {f.b.RecvCQ, &received}} {
			n := q.cq.Poll(wc[:])
			*q.to = append(*q.to, wc[:n]...)
		}
		f.a.RecvCQ.Poll(wc[:])
		f.b.SendCQ.Poll(wc[:])
		if time.Now().After(deadline) {
			f.Fatalf("%s: only %+v and %+v", f.what, sent, received)
		}
	}
	return sent, received
}

// tells checks the asynchronous error at the side that has lost its memory.
func (f *faultTest) tells() {
	loser := 0
	if f.theirs {
		loser = 1
	}
	if f.good {
		for i, c := range f.async {
			if len(c) > 0 {
				f.Errorf("%s: side %d tells %+v", f.what, i, <-c)
			}
		}
		return
	}
	select {
	case ev := <-f.async[loser]:
		if ev.Kind != hca.AsyncQPBroken || !errors.Is(ev.Err, hca.Privileges) {
			f.Errorf("%s: side %d tells %+v", f.what, loser, ev)
		}
	case <-time.After(30 * time.Second):
		f.Errorf("%s: side %d tells nothing", f.what, loser)
	}
	if c := f.async[1-loser]; len(c) > 0 {
		f.Errorf("%s: the other side tells %+v", f.what, <-c)
	}
}
