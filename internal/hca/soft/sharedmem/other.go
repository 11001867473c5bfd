//go:build !linux

package sharedmem

import (
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
	"github.com/godapl/godapl/internal/shm"
)

func (c *Conn) watchFDs() error            { return shm.ErrUnsupported }
func (c *Conn) unwatchFDs()                {}
func (c *Conn) watchDoorbell()             {}
func (c *Conn) reportSocket()              {}
func sysIdentify(int) (peerfiles.ID, bool) { return peerfiles.ID{}, false }
func reopenReadOnly(int) (int, error)      { return -1, shm.ErrUnsupported }

// Pending, Rung, Told and Die implement neighbour.Watched.
func (c *Conn) Pending() (rung, told, ended bool) { return false, false, false }
func (c *Conn) Rung()                             {}
func (c *Conn) Told(bool)                         {}
func (c *Conn) Die()                              {}
