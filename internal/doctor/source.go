package doctor

import (
	"io/fs"
	"net/netip"
)

// A Source is where Look reads. Functions that are nil give nothing.
type Source struct {
	Host, OS, Arch string
	// Processors is how many processors the program may use; 0 if that is not known. Linux tells more in /proc.
	Processors int
	// Root is the root of the file system. Only /proc, /sys and /dev are read.
	Root fs.FS
	// Open opens a file for reading and writing, as programs do with devices, and closes it.
	// The path is relative to Root.
	Open func(path string) error
	// Interfaces are the network interfaces.
	Interfaces func() []Interface
	// Libraries loads the libraries of RDMA devices, and asks them for the devices.
	Libraries func() Libraries
}

// An Interface is a network interface.
type Interface struct {
	Name      string
	MTU       int
	Up        bool
	Loopback  bool
	Addresses []netip.Addr // without zones
}

// Libraries are what libibverbs and librdmacm say. If they cannot be loaded, Err says why.
type Libraries struct {
	Omitted bool // the program has no adapter for devices
	Err     error
	// Old: Err says that the libraries lack functions.
	Old     bool
	Devices []LibraryDevice
}

// A LibraryDevice is a device that the libraries list. If it cannot be opened, Err says why.
type LibraryDevice struct {
	Name string
	Err  error
	// Ports are the ports in order, the first one is number 1.
	Ports []LibraryPort
}

// A LibraryPort has the MTUs of a port, in bytes; 0 if unknown.
type LibraryPort struct{ ActiveMTU, MaxMTU int }
