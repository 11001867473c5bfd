package rdma_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/godapl/godapl/rdma"
)

func ExampleCapture() {
	dir, err := os.MkdirTemp("", "capture")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	adapter, err := rdma.Open(context.Background(), "soft-tcp", rdma.OpenConfig{
		Capture: rdma.Capture{Path: filepath.Join(dir, "wire.pcapng"), FileSize: 16 << 20, Files: 10},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// What goes over connections of the adapter now is in wire-PID-1_00001_TIME.pcapng.
	err = adapter.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "wire-*.pcapng"))
	fmt.Println(err, len(files))
	// Output: <nil> 1
}
