package doctor

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

// fastClocks are the clock sources that a program reads without a system call, on all architectures of Linux for which Go
// does that.
var fastClocks = []string{
	"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", // x86
	"arch_sys_counter", "riscv_clocksource", "timebase", "tod", "Constant", // ARM, RISC-V, POWER, Z, LoongArch
}

// machine looks at what decides latencies: processors, clock and pages.
func (e *exam) machine() {
	switch {
	case e.CPUs == 1:
		found := "one processor"
		if list := e.status["Cpus_allowed_list"]; list != "" {
			found = "Cpus_allowed_list in /proc/self/status is " + list
		}
		e.Find("cpu.single", "", found)
	case e.CPUs > 1:
		e.Fact("cpu", fmt.Sprintf("%d processors", e.CPUs))
	}
	e.governors()
	clock := sysrdma.Text(e.Root, "sys/devices/system/clocksource/clocksource0/current_clocksource")
	switch {
	case clock == "":
	case slices.Contains(fastClocks, clock):
		e.Fact("clock", clock)
	default:
		e.Find("clock.slow", "", "the clock source is "+clock)
	}
	e.hugePages()
}

// hugePages looks whether a program can get huge pages: reserved ones, or such as the kernel makes when they are asked for.
func (e *exam) hugePages() {
	reserved := fields(sysrdma.Text(e.Root, "proc/meminfo"))["HugePages_Total"]
	more, _ := sysrdma.Number(e.Root, "proc/sys/vm/nr_overcommit_hugepages")
	switch {
	case reserved == "":
	case reserved != "0":
		e.Fact("hugepages", reserved+" reserved")
	case more > 0:
		e.Fact("hugepages", fmt.Sprintf("none reserved, up to %d on demand", more))
	default:
		e.Find("hugepages.none", "", "HugePages_Total in /proc/meminfo is 0")
	}
}

// governors looks for processors with another governor than performance. Virtual machines
// most often have none.
func (e *exam) governors() {
	const dir = "sys/devices/system/cpu"
	cpus, _ := fs.ReadDir(e.Root, dir)
	slow := map[string]int{}
	for _, c := range cpus {
		if !strings.HasPrefix(c.Name(), "cpu") {
			continue
		}
		if g := sysrdma.Text(e.Root, path.Join(dir, c.Name(), "cpufreq/scaling_governor")); g != "" && g != "performance" {
			slow[g]++
		}
	}
	for _, g := range slices.Sorted(maps.Keys(slow)) {
		e.Find("cpu.governor", "", fmt.Sprintf("%d processors have the governor %s", slow[g], g))
	}
}
