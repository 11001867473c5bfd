//go:build !linux

package vipl

import "os"

// The pages are not locked.

var pageSize = os.Getpagesize()

func lockPages(from, to uint64) bool { return true }

func unlockPages(from, to uint64) {}
