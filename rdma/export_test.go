package rdma

import "github.com/godapl/godapl/internal/hca"

// RegisterDriver adds an adapter of the contract below, until remove is called.
func RegisterDriver(d hca.Driver) (remove func()) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.fixed = append(registry.fixed, d)
	return func() {
		registry.mu.Lock()
		defer registry.mu.Unlock()
		registry.fixed = registry.fixed[:len(registry.fixed)-1]
	}
}
