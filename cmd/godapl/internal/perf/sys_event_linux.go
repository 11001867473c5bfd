package perf

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// hasEvents reports whether there are eventfds.
const hasEvents = true

// events are two eventfds in Go's poller, by which two processes wake each other: the
// least that a message to a sleeper costs. They may have shared memory for messages.
type events struct {
	mine, theirs *os.File
	word         [8]byte
	message      []byte
	out, in      []byte // stay mapped until the process ends: a message may be on its way
}

// eventFiles are the descriptors of both sides, for a process that is to be started, and
// that of memory for messages of so many bytes each way. That makes them block, which
// adopt undoes.
func eventFiles(bytes int) (files []*os.File, err error) {
	defer func() {
		if err != nil {
			closeFiles(files)
		}
	}()
	for range 2 {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		if err != nil {
			return files, os.NewSyscallError("eventfd2", err)
		}
		files = append(files, os.NewFile(uintptr(fd), "eventfd"))
	}
	if bytes > 0 {
		fd, err := unix.MemfdCreate("perf", unix.MFD_CLOEXEC)
		if err != nil {
			return files, os.NewSyscallError("memfd_create", err)
		}
		files = append(files, os.NewFile(uintptr(fd), "memfd"))
		return files, files[2].Truncate(2 * eventStride(bytes))
	}
	return files, nil
}

// eventStride is the distance of the messages in memory: they share no cache line.
func eventStride(bytes int) int64 { return int64(bytes+127) &^ 63 }

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// adopt has the poller watch copies of two descriptors, and maps the memory of a third
// for messages of so many bytes, if there are to be any. Side 0 writes to its first half,
// side 1 to the second.
func adopt(mine, theirs, memory, bytes, side int) (*events, error) {
	var files [2]*os.File
	for i, fd := range [2]int{mine, theirs} {
		n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err == nil {
			err = unix.SetNonblock(n, true)
		}
		if err != nil {
			return nil, fmt.Errorf("eventfd %d: %w", fd, err)
		}
		files[i] = os.NewFile(uintptr(n), "eventfd")
	}
	e := &events{mine: files[0], theirs: files[1]}
	if bytes == 0 {
		return e, nil
	}
	half := int(eventStride(bytes))
	b, err := unix.Mmap(memory, 0, 2*half, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	e.message = make([]byte, bytes)
	e.out, e.in = b[side*half:][:bytes], b[(1-side)*half:][:bytes]
	return e, nil
}
