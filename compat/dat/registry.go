package dat

import (
	"slices"
	"sync"

	"github.com/godapl/godapl/rdma"
)

// NamePtr is the name of an adapter (DAT_NAME_PTR).
type NamePtr = string

// Provider opens adapters of a name (DAT_PROVIDER, a table of functions in C): an
// adapter of package rdma, by its own name or the registry's. Providers are compared by
// their address.
type Provider struct {
	// DeviceName is the argument of rdma.Open.
	DeviceName string
	// Address is the host that adapters report as theirs and listen at. Empty: they
	// report the device's address, and listen at all.
	Address string
	// Options go with opening; Async of them is not used.
	Options rdma.OpenConfig
}

// providerEntry is one line of the registry.
type providerEntry struct {
	info     ProviderInfo
	provider *Provider // nil: library must bring one
	library  string
	instance string // data for the library
	opens    int    // guarded by registry.mu
	removed  bool   // likewise
}

// use counts an open of the entry, unless that was removed.
func (e *providerEntry) use() bool {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if e.removed {
		return false
	}
	e.opens++
	return true
}

func (e *providerEntry) unuse() {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	e.opens--
}

// maxProviders bounds how many providers programs may add.
const maxProviders = 1024

// registry is the entries that programs have added. Adapters of package rdma need no
// entry.
var registry struct {
	mu    sync.Mutex
	added []*providerEntry
}

// versions are the forms in which every adapter is listed, each thread safe and not:
// programs ask for either.
var versions = [...]struct{ major, minor uint32 }{{1, 2}, {2, 0}}

// builtinEntries are the adapters of package rdma.
func builtinEntries() []*providerEntry {
	var all []*providerEntry
	for _, name := range rdma.Adapters() {
		all = append(all, deviceEntries(name, name)...)
	}
	return all
}

func deviceEntries(name, device string) []*providerEntry {
	var all []*providerEntry
	p := &Provider{DeviceName: device}
	for _, v := range versions {
		for _, safe := range [...]Boolean{False, True} {
			all = append(all, &providerEntry{info: ProviderInfo{name, v.major, v.minor, safe}, provider: p})
		}
	}
	return all
}

// allEntries is everything that can be opened now: the file's entries, the program's,
// and the adapters of package rdma. Earlier ones take precedence.
func allEntries() ([]*providerEntry, error) {
	file, err := fileEntries()
	registry.mu.Lock()
	all := append(file, registry.added...)
	registry.mu.Unlock()
	for _, e := range builtinEntries() {
		if !slices.ContainsFunc(all, func(o *providerEntry) bool { return o.info == e.info }) {
			all = append(all, e)
		}
	}
	return all, err
}

// RegistryListProviders lists the adapters that can be opened
// (dat_registry_list_providers, 1.1): one entry for every combination of name, version
// and thread safety. A call with maxToReturn 0 returns the number of entries, with
// [InvalidParameter]; so does a call with a list that is too short. *numberEntries is
// always the full number.
func RegistryListProviders(maxToReturn Count, numberEntries *Count, datProviderList []*ProviderInfo) Return {
	if numberEntries == nil {
		return badArg(2)
	}
	entries, err := allEntries()
	all := infosOf(entries)
	*numberEntries = Count(len(all))
	switch {
	case err != nil:
		return failure(InternalError, NoSubtype)
	case maxToReturn < Count(len(all)):
		return badArg(1)
	case len(datProviderList) < len(all) || slices.Contains(datProviderList[:len(all)], nil):
		return badArg(3)
	}
	for i, info := range all {
		*datProviderList[i] = info
	}
	return Success
}

// infosOf lists each combination once: several lines of the file may have it, and the provider that a library has added
// for one.
func infosOf(entries []*providerEntry) (all []ProviderInfo) {
	for _, e := range entries {
		if !slices.Contains(all, e.info) {
			all = append(all, e.info)
		}
	}
	return all
}

// RegistryAddProvider adds an adapter (dat_registry_add_provider, 1.1), under the
// name, version and thread safety of the info.
func RegistryAddProvider(provider *Provider, providerInfo *ProviderInfo) Return {
	if provider == nil {
		return badArg(1)
	}
	if providerInfo == nil || providerInfo.IAName == "" || len(providerInfo.IAName) >= NameMaxLength {
		return badArg(2)
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for _, e := range registry.added {
		if e.info == *providerInfo {
			return failure(ProviderAlreadyRegistered, NoSubtype)
		}
	}
	if len(registry.added) >= maxProviders {
		return failure(InsufficientResources, ResourceMemory)
	}
	registry.added = append(registry.added, &providerEntry{info: *providerInfo, provider: provider})
	return Success
}

// RegistryRemoveProvider removes a provider that RegistryAddProvider has added
// (dat_registry_remove_provider, 1.1). [ProviderInUse] while adapters are open that
// were found by it.
func RegistryRemoveProvider(provider *Provider, providerInfo *ProviderInfo) Return {
	if provider == nil {
		return badArg(1)
	}
	if providerInfo == nil {
		return badArg(2)
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for i, e := range registry.added {
		if e.info != *providerInfo || e.provider != provider {
			continue
		}
		if e.opens > 0 {
			return failure(ProviderInUse, NoSubtype)
		}
		e.removed = true
		registry.added = slices.Delete(registry.added, i, i+1)
		return Success
	}
	return badArg(2)
}

// RegistryProvidersRelated reports whether one adapter may replace another
// (dat_registry_providers_related, 2.0): [HAUnknown], except for a name and itself.
func RegistryProvidersRelated(name1, name2 NamePtr, related *HARelationship) Return {
	switch {
	case name1 == "":
		return badArg(1)
	case name2 == "":
		return badArg(2)
	case related == nil:
		return badArg(3)
	}
	all, _ := allEntries()
	for _, name := range [...]NamePtr{name1, name2} {
		if !slices.ContainsFunc(all, func(e *providerEntry) bool { return e.info.IAName == name }) {
			return failure(ProviderNotFound, NameNotRegistered)
		}
	}
	*related = HAUnknown
	if name1 == name2 {
		*related = HATrue
	}
	return Success
}

// candidates are the entries that an open may use, best first: the exact minor
// version, then larger ones.
func candidates(name string, major, minor uint32, safe Boolean) ([]*providerEntry, Return) {
	all, _ := allEntries()
	sub := NameNotRegistered
	var exact, larger []*providerEntry
	for _, e := range all {
		switch {
		case e.info.IAName != name:
		case e.info.DaplVersionMajor != major:
			sub = max(sub, MajorNotFound)
		case e.info.DaplVersionMinor < minor:
			sub = max(sub, MinorNotFound)
		case e.info.IsThreadSafe != safe:
			sub = max(sub, ThreadSafetyNotFound)
		case e.info.DaplVersionMinor == minor:
			exact = append(exact, e)
		default:
			larger = append(larger, e)
		}
	}
	if found := append(exact, larger...); len(found) > 0 {
		return found, Success
	}
	return nil, failure(ProviderNotFound, sub)
}
