package verbs

import (
	"context"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// classDir is where Linux lists its RDMA devices.
const classDir = "/sys/class/infiniband"

type driver struct{}

// Driver gives the driver of all RDMA devices of this machine.
func Driver() hca.Driver { return driver{} }

// Names lists the devices, and where one has several ports, each port as
// device:port. It loads no library: a name says that the kernel has the
// device, not that the libraries for it are installed.
func (driver) Names() []string {
	entries, err := os.ReadDir(classDir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		ports, err := os.ReadDir(classDir + "/" + e.Name() + "/ports")
		if err != nil || len(ports) < 2 {
			continue
		}
		for _, p := range ports {
			names = append(names, e.Name()+":"+p.Name())
		}
	}
	sort.Strings(names)
	return names
}

// Open opens a device, or one port of it.
func (driver) Open(ctx context.Context, name string, opt hca.Options) (hca.Adapter, error) {
	if err := ended(ctx, "Open", name); err != nil {
		return nil, err
	}
	if c := opt.Capture; c != nil && !c.IfPossible {
		return nil, hca.NewError(hca.Unsupported, "Open", name, "a device cannot be captured from here: ask its own tools")
	}
	device, port, err := splitName(name)
	if err != nil {
		return nil, err
	}
	lib, err := ibv.Load()
	if err != nil {
		return nil, err
	}
	dev, err := openDevice(lib, device)
	if err != nil {
		return nil, err
	}
	return newAdapter(dev, name, port, opt)
}

// splitName cuts device:port. Port 0 is whichever has an address.
func splitName(name string) (device string, port uint8, err error) {
	device, number, found := strings.Cut(name, ":")
	if !found {
		return device, 0, nil
	}
	n, err := strconv.ParseUint(number, 10, 8)
	if err != nil || n == 0 || device == "" {
		return "", 0, hca.NewError(hca.NotFound, "Open", name,
			"a device is named as in "+classDir+", with a port as mlx5_0:1")
	}
	return device, uint8(n), nil
}
