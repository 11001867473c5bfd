//go:build !linux

package soft_test

import "github.com/godapl/godapl/internal/hca"

func roleMemory(n int) hca.Memory { return hca.Memory{Bytes: make([]byte, n)} }
