//go:build linux && !godapl_static

package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
)

// hardware is the driver of RDMA devices. It loads rdma-core's libraries when a
// device is opened. Linking it in makes an executable need the system's dynamic
// loader: build with -tags godapl_static where there is none.
func hardware() []hca.Driver { return []hca.Driver{verbs.Driver()} }

const withHardware = true
