package sharedmem_test

import (
	"context"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// putBack writes the first word of mem to a peer's memory whenever it changes.
func putBack(ctx context.Context, qp hca.QP, cq hca.CQ, mr hca.MR, mem []byte, remote uint64, key hca.Key) {
	var wcs [16]hca.WC
	poster := qp.(hca.PlainPoster)
	here, local := shm.Word64(mem, 0), hca.Segment{Addr: mr.Addr() + 64, Len: 8, Key: mr.LKey()}
	for last := uint64(0); ctx.Err() == nil; {
		v := here.Load()
		for i := 0; v == last && i < 1<<14; i++ {
			shm.Pause()
			v = here.Load()
		}
		if v == last {
			runtime.Gosched()
			continue
		}
		last = v
		binary.NativeEndian.PutUint64(mem[64:], v)
		if poster.PostPlainWrite(v, 0, local, remote, key) != nil {
			return
		}
		for cq.Poll(wcs[:]) == 0 && ctx.Err() == nil {
		}
	}
}

// BenchmarkShmPut writes 8 bytes to another process, which writes them back. Both poll their memory until the
// bytes arrive, and take the completion. One way takes half of the reported time:
//
//	go test -run - -bench ShmPut ./internal/hca/soft/sharedmem
//
// Compare with UCX_TLS=posix,cma,self ucx_perftest -t ucp_put_lat -s 8.
func BenchmarkShmPut(b *testing.B) {
	s := startServer(b, "shm", silentVariable+"=1")
	s.put = true
	u := newUser(b, "shm", nil, s)
	poster := u.qp.(hca.PlainPoster)
	here, local := shm.Word64(u.mem, 0), u.seg(64, 8)
	var wcs [16]hca.WC
	trip := func(v uint64) {
		binary.NativeEndian.PutUint64(u.mem[64:], v)
		if err := poster.PostPlainWrite(v, 0, local, u.remote, u.rkey); err != nil {
			b.Fatal(err)
		}
		for u.cq.Poll(wcs[:]) == 0 {
		}
		if wcs[0].Status != hca.StatusOK {
			b.Fatal(wcs[0].Status)
		}
		for here.Load() != v {
			shm.Pause()
		}
	}
	n := uint64(0)
	for range 1000 { // until both have mapped the memory
		n++
		trip(n)
	}
	b.ReportAllocs()
	for b.Loop() {
		n++
		trip(n)
	}
}

// BenchmarkShmPutRate measures signaled 8-byte writes, 64 of which are posted before their completions are
// taken.
func BenchmarkShmPutRate(b *testing.B) {
	u := newUser(b, "shm", nil, startServer(b, "shm"))
	poster := u.qp.(hca.PlainPoster)
	var wcs [64]hca.WC
	burst := func() {
		for i := range uint64(64) {
			if err := poster.PostPlainWrite(i, 0, u.seg(0, 8), u.remote, u.rkey); err != nil {
				b.Fatal(err)
			}
		}
		for n := 0; n < 64; {
			n += u.cq.Poll(wcs[n:])
		}
	}
	for range 100 {
		burst()
	}
	b.ReportAllocs()
	for i := 0; i < b.N; i += 64 {
		burst()
	}
}
