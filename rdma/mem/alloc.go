package mem

import (
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// HugePages says whether allocated memory consists of huge pages, for which the
// adapter and the processor need fewer address translations.
type HugePages uint8

const (
	// HugeNever uses pages of the usual size.
	HugeNever HugePages = iota
	// HugePrefer uses reserved huge pages if there are enough. If not, the
	// memory is aligned so that the kernel may use huge pages by itself
	// (transparent ones). [Region.PageSize] is the size that was used.
	HugePrefer
	// HugeRequire uses reserved huge pages. If there are not enough, the call
	// fails with rdma.ErrResources; where the library does not support them,
	// with rdma.ErrUnsupported.
	HugeRequire
)

// AllocConfig says how rdma.Zone.AllocWith gets memory. The zero value is valid.
type AllocConfig struct {
	// HugePages selects the size of the pages.
	HugePages HugePages
}

// PageSize is the size of the system's ordinary pages, in bytes.
func PageSize() int { return os.Getpagesize() }

// HugePageSize is the size of the system's reserved huge pages, in bytes; 0 if
// the library cannot use any here.
func HugePageSize() int { return sysHugePageSize() }

// allocate finds size bytes, rounded up to whole pages.
func (d *domain) allocate(size int, rights Rights, cfg AllocConfig) (*memory, error) {
	object := fmt.Sprintf("%d bytes", size)
	if size <= 0 {
		return nil, hca.NewError(hca.Invalid, "allocate", object, "a region needs at least one byte")
	}
	if cfg.HugePages > HugeRequire {
		return nil, hca.NewError(hca.Invalid, "allocate", object,
			fmt.Sprintf("unknown huge page option %d", cfg.HugePages))
	}
	if cfg.HugePages != HugeNever {
		m, err := allocateHuge(size, object)
		if err == nil || cfg.HugePages == HugeRequire {
			return m, err
		}
	}
	page := PageSize()
	n, ok := roundUp(size, page)
	if !ok {
		return nil, tooLarge(object)
	}
	align := page
	if huge := HugePageSize(); cfg.HugePages == HugePrefer && huge > 0 && n >= huge {
		if rounded, ok := roundUp(n, huge); ok {
			n, align = rounded, huge
		}
	}
	if align == page && d.mappable(n, rights) {
		if m := allocateShared(n, 0); m != nil {
			return m, nil
		}
	}
	if align == page && haveArenas && n <= arenaMost {
		m, err := d.arena.alloc(n)
		if err != nil {
			return nil, noMemory(object, err)
		}
		return m, nil
	}
	b, err := mapAnonymous(n, align)
	if err != nil {
		return nil, noMemory(object, err)
	}
	return newMapped(b, page), nil
}

// mapAnonymous is sysMap with regard to how many mappings there are.
func mapAnonymous(n, align int) ([]byte, error) {
	if err := shm.HoldMapping(); err != nil {
		return nil, err
	}
	b, err := sysMap(n, align)
	if err != nil {
		shm.DropMapping()
		if full := shm.Full(); full != nil {
			err = full
		}
	}
	return b, err
}

// noMemory says which limit it is, as far as that is known.
func noMemory(object string, err error) error {
	e := &hca.Error{Op: "allocate", Object: object, Code: hca.Resources, Err: err,
		Detail: "no such amount of memory; ask for less, or raise the limits (ulimit -v, the container's memory, vm.overcommit_memory)"}
	var limit *shm.Error
	if errors.As(err, &limit) {
		e.Detail, e.Err = limit.Detail, limit.Err
	}
	return e
}

func allocateHuge(size int, object string) (*memory, error) {
	huge := HugePageSize()
	if huge == 0 {
		return nil, hca.NewError(hca.Unsupported, "allocate", object,
			"no huge pages on this system; use HugePrefer to go without them")
	}
	n, ok := roundUp(size, huge)
	if !ok {
		return nil, tooLarge(object)
	}
	if m := allocateShared(n, huge); m != nil {
		return m, nil
	}
	if err := shm.HoldMapping(); err != nil {
		return nil, noMemory(object, err)
	}
	b, err := sysMapHuge(n)
	if err != nil {
		shm.DropMapping()
		return nil, &hca.Error{Op: "allocate", Object: object, Code: hca.Resources, Err: err,
			Detail: fmt.Sprintf("%d huge pages of %d KiB are not free; reserve them (sysctl vm.nr_hugepages=%d) or use HugePrefer",
				n/huge, huge>>10, n/huge)}
	}
	return newMapped(b, huge), nil
}

func tooLarge(object string) error {
	return hca.NewError(hca.Resources, "allocate", object, "more than this system can address")
}

// roundUp is size rounded up to a multiple of unit, if that can be said.
func roundUp(size, unit int) (int, bool) {
	if size > math.MaxInt-unit+1 {
		return 0, false
	}
	return (size + unit - 1) / unit * unit, true
}
