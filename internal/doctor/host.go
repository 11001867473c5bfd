package doctor

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
)

// Host is the source of this host, at the root of the file system.
func Host() Source {
	name, _ := os.Hostname()
	return Source{
		Host: name, OS: runtime.GOOS, Arch: runtime.GOARCH,
		Processors: runtime.NumCPU(),
		Root:       os.DirFS("/"),
		Open: func(path string) error {
			f, err := os.OpenFile(filepath.Join("/", path), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			return f.Close()
		},
		Interfaces: interfaces,
		Libraries:  loadLibraries,
	}
}

func interfaces() []Interface {
	var all []Interface
	ifs, _ := net.Interfaces()
	for _, i := range ifs {
		in := Interface{
			Name: i.Name, MTU: i.MTU,
			Up: i.Flags&net.FlagUp != 0, Loopback: i.Flags&net.FlagLoopback != 0,
		}
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok {
				if ip, ok := netip.AddrFromSlice(n.IP); ok {
					in.Addresses = append(in.Addresses, ip.Unmap())
				}
			}
		}
		all = append(all, in)
	}
	return all
}
