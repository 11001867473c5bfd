//go:build amd64 || arm64

package ibv

import (
	"runtime"

	"github.com/ebitengine/purego"

	"github.com/godapl/godapl/internal/hca"
)

// load opens the libraries and fills a Lib. Libraries once opened stay open.
func load(libraries []library) (*Lib, error) {
	// dlerror tells about the last failure of its own thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if errnoLocation == 0 {
		p, err := purego.Dlsym(purego.RTLD_DEFAULT, "__errno_location")
		if err != nil {
			return nil, hca.Wrap(hca.Unsupported, opLoad, "libc.so", "the C library is neither glibc nor musl", err)
		}
		errnoLocation = p
	}
	lib := new(Lib)
	for _, l := range libraries {
		handle, err := purego.Dlopen(l.file, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			return nil, errMissing(l, err)
		}
		var missing []string
		for _, s := range l.symbols(lib) {
			if *s.to, err = purego.Dlsym(handle, s.name); err != nil {
				missing = append(missing, s.name)
			}
		}
		if missing != nil {
			return nil, errOld(l, missing)
		}
	}
	return lib, nil
}
