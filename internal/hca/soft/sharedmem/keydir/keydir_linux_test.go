package keydir_test

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/shm"
)

// opened returns a directory and what a peer sees of it.
func opened(t *testing.T) (*keydir.Directory, []byte) {
	t.Helper()
	d, err := keydir.New()
	if err != nil {
		t.Fatal(err)
	}
	view, err := shm.OpenSegment(d.FD(), keydir.Size, shm.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = view.Close()
		_ = d.Close()
	})
	return d, view.Bytes()
}

func entry(key uint32, r keydir.Record) keydir.Entry {
	return func() (uint32, keydir.Record, bool) { return key, r, true }
}

// TestARecordIsReadAsItWasWritten, and is another one each time.
func TestARecordIsReadAsItWasWritten(t *testing.T) {
	d, view := opened(t)
	want := keydir.Record{Access: 1, Addr: 2, Len: 3, Base: 4, Size: 5, File: 6, Device: 7, Offset: 8, Zone: 9, Only: 10, Own: 11}
	var r keydir.Record
	if _, _, ok := r.Read(view, 0x100); ok {
		t.Fatal("a key that was not entered is there")
	}
	d.Publish(entry(0x100, want))
	first, word, ok := r.Read(view, 0x100)
	if !ok || r != want || word != d.Current(0x100) || first.Load() != word {
		t.Fatalf("%v, %#x: %+v", ok, word, r)
	}
	d.Publish(entry(0x100, keydir.Record{})) // it is there already
	if first.Load() != word {
		t.Error("a second entry has changed the record")
	}
	d.Suspend(0x100)
	if _, now := keydir.Find(view, 0x100); !keydir.Changing(now) || now == word || d.Current(0x100) != now {
		t.Errorf("suspended: %#x", now)
	}
	if _, _, ok := r.Read(view, 0x100); ok {
		t.Error("a suspended key can be used")
	}
	d.Change(entry(0x100, want)) // the same rights, and another record
	if _, now, ok := r.Read(view, 0x100); !ok || now == word || keydir.Key(now) != 0x100 {
		t.Errorf("changed: %v, %#x", ok, now)
	}
	before := d.Current(0x100)
	d.Retire(0x100)
	d.Change(entry(0x100, want))
	if _, now := keydir.Find(view, 0x100); now != 0 || d.Current(0x100) != 0 {
		t.Errorf("taken out: %#x", now)
	}
	d.Publish(entry(0x100, want))
	if now := d.Current(0x100); now == before || now == word {
		t.Errorf("entered again: %#x, as before", now)
	}
}

// TestABucketIsFull: further keys of it are not entered, and disturb nobody.
func TestABucketIsFull(t *testing.T) {
	d, view := opened(t)
	for low := range uint32(6) {
		d.Publish(entry(0x4200+low, keydir.Record{Addr: uint64(low)}))
	}
	there := 0
	var r keydir.Record
	for low := range uint32(6) {
		if _, _, ok := r.Read(view, 0x4200+low); ok {
			there++
			if r.Addr != uint64(low) {
				t.Errorf("key %d: %+v", low, r)
			}
		}
	}
	if there != 4 {
		t.Errorf("%d keys of one bucket", there)
	}
}

// TestNoReaderSeesHalfARecord while it is written.
func TestNoReaderSeesHalfARecord(t *testing.T) {
	d, view := opened(t)
	d.Publish(entry(7, keydir.Record{}))
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for v := uint64(0); ; v++ {
			select {
			case <-stop:
				return
			default:
				d.Change(entry(7, keydir.Record{Access: v, Addr: v, Len: v, Own: v}))
			}
		}
	})
	var r keydir.Record
	const changes = 1 << 18
	for d.Current(7)>>32 < changes {
		if _, _, ok := r.Read(view, 7); ok && (r.Access != r.Addr || r.Addr != r.Len || r.Len != r.Own) {
			t.Errorf("%+v", r)
			break
		}
	}
	close(stop)
	writer.Wait()
}
