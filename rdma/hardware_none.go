//go:build !linux || godapl_static

package rdma

import "github.com/godapl/godapl/internal/hca"

// hardware: there is no driver of RDMA devices in this build.
func hardware() []hca.Driver { return nil }

const withHardware = false
