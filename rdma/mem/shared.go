package mem

import (
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// SharedID identifies memory that processes share (uDAPL: DAT_LMR_COOKIE). All 40 bytes are
// significant.
type SharedID [40]byte

// SharedMemory is memory that processes of one user on one host share, by a name.
// All methods may be called concurrently.
type SharedMemory struct {
	name   string
	mu     sync.Mutex
	memory *memory // nil once closed
}

// OpenShared maps the shared memory of that name, whole pages that hold at least size bytes.
// The first call creates it, filled with zeros; later calls get the same bytes, and ErrInvalid
// if they request more than there are. The name is up to 200 of the characters a-z, A-Z, 0-9,
// '-', '_' and '.', and does not begin with a dot. The memory exists until [RemoveShared] and
// the last Close, even if the processes end. ErrUnsupported on systems without mmap.
func OpenShared(name string, size int) (*SharedMemory, error) {
	object := fmt.Sprintf("%q", name)
	if err := checkSharedName(name, object); err != nil {
		return nil, err
	}
	n, ok := roundUp(size, PageSize())
	if size <= 0 || !ok {
		return nil, hca.NewError(hca.Invalid, "open shared memory", object, fmt.Sprintf("%d bytes: it needs at least one, and must be addressable", size))
	}
	if err := shm.HoldMapping(); err != nil {
		return nil, hca.Wrap(hca.Resources, "open shared memory", object, "", err)
	}
	b, device, inode, err := sysOpenShared(name, n)
	if err != nil {
		shm.DropMapping()
		return nil, err
	}
	m := newMapped(b, PageSize())
	m.device, m.inode = device, inode
	mappings.enter(m)
	return &SharedMemory{name: name, memory: m}, nil
}

// RemoveShared removes the name. Processes that have the memory open keep it; the next
// OpenShared creates new memory. Removing a name that does not exist is harmless.
func RemoveShared(name string) error {
	if err := checkSharedName(name, fmt.Sprintf("%q", name)); err != nil {
		return err
	}
	return sysRemoveShared(name)
}

// Bytes is the memory, nil after Close. Other processes may change it at any time.
func (s *SharedMemory) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory == nil {
		return nil
	}
	return s.memory.bytes
}

// Close removes the mapping, or, while regions over it exist, lets the last of them remove it.
// Mappings of other processes stay. Closing twice is harmless.
func (s *SharedMemory) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory != nil {
		s.memory.release()
		s.memory = nil
	}
	return nil
}

func checkSharedName(name, object string) error {
	ok := name != "" && len(name) <= 200 && name[0] != '.'
	for _, c := range name {
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
	}
	if !ok {
		return hca.NewError(hca.Invalid, "open shared memory", object, "a name is 1 to 200 of a-z, A-Z, 0-9, '-', '_' and '.', and does not begin with a dot")
	}
	return nil
}

// mappings finds the shared memory that a slice lies in, so that a region keeps it
// mapped.
var mappings mappingList

type mappingList struct {
	mu  sync.Mutex
	all map[*memory]struct{}
}

func (l *mappingList) enter(m *memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*memory]struct{}{}
	}
	l.all[m] = struct{}{}
	m.atEnd = append(m.atEnd, func() { l.leave(m) })
}

func (l *mappingList) leave(m *memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, m)
}

// keepMapping has the shared memory that m lies in, if any, stay mapped as long as m is registered: other memory of the
// process may get the addresses of an unmapped one, and peers have the key.
func (m *memory) keepMapping() {
	if under := mappings.retain(m.bytes); under != nil {
		m.atEnd = append(m.atEnd, under.release)
	}
}

// retain takes a reference to the memory that b lies in; nil if there is none.
func (l *mappingList) retain(b []byte) *memory {
	addr := sysAddress(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	for m := range l.all {
		if start := sysAddress(m.bytes); addr >= start && addr+uintptr(len(b)) <= start+uintptr(len(m.bytes)) && m.retain() {
			return m
		}
	}
	return nil
}
