package doctor

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

const littleMemory = 256 << 20

// cgroup looks at the limits of the control groups and of the groups above them, of version 2 and 1. The
// least limit of all counts.
func (e *exam) cgroup() {
	least, quota := uint64(unlimited), 0.0
	for _, dir := range e.groupDirs() {
		text := func(file string) string { return sysrdma.Text(e.Root, path.Join(dir, file)) }
		least = min(least, number(text("memory.max")), number(text("memory.limit_in_bytes")))
		for _, q := range []float64{cpuQuota(text("cpu.max")), cpuQuota(text("cpu.cfs_quota_us") + " " + text("cpu.cfs_period_us"))} {
			if q > 0 && (quota == 0 || q < quota) {
				quota = q
			}
		}
		e.rdmaMax(text("rdma.max"))
	}
	if least < littleMemory {
		e.Find("cgroup.memory", "", size(least)+" of memory")
	}
	if quota > 0 && quota < float64(e.CPUs) {
		e.Find("cgroup.cpu", "", fmt.Sprintf("a quota of %s processors of %d", strconv.FormatFloat(math.Round(quota*100)/100, 'f', -1, 64), e.CPUs))
	}
}

func textOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// cpuQuota is "50000 100000" as a number of processors; not above 0 if there is no quota.
func cpuQuota(text string) float64 {
	var quota, period float64
	if n, _ := fmt.Sscan(text, &quota, &period); n != 2 {
		return 0
	}
	return quota / period
}

// rdmaMax looks at lines such as "mlx5_0 hca_handle=2 hca_object=2000".
func (e *exam) rdmaMax(text string) {
	for line := range strings.Lines(text) {
		device, limits, _ := strings.Cut(strings.TrimSpace(line), " ")
		for l := range strings.FieldsSeq(limits) {
			if _, n, ok := strings.Cut(l, "="); ok && n != "max" {
				e.Find("cgroup.rdma", device, "for "+device+": "+limits)
				break
			}
		}
	}
}
