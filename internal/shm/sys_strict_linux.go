package shm

import (
	"bytes"
	"os"
	"sync"
)

// strictMemory is whether the system counts what it has promised. Of anonymous memory
// it then promises when it is mapped, of files of memory page by page when they are
// touched, and there it has no way to say no but a signal.
var strictMemory = sync.OnceValue(func() bool {
	text, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	return err == nil && string(bytes.TrimSpace(text)) == "2"
})
