package mem

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const noReserve = unix.MAP_NORESERVE

// sysHugePageSize reads the default size of reserved huge pages once.
var sysHugePageSize = sync.OnceValue(func() int {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// Hugepagesize:       2048 kB
		if value, ok := strings.CutPrefix(lines.Text(), "Hugepagesize:"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			if err == nil && kib > 0 && kib&(kib-1) == 0 {
				return kib << 10
			}
		}
	}
	return 0
})

// sysMapHuge maps n bytes of reserved huge pages. The kernel reserves them now,
// so that a lack of them is an error here and not a signal later.
func sysMapHuge(n int) ([]byte, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), protection, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_HUGETLB)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// adviseHuge asks for transparent huge pages. A refusal does no harm.
func adviseHuge(p unsafe.Pointer, n int) {
	unix.Madvise(unsafe.Slice((*byte)(p), n), unix.MADV_HUGEPAGE)
}
