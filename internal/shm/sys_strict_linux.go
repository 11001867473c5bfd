package shm

import (
	"bytes"
	"os"
	"sync"
)

// strictMemory reports whether the system limits the memory that it commits. Anonymous
// memory is then committed when it is mapped. Files of memory are committed page by
// page when they are touched, where the only refusal is a signal.
var strictMemory = sync.OnceValue(func() bool {
	text, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	return err == nil && string(bytes.TrimSpace(text)) == "2"
})
