package dat

import "sync"

// ProviderInitFunc is the function that a provider's library exports as
// dat_provider_init. It is called when an entry of the registry's file names the
// library, and must call [RegistryAddProvider] for the entry.
type ProviderInitFunc func(providerInfo *ProviderInfo, instanceData string)

// ProviderFiniFunc is the function that it exports as dat_provider_fini: the
// counterpart, called when the library is removed.
type ProviderFiniFunc func(providerInfo *ProviderInfo)

// libraries are the provider libraries that the program has linked in, by the path that
// entries of the file name.
var libraries = struct {
	mu  sync.Mutex
	all map[string]*library
}{all: map[string]*library{}}

type library struct {
	init  ProviderInitFunc
	fini  ProviderFiniFunc
	mu    sync.Mutex
	infos []ProviderInfo // that init was called for
}

// RegistryAddLibrary makes a provider known under the path that entries of the
// registry's file name, as C loads it from there. C has no such call. Without
// functions it takes the library away and calls its fini.
func RegistryAddLibrary(path string, init ProviderInitFunc, fini ProviderFiniFunc) Return {
	if path == "" {
		return badArg(1)
	}
	if init == nil {
		return removeLibrary(path)
	}
	libraries.mu.Lock()
	defer libraries.mu.Unlock()
	if libraries.all[path] != nil {
		return failure(ProviderAlreadyRegistered, NoSubtype)
	}
	libraries.all[path] = &library{init: init, fini: fini}
	return Success
}

// removeLibrary calls fini without the lock, since that may ask the registry.
func removeLibrary(path string) Return {
	libraries.mu.Lock()
	old := libraries.all[path]
	delete(libraries.all, path)
	libraries.mu.Unlock()
	if old == nil {
		return badArg(1)
	}
	old.unload()
	return Success
}

func libraryAt(path string) *library {
	libraries.mu.Lock()
	defer libraries.mu.Unlock()
	return libraries.all[path]
}

// load calls init, once for each entry.
func (l *library) load(e *providerEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range l.infos {
		if i == e.info {
			return
		}
	}
	l.infos = append(l.infos, e.info)
	info := e.info
	l.init(&info, e.instance)
}

func (l *library) unload() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.infos {
		if l.fini != nil {
			l.fini(&l.infos[i])
		}
	}
	l.infos = nil
}

// loaded is the entry that the library of e has added.
func (e *providerEntry) loaded() *providerEntry {
	if e.provider != nil {
		return e
	}
	if l := libraryAt(e.library); l != nil {
		l.load(e)
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for _, o := range registry.added {
		if o.info == e.info {
			return o
		}
	}
	return nil
}
