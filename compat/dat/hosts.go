package dat

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// In addition to the system's resolver there is a file with the address of the adapter
// of a host: the host's own name, or its address in another network, may belong to an
// interface without RDMA. A line is a name or an IP address, and the adapter's
// address:
//
//	storage-1    10.0.0.1     # comment
//	192.0.2.7    10.0.0.7
//
// The first line that has the name counts. Lines of another form are passed over, among
// them those of old files, which have a name and two numbers that make a GID.

// hostsVariable names another file, which then has to be readable.
const hostsVariable = "GODAPL_IBHOSTS"

func hostsPath() (path string, must bool) {
	if p, ok := os.LookupEnv(hostsVariable); ok {
		return p, true
	}
	if runtime.GOOS == "windows" {
		return `C:\DAT\ibhosts`, false
	}
	return "/etc/dapl/ibhosts", false
}

// adapterHost is the address of a host's adapter: the one in the file, else the host
// itself, which the adapter resolves.
func adapterHost(host string) (string, Return) {
	path, must := hostsPath()
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
	case must || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
		return "", failure(InternalError, NoSubtype)
	default:
		return host, Success
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) == 2 && strings.EqualFold(f[0], host) {
			return f[1], Success
		}
	}
	return host, Success
}

// reached is the host and port to connect to.
func reached(a IAAddressPtr) (host string, port uint64, ret Return) {
	host, port = hostOf(a)
	if host, ret = adapterHost(host); ret != Success {
		return "", 0, ret
	}
	return host, port, checkAddress(host)
}
