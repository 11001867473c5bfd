package doctor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

// Options change what Look expects.
type Options struct {
	// Device must be there, if it is not "": the name of a device, or "any".
	Device string
}

// An exam is one look at a host.
type exam struct {
	Report
	Source
	options    Options
	interfaces []Interface
	libraries  Libraries
	status     map[string]string // /proc/self/status
}

// Look examines a host. It changes nothing, and needs no privileges. It may take as long as
// the kernel needs to open the devices.
func Look(s Source, o Options) *Report {
	e := &exam{Source: s, options: o}
	e.Report.Host, e.Report.Arch, e.MTUs = s.Host, s.Arch, map[string]int{}
	e.Facts, e.Findings, e.Tests = []Fact{}, []Finding{}, []Test{}
	e.Devices = append([]sysrdma.Device{}, sysrdma.Devices(s.Root)...) // none is [] in JSON
	if s.Interfaces != nil {
		e.interfaces = s.Interfaces()
	}
	if s.Libraries != nil {
		e.libraries = s.Libraries()
	}
	e.system()
	if s.OS == "linux" {
		e.modules()
		e.files()
		e.libs()
		e.ports()
		e.mtus()
		e.limits()
		e.cgroup()
		e.sharing()
		e.machine()
	}
	return &e.Report
}

// system says what runs here.
func (e *exam) system() {
	e.status = fields(sysrdma.Text(e.Root, "proc/self/status"))
	e.CPUs = cmp.Or(listed(e.status["Cpus_allowed_list"]), e.Processors)
	e.System = e.OS
	if e.OS != "linux" {
		e.Find("system.unsupported", "", "the system is "+e.OS)
		return
	}
	if release := sysrdma.Text(e.Root, "proc/sys/kernel/osrelease"); release != "" {
		e.System += " " + release
	}
	if len(e.status) == 0 {
		e.Find("proc.missing", "", "/proc/self/status cannot be read")
	}
}

// hasDevices reports whether the kernel has an RDMA device.
func (e *exam) hasDevices() bool { return len(e.Devices) > 0 }

// iface is the network interface of that name, or nil.
func (e *exam) iface(name string) *Interface {
	if i := slices.IndexFunc(e.interfaces, func(i Interface) bool { return i.Name == name }); i >= 0 {
		return &e.interfaces[i]
	}
	return nil
}

// fields are the lines "Name: value" of a file.
func fields(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			m[name] = strings.TrimSpace(value)
		}
	}
	return m
}

// listed is how many numbers a list such as "0-3,8" has.
func listed(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(first)
		if err != nil {
			continue
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(last); err != nil {
				continue
			}
		}
		n += max(0, b-a+1)
	}
	return n
}
