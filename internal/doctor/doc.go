// Package doctor looks at everything on a host that makes RDMA fail, and says what it found,
// why it matters, and the command that mends it.
//
// Look reads the host through a [Source], and nothing else: a tree of files, which holds
// /proc, /sys and /dev, and a few functions. So each finding can be made by files in a test.
// It needs no privileges; what it cannot read it leaves out.
//
// The kinds of findings are a table (kinds.go). Their names are stable: operators compare
// them over a fleet. docs/doctor.md shows the table, and a test compares the two.
//
// There is one file per area: modules.go, files.go, libraries.go, ports.go, gids.go, mtu.go,
// limits.go, cgroup.go, sharing.go, machine.go. In host.go and load.go are the functions of a
// real host.
package doctor
