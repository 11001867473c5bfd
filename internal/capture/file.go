package capture

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/godapl/godapl/internal/hca"
)

const (
	// maxPending is how many bytes may wait for the disk.
	maxPending = 4 << 20
	// snapLength is larger than any packet: IPv6 does not count its header.
	snapLength = 256 << 10
	// patience is how long a stream that has no room among them, and Close, wait for a disk
	// that takes nothing.
	patience = time.Second
)

// ErrSlow is why a capture ends when the disk takes nothing.
var ErrSlow = fmt.Errorf("the disk is too slow: it took nothing for %v", patience)

// File is a capture: one file, and its successors.
type File struct {
	cfg  Config
	name string // of the first file
	disk disk
	wake chan struct{}  // there is something for the disk
	done chan struct{}  // the disk's goroutine has ended
	told sync.WaitGroup // of Config.Failed

	mu      sync.Mutex
	ng      *pcapgo.NgWriter // encodes into pending
	number  int              // of the file that packets go to now
	size    int64            // of that file, so far
	pending []byte           // for the disk
	cuts    []int            // where in pending a new file begins
	taken   chan struct{}    // closed when the disk takes pending
	over    bool             // nothing is recorded any more
	err     error            // why it ended early
	flows   int              // so far
	live    map[ends]bool    // the real addresses of flows that are not closed
	encoder encoder
	scratch []byte // one segment's bytes
}

// Open begins a capture and creates its first file.
func Open(cfg Config) (*File, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	names, first, err := cfg.createFirst(now)
	if err != nil {
		return nil, err
	}
	f := &File{cfg: cfg, number: 1, wake: make(chan struct{}, 1), done: make(chan struct{}), taken: make(chan struct{}), live: map[ends]bool{},
		scratch: make([]byte, 0, maxPayload)}
	f.disk = disk{f: f, names: names, file: first, last: 1, list: []string{names.file(1, now)}}
	f.name = f.disk.list[0]
	f.encoder.init()
	f.begin()
	go hca.Labeled("", "capture", f.disk.run)()
	return f, nil
}

// Name is the file that the capture began with.
func (f *File) Name() string { return f.name }

// begin writes the head of a pcapng file. f.mu is held, or f is not shared yet.
func (f *File) begin() {
	f.size = 0
	f.ng, _ = pcapgo.NewNgWriterInterface((*queue)(f), pcapgo.NgInterface{
		Name: f.cfg.Interface, OS: runtime.GOOS, LinkType: layers.LinkTypeRaw, SnapLength: snapLength,
		Description: "bytes of its streams, as TCP/IP that was made around them",
	}, pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Hardware: runtime.GOARCH, OS: runtime.GOOS, Application: "godapl"}})
	_ = f.ng.Flush()
}

// queue is where the encoder of pcapng writes to. It cannot fail.
type queue File

func (q *queue) Write(p []byte) (int, error) {
	q.pending = append(q.pending, p...)
	q.size += int64(len(p))
	return len(p), nil
}

// next goes on with another file. f.mu is held.
func (f *File) next() {
	f.cuts = append(f.cuts, len(f.pending))
	f.number++
	f.begin()
}

// room waits until that many bytes may be added to pending, as long as the disk gets on.
// f.mu is held, but not while waiting. It reports whether the capture goes on.
func (f *File) room(need int) bool {
	var late *time.Timer
	before := int64(0) // steps of the disk
	for !f.over && len(f.pending) > 0 && len(f.pending)+need > maxPending {
		if late == nil {
			late, before = time.NewTimer(patience), f.disk.steps.Load()
			defer late.Stop()
		}
		taken := f.taken
		f.mu.Unlock()
		select {
		case <-taken:
			f.mu.Lock()
		case <-late.C:
			f.mu.Lock()
			now := f.disk.steps.Load()
			if now == before && !f.over {
				f.fail(ErrSlow)
			}
			before = now
			late.Reset(patience)
		}
	}
	return !f.over
}

// nudge has the disk's goroutine look. f.mu is held.
func (f *File) nudge() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// fail ends the capture for an error. f.mu is held.
func (f *File) fail(err error) {
	if f.err != nil {
		return
	}
	f.over, f.err = true, err
	f.pending, f.cuts = nil, nil
	f.tookPending()
	f.nudge()
	if f.cfg.Failed != nil {
		f.told.Go(func() { f.cfg.Failed(err) })
	}
}

// tookPending wakes the flows that wait for room. f.mu is held.
func (f *File) tookPending() {
	close(f.taken)
	f.taken = make(chan struct{})
}

// Close writes the pending data, ends the capture and returns why it ended earlier, if
// it did. It waits for a slow disk, but not for a stuck one. Flows may still be used;
// they record nothing.
func (f *File) Close() error {
	f.mu.Lock()
	f.over = true
	f.nudge()
	f.mu.Unlock()
	f.awaitDisk()
	f.told.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// awaitDisk waits for its goroutine as long as that gets on.
func (f *File) awaitDisk() {
	t := time.NewTicker(patience)
	defer t.Stop()
	for before := int64(-1); ; {
		select {
		case <-f.done:
			return
		case <-t.C:
		}
		now := f.disk.steps.Load()
		if now == before {
			f.mu.Lock()
			f.fail(ErrSlow)
			f.mu.Unlock()
			return
		}
		before = now
	}
}
