package devices

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/godapl/godapl/internal/sysrdma"
	"github.com/godapl/godapl/rdma"
)

// openLimit is how long opening an adapter may take.
const openLimit = 15 * time.Second

// adapter is an entry of the list.
type adapter struct {
	Name string `json:"name"`
	// Attributes is nil if the adapter cannot be opened; Error says why.
	Attributes *rdma.Attributes `json:"attributes,omitempty"`
	Error      string           `json:"error,omitempty"`
	// Device is what the kernel tells about a device; nil for others.
	Device *sysrdma.Device `json:"device,omitempty"`
}

// list opens each adapter for a moment. root is the root of the file system.
func list(ctx context.Context, root fs.FS) []adapter {
	all := []adapter{}
	devices := sysrdma.Devices(root)
	for _, name := range rdma.Adapters() {
		a := adapter{Name: name}
		attr, err := attributes(ctx, name)
		if err != nil {
			a.Error = err.Error()
		} else {
			a.Attributes = &attr
		}
		of, _, _ := strings.Cut(name, ":") // a port of a device
		if i := slices.IndexFunc(devices, func(d sysrdma.Device) bool { return d.Name == of }); i >= 0 {
			a.Device = &devices[i]
		}
		all = append(all, a)
	}
	return all
}

func attributes(ctx context.Context, name string) (rdma.Attributes, error) {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	a, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return rdma.Attributes{}, err
	}
	defer a.Close()
	return a.Attributes(), nil
}
