//go:build !linux || !(amd64 || arm64)

package ibv

import "github.com/godapl/godapl/internal/hca"

// errElsewhere is the error of everything on systems without RDMA devices.
func errElsewhere(op string) error {
	return hca.NewError(hca.Unsupported, op, "",
		"RDMA devices need Linux on amd64 or arm64; the software adapter (\"soft\") works here")
}
