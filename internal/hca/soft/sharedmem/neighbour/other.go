//go:build !linux

package neighbour

import "github.com/godapl/godapl/internal/shm"

// DupFD and SocketPair are for simulations.
func DupFD(int) (int, error)              { return -1, shm.ErrUnsupported }
func SocketPair() (fds [2]int, err error) { return [2]int{-1, -1}, shm.ErrUnsupported }
