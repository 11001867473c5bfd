package verbs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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

// noDevice explains why a device that the libraries do not list cannot be opened.
// usable are the devices that the libraries list, kernel those that the kernel lists,
// and files reports whether deviceDir exists.
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

// verbsDir is where Linux says which file of deviceDir belongs to which device.
const verbsDir = "/sys/class/infiniband_verbs"

// refusedFile is the error if the system does not let this user open a device's file;
// nil if it does, or if there is none. class and dev are the two folders.
func refusedFile(class, dev, name string) error {
	entries, err := os.ReadDir(class)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		of, err := os.ReadFile(filepath.Join(class, e.Name(), "ibdev"))
		if err != nil || strings.TrimSpace(string(of)) != name {
			continue
		}
		f, err := openFile(filepath.Join(dev, e.Name()), os.O_RDWR, 0)
		if err == nil {
			f.Close()
		} else if errors.Is(err, fs.ErrPermission) {
			return hca.Wrap(hca.Privileges, "Open", name, "this user may not open the device's file: put the user into the file's group, "+
				"often rdma, or change its mode with a udev rule; a container needs it as a device (--device="+deviceDir+")", err)
		}
	}
	return nil
}

// openFile is os.OpenFile; tests replace it.
var openFile = os.OpenFile

// Missing implements hca.Explainer.
func (driver) Missing(string) string { return missing(classDir) }

// missing says why a device may not be in the kernel's list, and which devices are in
// it.
func missing(class string) string {
	entries, err := os.ReadDir(class)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "this system has no RDMA devices, as there is no " + class +
			": is the kernel module of the device loaded? A container needs the host's network for them"
	case err != nil:
		return "RDMA devices are listed in " + class + ", which cannot be read: " + strings.TrimPrefix(err.Error(), "open "+class+": ")
	case len(entries) == 0:
		return "this system has no RDMA devices, as " + class + " is empty: is the kernel module of the device loaded?"
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return "of RDMA devices there are " + strings.Join(names, ", ") + ", see " + class
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
