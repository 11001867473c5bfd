package verbs

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// explainRegister says why memory could not be registered: nearly always the
// limit of locked memory.
func explainRegister(object string, size int, e ibv.Errno) error {
	detail := fmt.Sprintf("%d bytes could not be pinned", size)
	switch e {
	case ibv.ENOMEM, ibv.EAGAIN, ibv.EPERM:
		soft, hard, ok := ibv.LockedMemoryLimit()
		if !ok || soft == ibv.NoLimit {
			return explain("Register", object, e, detail)
		}
		detail += fmt.Sprintf("; this process may lock %d KiB (RLIMIT_MEMLOCK, hard limit %s): raise it with ulimit -l unlimited, "+
			"in /etc/security/limits.conf (memlock), for a service with LimitMEMLOCK=infinity, "+
			"for a container with --ulimit memlock=-1", soft>>10, limitText(hard))
		return hca.Wrap(hca.Resources, "Register", object, detail, e)
	}
	return explain("Register", object, e, detail)
}

func limitText(n uint64) string {
	if n == ibv.NoLimit {
		return "none"
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
