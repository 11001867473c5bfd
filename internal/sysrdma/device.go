package sysrdma

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Class is where Linux lists its RDMA devices.
const Class = "sys/class/infiniband"

// A Device is an RDMA device of the kernel.
type Device struct {
	Name string `json:"name"`
	// Transport is "InfiniBand" (RoCE is that, too; see Port.Link) or "iWARP".
	Transport string `json:"transport"`
	Firmware  string `json:"firmware,omitempty"`
	// File is the name of its file in /dev/infiniband, such as "uverbs0"; "" without the
	// module ib_uverbs.
	File  string `json:"file,omitempty"`
	Ports []Port `json:"ports"`
}

// IWARP reports whether the device speaks iWARP.
func (d *Device) IWARP() bool { return d.Transport == "iWARP" }

// Devices lists the devices, in the order of their names. It is empty where there is no class.
func Devices(root fs.FS) []Device {
	var all []Device
	entries, _ := fs.ReadDir(root, Class)
	files := files(root)
	for _, e := range entries {
		dir := path.Join(Class, e.Name())
		d := Device{
			Name: e.Name(), Transport: "InfiniBand", File: files[e.Name()],
			Firmware: Text(root, path.Join(dir, "fw_ver")),
		}
		if strings.HasPrefix(Text(root, path.Join(dir, "node_type")), "4:") {
			d.Transport = "iWARP"
		}
		d.Ports = ports(root, &d, dir)
		all = append(all, d)
	}
	return all
}

// files maps devices to the names of their files.
func files(root fs.FS) map[string]string {
	const class = "sys/class/infiniband_verbs"
	of := map[string]string{}
	entries, _ := fs.ReadDir(root, class)
	for _, e := range entries {
		if name := Text(root, path.Join(class, e.Name(), "ibdev")); name != "" {
			of[name] = e.Name()
		}
	}
	return of
}

// Text is the content of a file without the white space around it; "" if it cannot be read.
func Text(root fs.FS, name string) string {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// Number is the decimal number in a file.
func Number(root fs.FS, name string) (n int, ok bool) {
	n, err := strconv.Atoi(Text(root, name))
	return n, err == nil
}
