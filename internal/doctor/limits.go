package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

// Limits below which there is a finding.
const (
	tinyMemlock   = 1 << 20
	littleMemlock = 1 << 30
	fewFiles      = 4096
	fewMappings   = 65530 // the kernel's default
)

// Numbers of capabilities: ipcLock lifts the limit of locked memory, sysPtrace the restrictions of Yama.
const (
	ipcLock   = 14
	sysPtrace = 19
)

// capable reports whether this process has a capability.
func (e *exam) capable(number int) bool {
	caps, _ := strconv.ParseUint(e.status["CapEff"], 16, 64)
	return caps&(1<<number) != 0
}

func (e *exam) limits() {
	all := sysrdma.Text(e.Root, "proc/self/limits")
	if soft, _, ok := limit(all, "Max locked memory"); ok {
		e.memlock(soft)
	}
	if _, hard, ok := limit(all, "Max open files"); ok {
		// Go raises the soft limit to the hard one.
		if hard < fewFiles {
			e.Find("descriptors.low", "", fmt.Sprintf("at most %d descriptors (hard limit)", hard))
		} else {
			e.Fact("descriptors", "at most "+count(hard))
		}
	}
	if n, ok := sysrdma.Number(e.Root, "proc/sys/vm/max_map_count"); ok {
		if n < fewMappings {
			e.Find("mappings.low", "", fmt.Sprintf("vm.max_map_count is %d", n))
		} else {
			e.Fact("mappings", "at most "+strconv.Itoa(n))
		}
	}
}

func (e *exam) memlock(soft uint64) {
	switch {
	case soft == unlimited:
		e.Fact("memlock", "unlimited")
	case e.capable(ipcLock) && e.hostUsers(): // elsewhere it has no effect on this limit
		e.Fact("memlock", size(soft)+", but this process has the capability IPC_LOCK, so there is no limit")
	case !e.hasDevices():
		e.Fact("memlock", size(soft)+"; the software adapter locks nothing")
	case soft < tinyMemlock:
		e.FindAs(Problem, "memlock.low", "", size(soft)+" may be locked")
	case soft < littleMemlock:
		e.Find("memlock.low", "", size(soft)+" may be locked")
	default:
		e.Fact("memlock", size(soft))
	}
}

const unlimited = 1<<64 - 1

// limit finds a line of /proc/self/limits.
func limit(text, name string) (soft, hard uint64, ok bool) {
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(line, name+" ")
		if !found {
			continue
		}
		if f := strings.Fields(rest); len(f) >= 2 {
			return number(f[0]), number(f[1]), true
		}
	}
	return 0, 0, false
}

// number is a limit: "unlimited", "max", nothing, or decimal.
func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return unlimited
	}
	return n
}

func count(n uint64) string {
	if n == unlimited {
		return "unlimited"
	}
	return strconv.FormatUint(n, 10)
}

// size is a number of bytes for people.
func size(n uint64) string {
	switch {
	case n >= 10<<30:
		return strconv.FormatUint(n>>30, 10) + " GiB"
	case n >= 1<<20 && n%(1<<20) == 0, n >= 10<<20:
		return strconv.FormatUint(n>>20, 10) + " MiB"
	}
	return strconv.FormatUint(n>>10, 10) + " KiB"
}
