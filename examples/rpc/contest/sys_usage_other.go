//go:build !unix

package contest

// processorTime is not known here.
func processorTime() int64 { return 0 }
