//go:build !linux

package soft

import "github.com/godapl/godapl/internal/shm"

func (c *shmConn) watchFDs() error { return shm.ErrUnsupported }
func (c *shmConn) unwatchFDs()     {}

func sysIdentify(int) (fileID, bool)  { return fileID{}, false }
func reopenReadOnly(int) (int, error) { return -1, shm.ErrUnsupported }
