package rdmatest

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"strings"
	"time"
)

// trace is the history of a world.
type trace struct {
	entries []entry
	hash    hash.Hash64
	buf     []byte
}

// entry is one step. It has no data, in which there are keys that are drawn elsewhere.
type entry struct {
	at         time.Duration
	what, name string
	n          int
}

func (t *trace) init() { t.hash = fnv.New64a() }

func (t *trace) add(e entry) {
	t.entries = append(t.entries, e)
	b := binary.LittleEndian.AppendUint64(t.buf[:0], uint64(e.at))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.n))
	b = append(append(append(append(b, e.what...), 0), e.name...), 0)
	_, _ = t.hash.Write(b)
	t.buf = b
}

func (e entry) String() string {
	if e.n > 0 {
		return fmt.Sprintf("%12v %s %s: %d bytes", e.at, e.what, e.name, e.n)
	}
	return fmt.Sprintf("%12v %s %s", e.at, e.what, e.name)
}

// tail is the last n steps as text.
func (t *trace) tail(n int) string {
	var b strings.Builder
	from := max(0, len(t.entries)-n)
	if from > 0 {
		fmt.Fprintf(&b, "(%d steps before)\n", from)
	}
	for _, e := range t.entries[from:] {
		b.WriteString(e.String() + "\n")
	}
	return b.String()
}

// Trace returns the history so far: for each step when it happened, what and where.
func (w *World) Trace() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]string, len(w.trace.entries))
	for i, e := range w.trace.entries {
		all[i] = e.String()
	}
	return all
}

// Hash returns a number that two histories have in common if they are the same: their steps, their
// times and the numbers of bytes, but not the bytes.
func (w *World) Hash() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.trace.hash.Sum64()
}
