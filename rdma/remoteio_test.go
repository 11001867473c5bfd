package rdma_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}

func TestReaderAtAndWriterAt(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		ctx := t.Context()         // megabytes, so how long it takes is the machine's matter
		const size = 3<<20 + 12345 // several rounds of chunks, and a rest
		far, err := y.zone.Register(make([]byte, size), mem.All)
		must(t, err)
		want := noise(size)
		w := x.conn.WriterAt(ctx, far.Remote())
		n, err := io.Copy(io.NewOffsetWriter(w, 0), iotest.DataErrReader(bytes.NewReader(want)))
		if n != size || err != nil {
			t.Fatal(n, err)
		}
		if _, err := x.conn.Read(ctx, x.mem.Slice(0, 1), far.Remote().Slice(0, 1)); err != nil {
			t.Fatal(err) // behind the writes: they are in place
		}
		if !bytes.Equal(far.Bytes(), want) {
			t.Fatal("written bytes differ")
		}
		r := x.conn.ReaderAt(ctx, far.Remote())
		got, err := io.ReadAll(io.NewSectionReader(r, 0, far.Remote().Len()))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, %v, equal %t", len(got), err, bytes.Equal(got, want))
		}
		// All at once, and concurrently.
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				p := make([]byte, size-i)
				if n, err := r.ReadAt(p, int64(i)); n != len(p) || err != nil || !bytes.Equal(p, want[i:]) {
					t.Error(n, err)
				}
			})
		}
		wg.Wait()
		// The ends.
		p := make([]byte, 10)
		if n, err := r.ReadAt(p, size-4); n != 4 || err != io.EOF || !bytes.Equal(p[:4], want[size-4:]) {
			t.Error("at the end:", n, err)
		}
		if n, err := r.ReadAt(p, size); n != 0 || err != io.EOF {
			t.Error("behind the end:", n, err)
		}
		if n, err := w.WriteAt(p, size-4); n != 4 || !errors.Is(err, rdma.ErrLength) {
			t.Error("write over the end:", n, err)
		}
		for what, f := range map[string]func([]byte, int64) (int, error){"read": r.ReadAt, "write": w.WriteAt} {
			_, err := f(p, -1)
			wantCode(t, err, rdma.ErrInvalid, what)
		}
		_, err = x.conn.ReaderAt(ctx, far.Remote().Slice(1, size)).ReadAt(p, 0)
		wantCode(t, err, rdma.ErrInvalid, "an invalid Remote")
		if x.conn.SendCompletions().Poll(make([]rdma.Completion, 1)) != 0 {
			t.Error("a completion got to the dispatcher")
		}
		// The memory for it goes with the connection.
		must(t, x.conn.Close())
		must(t, x.mem.Free())
		must(t, x.zone.Close())
	})
}

// TestRemoteIOEnds with its context and with the connection, and with little
// room in the queue it goes slower. It moves megabytes, so no time bounds that.
func TestRemoteIOEnds(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name, func(a, p *rdma.EndpointConfig) { a.SendDepth = 2 })
		far, err := y.zone.Alloc(4<<20, mem.All)
		must(t, err)
		copy(far.Bytes(), noise(far.Len()))
		p := make([]byte, far.Len())
		r := x.conn.ReaderAt(t.Context(), far.Remote())
		if n, err := r.ReadAt(p, 0); n != len(p) || err != nil || !bytes.Equal(p, far.Bytes()) {
			t.Error(n, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		for err = nil; err == nil; {
			_, err = x.conn.ReaderAt(ctx, far.Remote()).ReadAt(p, 0)
		}
		wantCode(t, err, rdma.ErrCanceled, "cancelled")
		if n, err := r.ReadAt(p, 0); n != len(p) || err != nil || !bytes.Equal(p, far.Bytes()) {
			t.Error("after a cancelled one:", n, err)
		}
		ended := make(chan error, 1)
		go func() {
			var err error
			for err == nil {
				_, err = r.ReadAt(p, 0)
			}
			ended <- err
		}()
		must(t, y.conn.Close())
		if err := <-ended; !errors.Is(err, rdma.ErrDisconnected) && !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrWork) {
			t.Error(err)
		}
	})
}
