package rawmem

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/pages"
)

// CheckRights refuses to register memory for more access than its pages allow. A device learns this when it pins
// the pages; here only a peer's access would fault, later.
func CheckRights(a *pages.Asker, op string, mem hca.Memory, access hca.Access) error {
	if mem.Own {
		return nil
	}
	need := pages.Need(0)
	if access&(hca.LocalRead|hca.RemoteRead|hca.RemoteAtomic) != 0 {
		need |= pages.Read
	}
	if access&(hca.LocalWrite|hca.RemoteWrite|hca.RemoteAtomic) != 0 {
		need |= pages.Write
	}
	err := a.Check(mem.Bytes, need)
	if err == nil {
		return nil
	}
	return hca.Wrap(hca.Privileges, op, fmt.Sprintf("region of %d bytes (%v)", len(mem.Bytes), access),
		"its pages do not allow all of these rights: register it with fewer, or map it with more", err)
}
