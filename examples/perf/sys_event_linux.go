package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// events are two eventfds in Go's poller, by which two processes wake each other: the
// least that a message to a sleeper costs.
type events struct {
	mine, theirs *os.File
	word         [8]byte
}

// eventFiles are the descriptors of both sides, for a process that is to be started.
// That makes them block, which adopt undoes.
func eventFiles() ([]*os.File, error) {
	var files []*os.File
	for range 2 {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		if err != nil {
			closeFiles(files)
			return nil, os.NewSyscallError("eventfd2", err)
		}
		files = append(files, os.NewFile(uintptr(fd), "eventfd"))
	}
	return files, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// adopt has the poller watch copies of two descriptors.
func adopt(mine, theirs int) (*events, error) {
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
	return &events{mine: files[0], theirs: files[1]}, nil
}
