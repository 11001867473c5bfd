package ibv

import (
	"strings"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// library is a shared library to load and where it comes from.
type library struct {
	file     string
	deb, rpm string
	symbols  func(*Lib) []symbol
}

var libraries = []library{
	{"libibverbs.so.1", "libibverbs1", "libibverbs", (*Lib).verbsSymbols},
	{"librdmacm.so.1", "librdmacm1", "librdmacm", (*Lib).cmSymbols},
}

const opLoad = "load RDMA libraries"

var loaded struct {
	mu  sync.Mutex
	lib *Lib
}

// Load opens libibverbs and librdmacm and looks up their functions, once per
// process. A failure is not kept: the next call tries again, so installing
// the libraries helps without a restart.
//
// Its error names the library and the packages to install (hca.NotFound), or
// the function that an old library lacks, or says that there is no RDMA on
// this system (hca.Unsupported).
func Load() (*Lib, error) {
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	if loaded.lib != nil {
		return loaded.lib, nil
	}
	lib, err := load(libraries)
	if err != nil {
		return nil, err
	}
	loaded.lib = lib
	return lib, nil
}

// errMissing says that a library could not be opened, and what to do.
func errMissing(l library, cause error) error {
	return hca.Wrap(hca.NotFound, opLoad, l.file,
		"the library "+l.file+" cannot be loaded; install it: on Debian and Ubuntu the packages libibverbs1, librdmacm1 and ibverbs-providers, "+
			"on Fedora and RHEL libibverbs and librdmacm, on SUSE libibverbs and librdmacm1, on Arch rdma-core; "+
			"the software adapter (\"soft\") needs no library", cause)
}

// errOld says that a library lacks functions, and what to do.
func errOld(l library, missing []string) error {
	return hca.NewError(hca.Unsupported, opLoad, l.file,
		"the library "+l.file+" is too old: it lacks "+strings.Join(missing, ", ")+"; upgrade the package "+l.deb+" (Debian, Ubuntu) or "+
			l.rpm+" (Fedora, RHEL, SUSE) to rdma-core 22 or newer; "+
			"the software adapter (\"soft\") needs no library")
}
