package verbs

import (
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// siwSmall is up to how many bytes siw copies into the frame's header, which it does wrongly
// across the end of a page. Requests with more than one segment go another way.
const siwSmall = 32

// siwBorrows is from how many bytes on siw sends an unsignaled request out of the consumer's memory
// without copying it. TCP still reads that memory after later requests have completed, so the consumer
// would change what is on its way. A signaled request is copied.
var siwBorrows = pageSize

var pageSize = uint64(os.Getpagesize())

// sendSGE is how many segments the device's requests have: one more than the consumer's for
// a cut.
func (a *adapter) sendSGE(cfg *hca.QPConfig) int {
	if a.siw {
		return max(2, cfg.SendSGE)
	}
	return max(1, cfg.SendSGE)
}

// cutAtPage cuts the only segment of a small request in two where a page ends, and returns how
// many segments there are.
func cutAtPage(g []ibv.SGE) int {
	here := pageSize - g[0].Addr%pageSize
	if g[0].Length > siwSmall || here >= uint64(g[0].Length) {
		return 1
	}
	g[1] = ibv.SGE{Addr: g[0].Addr + here, Length: g[0].Length - uint32(here), LKey: g[0].LKey}
	g[0].Length = uint32(here)
	return 2
}
