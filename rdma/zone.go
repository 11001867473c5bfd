package rdma

import (
	"strings"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// Zone is a protection domain (PD) in the words of verbs, a protection zone (PZ) in
// those of uDAPL: memory and endpoints of one zone work together, those of two do not.
type Zone struct {
	adapter *Adapter
	pd      hca.PD
	number  uint64
	memory  zoneMemory

	mu        sync.Mutex
	endpoints int
	shared    int // shared receive queues
	closed    bool
}

// Adapter is the adapter that the zone belongs to.
func (z *Zone) Adapter() *Adapter { return z.adapter }

// Alloc allocates and registers at least size bytes, page-aligned, outside the Go heap and
// filled with zeros (uDAPL: dat_lmr_create). The size is rounded up to whole pages;
// [mem.Region.Len] tells. Peers get only the rights given here. ErrInvalid if size is not
// positive, ErrResources if there is no memory or a limit is reached.
func (z *Zone) Alloc(size int, rights mem.Rights) (*mem.Region, error) {
	return z.memory.Alloc(size, rights, mem.AllocConfig{})
}

// AllocWith is Alloc with a configuration, of huge pages for instance.
func (z *Zone) AllocWith(size int, rights mem.Rights, cfg mem.AllocConfig) (*mem.Region, error) {
	return z.memory.Alloc(size, rights, cfg)
}

// Register registers the bytes of b: exactly these, whatever else is on their pages (uDAPL:
// dat_lmr_create, DAT_MEM_TYPE_VIRTUAL). The slice stays pinned and reachable until the region
// is freed; the program keeps owning it. ErrInvalid if b is empty, ErrPrivileges if its pages
// do not allow what the rights are for: see package mem.
func (z *Zone) Register(b []byte, rights mem.Rights) (*mem.Region, error) {
	return z.memory.Register(b, rights)
}

// RegisterAgain creates another region over the memory of r, in this zone and with its own
// rights (uDAPL: dat_lmr_create, DAT_MEM_TYPE_LMR). The regions are freed independently; the
// memory is freed with the last one. r may be of another zone of the same adapter, or of
// another adapter.
func (z *Zone) RegisterAgain(r *mem.Region, rights mem.Rights) (*mem.Region, error) {
	return z.memory.RegisterAgain(r, rights)
}

// Adopt moves a region of another zone of the adapter to this zone, with these rights. The keys
// stay the same (verbs: ibv_rereg_mr; uDAPL has no such call). r counts as freed then, and the
// result takes its place. Adopt waits for copies in progress. When it returns, no access
// continues that only r allowed; posted operations of the former zone that need the memory
// complete with a protection error. Errors are those of [mem.Region.Modify], and ErrInvalid
// for a region of another adapter: nothing has changed then. Only if this zone is closed at the
// same time, the region is freed with it. Over shared memory a large message from r that has begun
// may fail.
func (z *Zone) Adopt(r *mem.Region, rights mem.Rights) (*mem.Region, error) {
	return z.memory.Adopt(r, rights)
}

// RegisterShared registers memory that processes share (uDAPL: dat_lmr_create,
// DAT_MEM_TYPE_SHARED_VIRTUAL), see mem.OpenShared. All processes that register under the same
// id must register the same bytes: the first registration defines them, and later ones with
// other bytes fail with ErrInvalid. That lasts until the last of these regions is freed or its
// process has ended. ErrState if the memory is not shared between processes, ErrUnsupported if
// the system has no shared memory.
func (z *Zone) RegisterShared(b []byte, id mem.SharedID, rights mem.Rights) (*mem.Region, error) {
	return z.memory.RegisterShared(b, id, rights)
}

// NewWindow creates an unbound window (uDAPL: dat_rmr_create, dat_rmr_create_for_ep).
// ErrUnsupported if the adapter has none of that kind.
func (z *Zone) NewWindow(kind mem.WindowKind) (*mem.Window, error) {
	return z.memory.NewWindow(kind)
}

// Close ends the zone (uDAPL: dat_pz_free). It fails with ErrInUse while
// regions, windows, shared receive queues or endpoints belong to it.
func (z *Zone) Close() error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.closed {
		return nil
	}
	regions, windows := z.memory.Counts()
	if z.endpoints+z.shared+regions+windows > 0 {
		return hca.NewError(hca.InUse, "close", z.String(), "it still has "+z.census(regions, windows)+": close or free those first")
	}
	if err := z.pd.Close(); err != nil {
		return hca.Named(err, "close", z.String())
	}
	z.closed = true
	z.memory.Close(false)
	z.adapter.remove(z)
	return nil
}

// census lists the objects that belong to the zone. The caller holds z.mu.
func (z *Zone) census(regions, windows int) string {
	var parts []string
	for _, p := range [...]struct {
		n    int
		kind string
	}{{z.endpoints, kindEndpoint}, {z.shared, kindSharedReceive}, {regions, "region"}, {windows, "window"}} {
		if p.n > 0 {
			parts = append(parts, hca.Count(p.n, p.kind))
		}
	}
	return strings.Join(parts, ", ")
}

func (z *Zone) kind() string { return kindZone }

// end frees the remaining regions and windows and closes the zone. Endpoints and shared
// receive queues are closed before.
func (z *Zone) end() {
	z.mu.Lock()
	z.closed = true
	z.mu.Unlock()
	z.memory.Close(false)
	if err := z.pd.Close(); err != nil {
		z.adapter.log.Error("rdma: close zone", "err", err)
	}
}

// hold prevents the zone from closing.
func (z *Zone) hold(count *int) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.closed {
		return hca.NewError(hca.Closed, "", "", z.String()+" has been closed")
	}
	*count++
	return nil
}

func (z *Zone) drop(count *int) {
	z.mu.Lock()
	defer z.mu.Unlock()
	*count--
}
