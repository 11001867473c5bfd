//go:build !linux

package sharedmem_test

import (
	"context"
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

func roleMemory(n int) hca.Memory                                              { return hca.Memory{Bytes: make([]byte, n)} }
func deny(string) error                                                        { return errors.ErrUnsupported }
func playDialer()                                                              {}
func putBack(context.Context, hca.QP, hca.CQ, hca.MR, []byte, uint64, hca.Key) {}
