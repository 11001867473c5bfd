package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// builtin are the drivers that need no registration.
func builtin() []hca.Driver {
	return append([]hca.Driver{soft.Driver(""), soft.Driver("loop"), soft.Driver("shm"), soft.Driver("tcp")}, hardware()...)
}

func fabricDriver(name string, f Fabric) hca.Driver { return soft.FabricDriver(name, f) }
