//go:build race

package stream

import (
	"syscall"

	"github.com/godapl/godapl/internal/hca/soft/core"
)

// Package syscall has such a variable of its own, for those who talk to a socket
// of ours through package net. It is reached with calls that move nothing.

func raceSendSocket() {
	core.RaceSend()
	_, _ = syscall.Write(-1, nil)
}

func raceRecvSocket(fd int) {
	core.RaceRecv()
	_, _ = syscall.Read(fd, nil)
}
