package verbs

import (
	"os"
	"slices"
	"strings"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// deviceDir is where Linux has the files by which programs reach the devices.
const deviceDir = "/dev/infiniband"

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// noDevice says why a device cannot be opened, which is not among those that
// the libraries can use; kernel are those that the kernel has, and files tells
// whether there is a deviceDir.
func noDevice(name string, usable, kernel []string, files bool) error {
	e := hca.NewError(hca.NotFound, "Open", name, "")
	switch {
	case slices.Contains(kernel, name) && !files:
		e.Detail = "the kernel has the device, but there is no " + deviceDir +
			": load the kernel module ib_uverbs; a container must be given it (--device=" + deviceDir + ")"
	case slices.Contains(kernel, name):
		e.Detail = "the kernel has the device, but the libraries cannot use it: is its provider installed " +
			"(Debian: ibverbs-providers, RPM: libibverbs), and may this user open " + deviceDir + "/uverbs*?"
	case len(usable) > 0:
		e.Detail = "there is no such RDMA device; there are: " + strings.Join(usable, ", ")
	default:
		e.Detail = "there is no RDMA device at all that the libraries can use: see rdma link, and whether the device's kernel module is loaded. " +
			"The software adapter, \"soft\", needs none"
	}
	return e
}

// noManager says why the kernel's connection manager cannot be used.
func noManager(name string, e ibv.Errno) error {
	r := reasonOf(e)
	if e == ibv.ENODEV || e == ibv.ENOSYS {
		r.code, r.cure = hca.NotFound, "the kernel has none"
	}
	return r.error("Open", name, "no connection manager: is the kernel module rdma_ucm loaded, is there an RDMA device, "+
		"and may this user open "+deviceDir+"/rdma_cm?")
}
