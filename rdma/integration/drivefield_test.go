package integration_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/godapl/godapl/rdma/mem"
)

// noise is the source of all data: data number d is a part of it that begins at an offset
// computed from d. So writing and comparing data are single calls.
var noise = func() []byte {
	r := rand.NewChaCha8([32]byte{7})
	b := make([]byte, 1<<20+recvSize+largeSize)
	r.Read(b)
	return b
}()

// data returns n bytes of data number d, beginning at its byte off.
func data(d uint64, off, n int) []byte {
	d ^= d >> 31
	d *= 0x9e3779b97f4a7c15
	at := int(d>>44) + off
	return noise[at : at+n]
}

// rest fills memory that belongs to the program again, and spent what was sent from:
// neither may ever be seen by a peer, and rest must stay as it is.
var rest, spent = bytes.Repeat([]byte{0xc5}, largeSize+recvSize), bytes.Repeat([]byte{0xdd}, largeSize+recvSize)

// A field is registered memory of one side.
type field struct {
	name   string
	region *mem.Region
	raw    []byte
	own    bool // a slice of the program, which stays after Free

	mu     sync.RWMutex
	freed  bool
	filled bool // the slice was filled after Free
}

// use runs f with the memory, unless it has been freed.
func (f *field) use(do func(b []byte)) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if !f.freed {
		do(f.raw)
	}
	return !f.freed
}

// free frees the memory while operations use it. A slice belongs to the program again when
// Free has returned: free fills it then, and untouched checks it later.
func (f *field) free() error {
	f.gone()
	if err := f.region.Free(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.own && !f.filled {
		fillWith(f.raw, spent)
	}
	f.filled = true
	return nil
}

// isGone reports whether the memory has been freed, or is about to be.
func (f *field) isGone() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.freed
}

// gone records that the memory is about to be freed.
func (f *field) gone() {
	f.mu.Lock()
	f.freed = true
	f.mu.Unlock()
}

// untouched describes a change of a program's slice since it was freed; "" if there is none.
func (f *field) untouched() error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if !f.own || !f.filled {
		return nil
	}
	for at := 0; at < len(f.raw); at += len(spent) {
		part := f.raw[at:min(at+len(spent), len(f.raw))]
		if i := firstDifference(part, spent[:len(part)]); i >= 0 {
			return fmt.Errorf("byte %d of the %s memory was written to behind its Free", at+i, f.name)
		}
	}
	return nil
}

func fillWith(b, with []byte) {
	for n := 0; n < len(b); {
		n += copy(b[n:], with)
	}
}

// firstDifference is the index of the first byte that differs, or -1.
func firstDifference(got, want []byte) int {
	if bytes.Equal(got, want) {
		return -1
	}
	for i := range got {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}

// wrong describes data that is not what it should be; "" if it is.
func wrong(got, want []byte) string {
	i := firstDifference(got, want)
	if i < 0 {
		return ""
	}
	n := 0
	for j := range got {
		if got[j] != want[j] {
			n++
		}
	}
	what := "other bytes"
	switch got[i] {
	case rest[0]:
		what = "what the program filled it with"
	case spent[0]:
		what = "what the sender's memory held behind the completion"
	}
	return fmt.Sprintf("%d of %d bytes are wrong, the first is byte %d, %#02x for %#02x: %s", n, len(got), i, got[i], want[i], what)
}
