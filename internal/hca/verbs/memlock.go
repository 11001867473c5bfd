package verbs

import (
	"fmt"
	"strconv"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// explainRegister says why memory could not be registered: nearly always the
// limit of locked memory.
func explainRegister(object string, size int, e ibv.Errno) error {
	soft, hard, ok := ibv.LockedMemoryLimit()
	if !ok {
		soft = ibv.NoLimit
	}
	return registerError(object, size, e, soft, hard)
}

func registerError(object string, size int, e ibv.Errno, soft, hard uint64) error {
	const op = "Register"
	detail := strconv.Itoa(size) + " bytes could not be pinned"
	switch e {
	case ibv.ENOMEM, ibv.EAGAIN, ibv.EPERM:
		r := reasonOf(e)
		r.code, r.cure = hca.Resources, "the limit of locked memory is not the reason, since there is none: "+
			"the machine or the container is short of memory, or the device has no room for another region"
		if soft != ibv.NoLimit {
			r.cure = memlock(soft, hard)
		}
		return r.error(op, object, detail)
	}
	return explain(op, object, e, detail)
}

// memlockHint is for other calls that pin memory, such as for queues. It is
// empty where there is no limit.
func memlockHint() string {
	soft, hard, ok := ibv.LockedMemoryLimit()
	if !ok || soft == ibv.NoLimit {
		return ""
	}
	return "; or: " + memlock(soft, hard)
}

// memlock says what the limit is and how to raise it.
func memlock(soft, hard uint64) string {
	return fmt.Sprintf("this process may lock %s in all (RLIMIT_MEMLOCK; hard limit: %s), and queues and other regions are part of that: "+
		"raise it with ulimit -l unlimited, memlock in /etc/security/limits.conf, LimitMEMLOCK=infinity for a service of systemd, "+
		"--ulimit memlock=-1 for a container, or give the capability IPC_LOCK", limitText(soft), limitText(hard))
}

func limitText(n uint64) string {
	if n == ibv.NoLimit {
		return "none"
	}
	return strconv.FormatUint(n>>10, 10) + " KiB"
}
