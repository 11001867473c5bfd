package mem

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
)

// sysIdentity finds the shared mapping that b lies in, whoever made it.
func sysIdentity(b []byte) (identity, error) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return identity{}, &hca.Error{Op: "register shared", Code: hca.Resources, Err: err, Detail: "is /proc mounted?"}
	}
	from := uint64(sysAddress(b))
	end := from + uint64(len(b))
	var id identity
	reached := from
	for line := range strings.Lines(string(text)) {
		var lo, hi, offset, inode uint64
		var major, minor uint32
		var perm string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x %x:%x %d", &lo, &hi, &perm, &offset, &major, &minor, &inode); n != 7 {
			continue
		}
		if hi <= reached || lo > reached {
			continue
		}
		part := identity{unix.Mkdev(major, minor), inode, offset + reached - lo, end - from}
		if len(perm) != 4 || perm[3] != 's' {
			return identity{}, notShared(b)
		}
		if reached == from {
			id = part
		} else if part.device != id.device || part.inode != id.inode || part.offset != id.offset+reached-from {
			return identity{}, notShared(b)
		}
		if reached = hi; reached >= end {
			return id, nil
		}
	}
	return identity{}, notShared(b)
}
