//go:build !linux

package sharedmem

import "github.com/godapl/godapl/internal/shm"

func (c *Conn) watchFDs() error       { return shm.ErrUnsupported }
func (c *Conn) unwatchFDs()           {}
func (c *Conn) watchDoorbell()        {}
func sysIdentify(int) (fileID, bool)  { return fileID{}, false }
func reopenReadOnly(int) (int, error) { return -1, shm.ErrUnsupported }
