//go:build !linux

package soft

import "github.com/godapl/godapl/internal/shm"

func (c *shmConn) watchFDs() error { return shm.ErrUnsupported }
func (c *shmConn) unwatchFDs()     {}

func fileID(int) (uint64, bool)       { return 0, false }
func reopenReadOnly(int) (int, error) { return -1, shm.ErrUnsupported }
