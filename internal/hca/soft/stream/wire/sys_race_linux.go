//go:build race

package wire

import (
	"syscall"

	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// Package syscall has such a variable of its own, for programs that access a socket through package net. Calls
// that transfer no bytes reach it.

func raceSendSocket() {
	rawmem.RaceSend()
	_, _ = syscall.Write(-1, nil)
}

func raceRecvSocket(fd int) {
	rawmem.RaceRecv()
	_, _ = syscall.Read(fd, nil)
}
