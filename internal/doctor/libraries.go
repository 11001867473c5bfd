package doctor

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

// libs looks at libibverbs and librdmacm.
func (e *exam) libs() {
	l := e.libraries
	level := Problem
	if !e.hasDevices() {
		level = Note
	}
	switch {
	case l.Omitted:
		e.Find("library.omitted", "", "the build has no adapter for RDMA devices")
	case l.Err != nil && l.Old:
		e.FindAs(level, "library.old", "", l.Err.Error())
	case l.Err != nil:
		e.FindAs(level, "library.missing", "", l.Err.Error())
	default:
		e.versions()
		e.listed()
	}
}

// versions names the files that were loaded. Their numbers are the version of rdma-core: it
// ends in 44.0 for rdma-core 44.
func (e *exam) versions() {
	seen := map[string]bool{}
	for line := range strings.Lines(sysrdma.Text(e.Root, "proc/self/maps")) {
		i := strings.IndexByte(line, '/')
		if i < 0 {
			continue
		}
		file := strings.TrimSpace(line[i:])
		name := path.Base(file)
		lib, version, ok := strings.Cut(name, ".so.")
		if !ok || lib != "libibverbs" && lib != "librdmacm" || seen[file] {
			continue
		}
		seen[file] = true
		text := file
		if parts := strings.Split(version, "."); len(parts) >= 3 {
			text += " (rdma-core " + strings.Join(parts[2:], ".") + ")"
		}
		e.Fact("library", text)
	}
}

// listed compares the devices of the kernel with those of the libraries, and takes the MTUs.
func (e *exam) listed() {
	for _, d := range e.Devices {
		i := slices.IndexFunc(e.libraries.Devices, func(l LibraryDevice) bool { return l.Name == d.Name })
		if i < 0 {
			// Without ib_uverbs, the libraries list nothing.
			if d.File != "" && e.there("dev/infiniband/"+d.File) {
				e.Find("library.provider", d.Name, "the libraries do not list "+d.Name)
			}
			continue
		}
		l := e.libraries.Devices[i]
		if l.Err != nil && !e.has("file.permission") && !e.has("file.missing") {
			e.Find("library.device", d.Name, l.Err.Error())
		}
		for n, p := range l.Ports {
			if p.ActiveMTU > 0 {
				e.MTUs[d.Name+":"+strconv.Itoa(n+1)] = p.ActiveMTU
			}
		}
	}
}

// has reports whether there is a finding of a kind.
func (e *exam) has(name string) bool {
	return slices.ContainsFunc(e.Findings, func(f Finding) bool { return f.Name == name })
}
