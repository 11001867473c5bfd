//go:build linux && (amd64 || arm64) && !godapl_static

package doctor

import (
	"errors"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
	"github.com/godapl/godapl/rdma/status"
)

// loadLibraries loads libibverbs and librdmacm, which stay loaded, and opens each device for a
// moment.
func loadLibraries() (l Libraries) {
	lib, err := ibv.Load()
	if err != nil {
		return Libraries{Err: err, Old: errors.Is(err, status.ErrUnsupported)}
	}
	list, e := lib.GetDeviceList()
	if e != 0 {
		return l // no module, no device: the files tell
	}
	defer lib.FreeDeviceList(list)
	for _, d := range list.Devices {
		l.Devices = append(l.Devices, ask(lib, d))
	}
	return l
}

func ask(lib *ibv.Lib, d ibv.Device) LibraryDevice {
	of := LibraryDevice{Name: d.Name()}
	ctx, e := lib.OpenDevice(d)
	if e != 0 {
		of.Err = e
		return of
	}
	defer lib.CloseDevice(ctx)
	attr, e := lib.QueryDevice(ctx)
	if e != 0 {
		of.Err = e
		return of
	}
	for n := 1; n <= int(attr.PhysPortCnt); n++ {
		p, e := lib.QueryPort(ctx, n)
		if e != 0 {
			p = ibv.PortAttr{}
		}
		of.Ports = append(of.Ports, LibraryPort{ActiveMTU: p.ActiveMTU.Bytes(), MaxMTU: p.MaxMTU.Bytes()})
	}
	return of
}
