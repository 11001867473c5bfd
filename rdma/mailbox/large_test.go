package mailbox_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// blobs is a codec of bytes. The first 8 are the number of the value; a value that ends with 0xbad does
// not decode. Look is called for each value that is decoded.
func blobs(look func(b []byte)) *mailbox.Codec[[]byte] {
	return &mailbox.Codec[[]byte]{
		Name:   "blob",
		Append: func(b []byte, v []byte) ([]byte, error) { return append(b, v...), nil },
		Decode: func(b []byte) ([]byte, error) {
			if look != nil {
				look(b)
			}
			if bytes.HasSuffix(b, []byte{0x0b, 0xad}) {
				return nil, errors.New("a bad blob")
			}
			return bytes.Clone(b), nil
		},
	}
}

type (
	blobConfig = mailbox.Config[[]byte, uint64]
	blobDial   = mailbox.DialConfig[[]byte, uint64]
)

// blob is a value of that number and length, at least 8.
func blob(number uint64, length int) []byte {
	b := bytes.Repeat([]byte{byte(number) ^ 0x5a}, length)
	binary.BigEndian.PutUint64(b, number)
	return b
}

// TestLargeValues: values of all sizes arrive whole, in the order of their sender, and one that does not
// decode or is too large harms only itself.
func TestLargeValues(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, blobConfig{Values: blobs(nil), Slot: 512, MaxValue: 100_000})
		s := dial(t, a, b, blobDial{Values: blobs(nil), Async: true})
		sizes := []int{8, 511, 512, 513, 4096, 9, 99_999, 100_000, 8}
		for n, size := range sizes {
			must(t, s.Send(t.Context(), blob(uint64(n), size)))
		}
		if err := s.Send(t.Context(), blob(0, 100_001)); !errors.Is(err, mailbox.ErrNotDelivered) || !errors.Is(err, rdma.ErrLength) {
			t.Error(err)
		}
		must(t, s.Flush(t.Context()))
		for n, size := range sizes {
			if m := <-b.C(); !bytes.Equal(m.Value, blob(uint64(n), size)) {
				t.Fatalf("value %d has %d bytes, not %d, or others", n, len(m.Value), size)
			}
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for m := range b.C() {
				_ = m.Reply(uint64(len(m.Value)))
			}
		}()
		ends := append(blob(1, 50_000), 0x0b, 0xad)
		if _, err := s.Ask(t.Context(), ends); !errors.Is(err, mailbox.ErrNotDelivered) || !strings.Contains(err.Error(), "bad blob") {
			t.Error(err)
		}
		if n, err := s.Ask(t.Context(), blob(1, 70_000)); err != nil || n != 70_000 {
			t.Errorf("%d, %v", n, err)
		}
		must(t, b.Close())
		<-done
	})
}

// TestPlainValueBeyondItsSlot: plain types, too, are read from the sender's memory.
func TestPlainValueBeyondItsSlot(t *testing.T) {
	type sheet struct {
		Number uint64
		Final  bool
		Cells  [5000]uint64
	}
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, mailbox.Config[sheet, mailbox.None]{Slot: 100})
		s := dial(t, a, b, mailbox.DialConfig[sheet, mailbox.None]{})
		v := sheet{Number: 7}
		v.Cells[4999] = 9
		must(t, s.Send(t.Context(), v))
		if m := <-b.C(); m.Value != v {
			t.Error("another value")
		}
		mailbox.Spoil(&v, 8, 3)
		if err := s.Send(t.Context(), v); !errors.Is(err, mailbox.ErrNotDelivered) || !strings.Contains(err.Error(), "bool") {
			t.Error(err)
		}
	})
}

// TestMaxLarge: senders of large values together never have more than the limit under way, and each
// has its turn.
func TestMaxLarge(t *testing.T) {
	const senders, values, size = 6, 20, 10_000
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		var used, most atomic.Int64
		look := func(b []byte) {
			n := used.Add(int64(len(b)))
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			for range 10 {
				mailbox.Yield()
			}
			used.Add(-int64(len(b)))
		}
		b := listen(t, a, blobConfig{Values: blobs(look), MaxValue: size, MaxLarge: 2*size + size/2})
		var work sync.WaitGroup
		for range senders {
			s := dial(t, a, b, blobDial{Values: blobs(nil)})
			work.Go(func() {
				for n := range uint64(values) {
					if err := s.Send(context.Background(), blob(n, size)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		next := map[*mailbox.Peer]uint64{}
		for range senders * values {
			m, err := b.Receive(t.Context())
			must(t, err)
			if !bytes.Equal(m.Value, blob(next[m.From()], size)) {
				t.Fatalf("not value %d of %v", next[m.From()], m.From())
			}
			next[m.From()]++
		}
		work.Wait()
		must(t, b.Close())
		if n := most.Load(); n > 2*size+size/2 || b.LargeUsed() != 0 {
			t.Errorf("%d bytes at a time, %d at the end", n, b.LargeUsed())
		}
	})
}

// TestHostileLarge: descriptions of memory that is not there, too long or that changes harm their own
// sender at most.
func TestHostileLarge(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, blobConfig{Values: blobs(nil), MaxValue: 100_000, Down: true})
		good := dial(t, a, b, blobDial{Values: blobs(nil)})
		for _, c := range []struct {
			name string
			make func(region *mem.Region) mem.Remote
			ends bool
		}{
			{"too long", func(r *mem.Region) mem.Remote { return mem.Remote{Key: r.RemoteKey(), Addr: r.Addr(), Length: 100_001} }, false},
			{"far too long", func(r *mem.Region) mem.Remote { return mem.Remote{Key: r.RemoteKey(), Addr: 1, Length: 1 << 60} }, false},
			{"nothing", func(r *mem.Region) mem.Remote { return mem.Remote{Key: r.RemoteKey(), Addr: r.Addr()} }, true},
			{"no such key", func(r *mem.Region) mem.Remote { return mem.Remote{Key: 1, Addr: r.Addr(), Length: 50_000} }, true},
			{"beyond the end", func(r *mem.Region) mem.Remote {
				return mem.Remote{Key: r.RemoteKey(), Addr: r.Addr() + uint64(r.Len()) - 8, Length: 50_000}
			}, true},
			{"freed", func(r *mem.Region) mem.Remote { defer r.Free(); return r.Remote() }, true},
		} {
			bad := rawSender(t, a, b, mailbox.CodecHello[uint64]("blob", 8, 2))
			region, err := bad.Zone().Alloc(4096, mem.Local)
			must(t, err)
			lent, err := bad.Zone().Alloc(60_000, mem.Local|mem.RemoteRead)
			must(t, err)
			n := mailbox.RawLarge(region.Bytes(), 0, c.make(lent))
			if err := bad.Send(t.Context(), region.Slice(0, n)); err != nil && !c.ends { // on a device the read may be first
				t.Error(err)
			}
			must(t, good.Send(t.Context(), blob(3, 80_000)))
			for m := range b.C() {
				if m.Down() != nil { // of this one, or of the one before
					continue
				}
				if len(m.Value) != 80_000 {
					t.Errorf("%s: a value of %d bytes", c.name, len(m.Value))
				}
				break
			}
			if c.ends {
				<-bad.Context().Done()
			} else if k := bad.kind(t); k != 6 {
				t.Errorf("%s: kind %d, not a refusal", c.name, k)
			}
			must(t, bad.Close())
		}
	})
}

// TestBufferThatChanges: what the program finds in the mailbox is one value that decodes, whatever the
// sender does with the memory meanwhile.
func TestBufferThatChanges(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		type flags [4096]bool
		b := listen(t, a, mailbox.Config[flags, mailbox.None]{Slot: 64})
		bad := rawSender(t, a, b, mailbox.Hello[flags, mailbox.None](1, 1))
		region, err := bad.Zone().Alloc(4096, mem.Local)
		must(t, err)
		lent, err := bad.Zone().Alloc(4096, mem.Local|mem.RemoteRead)
		must(t, err)
		stop := make(chan struct{})
		var work sync.WaitGroup
		work.Go(func() {
			for i := byte(0); ; i++ {
				select {
				case <-stop:
					return
				default:
					_, _ = lent.WriteAt(bytes.Repeat([]byte{i % 3}, 4096), 0)
					mailbox.Yield()
				}
			}
		})
		n := mailbox.RawLarge(region.Bytes(), 0, lent.Remote().Slice(0, 4096))
		refused := 0
		for range 200 {
			must(t, bad.Send(t.Context(), region.Slice(0, n)))
			if bad.kind(t) == 6 {
				refused++
				continue
			}
			m := <-b.C()
			for i := range m.Value {
				if v := mailbox.ByteOf(&m.Value, i); v > 1 {
					t.Fatalf("a bool is %d", v)
				}
			}
		}
		close(stop)
		work.Wait()
		t.Logf("%d refused of 200", refused)
	})
}

// TestSendersThatDieWhileTheyAreRead leave the mailbox as it was, and their end follows their last
// value.
func TestSendersThatDieWhileTheyAreRead(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, blobConfig{Values: blobs(nil), Down: true})
		for i := range 30 {
			s, err := mailbox.Dial(t.Context(), a, b.Addr().String(), blobDial{Values: blobs(nil), Async: true})
			must(t, err)
			for n := range uint64(4) {
				must(t, s.Send(t.Context(), blob(n, 1<<20)))
			}
			for range i {
				mailbox.Yield()
			}
			s.Abort()
			next := uint64(0)
			for m := range b.C() {
				if m.Down() != nil {
					break
				}
				if !bytes.Equal(m.Value, blob(next, 1<<20)) {
					t.Fatalf("not value %d", next)
				}
				next++
			}
			<-s.Context().Done()
			if n := s.Lent(); n != 0 {
				t.Errorf("%d values are still lent", n)
			}
			var lost *mailbox.Lost
			if !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered > next || lost.Delivered+lost.Unknown < next {
				t.Errorf("%d received, %v", next, context.Cause(s.Context()))
			}
			must(t, s.Close())
		}
		if b.LargeUsed() != 0 {
			t.Errorf("%d bytes are still under way", b.LargeUsed())
		}
	})
}

// TestCloseWhileValuesAreRead: none is lost that was acknowledged, and none is taken behind one that was
// not.
func TestCloseWhileValuesAreRead(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for i := range 20 {
			b := listen(t, a, blobConfig{Values: blobs(nil)})
			s := dial(t, a, b, blobDial{Values: blobs(nil), Async: true})
			must(t, s.Send(t.Context(), blob(0, 8)))
			must(t, s.Flush(t.Context()))
			for n := range uint64(9) {
				must(t, s.Send(context.Background(), blob(n+1, 8+int(n%2)*200_000)))
			}
			for range i * 3 {
				mailbox.Yield()
			}
			must(t, b.Close())
			next := uint64(0)
			for m := range b.C() {
				if binary.BigEndian.Uint64(m.Value) != next {
					t.Fatalf("not value %d", next)
				}
				next++
			}
			<-s.Context().Done()
			var lost *mailbox.Lost
			if !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != next || lost.Unknown != 0 {
				t.Errorf("%d received, %v", next, context.Cause(s.Context()))
			}
		}
	})
}

// TestValuesThatNobodyTakesCount: while the mailbox is full, the values that have been read keep
// their part of MaxLarge.
func TestValuesThatNobodyTakesCount(t *testing.T) {
	const senders, size = 30, 100_000
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		var read atomic.Int64
		b := listen(t, a, blobConfig{Values: blobs(func([]byte) { read.Add(1) }), Slot: 64, MaxValue: size, MaxLarge: size, Depth: 1})
		for n := range uint64(senders) {
			s := dial(t, a, b, blobDial{Values: blobs(nil), Async: true})
			must(t, s.Send(t.Context(), blob(n, size)))
		}
		for taken := range int64(senders) {
			for range 1000 {
				mailbox.Yield()
			}
			// One is in the mailbox, one waits for room, one is read.
			if n := read.Load() - taken; n > 3 {
				t.Fatalf("%d values are held", n)
			}
			_, err := b.Receive(t.Context())
			must(t, err)
		}
	})
}

// TestCloseWaitsForLentMemory: a sender that closes takes no value with it that the mailbox reads.
func TestCloseWaitsForLentMemory(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, blobConfig{Values: blobs(nil), Slot: 512, Down: true})
		for range 10 {
			s := dial(t, a, b, blobDial{Values: blobs(nil), Async: true})
			s.EndWait(time.Hour)
			for n := range uint64(10) {
				must(t, s.Send(t.Context(), blob(n, 200_000)))
			}
			must(t, s.Close())
			got := 0
			for m := range b.C() {
				if m.Down() != nil {
					break
				}
				got++
			}
			if got != 10 {
				t.Fatalf("%d of 10 values", got)
			}
		}
	})
}
