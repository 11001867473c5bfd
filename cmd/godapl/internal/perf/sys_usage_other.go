//go:build !unix

package perf

// systemUsage is not known here.
func systemUsage() (cpu, switches int64) { return 0, 0 }
