package rdma

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// registry holds the built-in drivers and those that the program has registered.
var registry = struct {
	mu    sync.Mutex
	fixed []hca.Driver
	added map[string]hca.Driver
}{fixed: builtin(), added: map[string]hca.Driver{}}

func init() { hca.Drivers = drivers }

// Adapters returns the names that Open accepts now, sorted (uDAPL:
// dat_registry_list_providers). A name begins with its vendor's prefix: names of the software
// adapter begin with "soft".
func Adapters() []string {
	var names []string
	for name := range drivers() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// drivers maps the names that can be opened now to their drivers. It calls the drivers without
// the lock, as they may probe hardware.
func drivers() map[string]hca.Driver {
	registry.mu.Lock()
	all := slices.Clone(registry.fixed)
	for _, d := range registry.added {
		all = append(all, d)
	}
	registry.mu.Unlock()
	return namesOf(append(all, hca.AddedDrivers()...))
}

func namesOf(drivers []hca.Driver) map[string]hca.Driver {
	found := make(map[string]hca.Driver)
	for _, d := range drivers {
		for _, name := range d.Names() {
			found[name] = d
		}
	}
	return found
}

// Open opens the adapter of that name (uDAPL: dat_ia_open). It may block while a device is set
// up, until ctx is done. An unknown name gives ErrNotFound with the existing names. Every call
// opens a new adapter: objects of two adapters cannot be mixed.
func Open(ctx context.Context, name string, cfg OpenConfig) (*Adapter, error) {
	if over(ctx) {
		return nil, contextError(ctx, "open", name, nothingBegun)
	}
	d, ok := drivers()[name]
	if !ok {
		return nil, notFound(name)
	}
	return openAdapter(ctx, d, name, cfg)
}

// notFound is the error for an unknown name: it lists the existing names and what is missing.
func notFound(name string) error {
	detail := "the adapters here are " + strings.Join(Adapters(), ", ")
	registry.mu.Lock()
	fixed := slices.Clone(registry.fixed)
	registry.mu.Unlock()
	for _, d := range fixed {
		if e, ok := d.(hca.Explainer); ok {
			detail += "; " + e.Missing(name)
		}
	}
	if !withHardware {
		detail += "; this program was built without the adapter for RDMA devices, which is there on Linux unless the build tag godapl_static is set"
	}
	return hca.NewError(hca.NotFound, "open", fmt.Sprintf("%q", name), detail)
}

// RegisterFabric adds an adapter that runs over the program's own byte streams (uDAPL:
// dat_registry_add_provider). The name consists of the vendor's prefix, "-", and more:
// "acme-tls". The prefix "soft" is reserved. ErrExists if the name is registered.
func RegisterFabric(name string, f Fabric) error {
	object := fmt.Sprintf("%q", name)
	if f == nil {
		return hca.NewError(hca.Invalid, "register", object, "there is no fabric")
	}
	if err := checkName(name, object); err != nil {
		return err
	}
	registry.mu.Lock()
	fixed := slices.Clone(registry.fixed)
	registry.mu.Unlock()
	taken := namesOf(fixed)[name] != nil // it may be the device of a driver
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if taken || registry.added[name] != nil {
		return hca.NewError(hca.Exists, "register", object, "choose another name, or UnregisterFabric that one")
	}
	registry.added[name] = fabricDriver(name, f)
	return nil
}

// UnregisterFabric undoes RegisterFabric (uDAPL: dat_registry_remove_provider). Open adapters
// stay open. ErrNotFound if the name was not registered.
func UnregisterFabric(name string) error {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if registry.added[name] == nil {
		return hca.NewError(hca.NotFound, "unregister", fmt.Sprintf("%q", name), "the program has registered no such adapter")
	}
	delete(registry.added, name)
	return nil
}

// checkName checks for vendor-rest, in characters that need no quotes in a shell or a file.
func checkName(name, object string) error {
	vendor, rest, ok := strings.Cut(name, "-")
	if !ok || vendor == "" || rest == "" {
		return hca.NewError(hca.Invalid, "register", object, "a name needs its vendor's prefix, as in acme-tls")
	}
	if vendor == "soft" {
		return hca.NewError(hca.Invalid, "register", object, "the prefix soft belongs to the built-in adapter")
	}
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("-_.", c) {
			return hca.NewError(hca.Invalid, "register", object, "a name consists of a-z, 0-9, '-', '_' and '.'")
		}
	}
	return nil
}
