//go:build amd64 || arm64

package ibv

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// with makes Load look for other libraries, as on another machine.
func with(t *testing.T, l ...library) {
	t.Helper()
	libs, lib := libraries, loaded.lib
	libraries, loaded.lib = l, nil
	t.Cleanup(func() { libraries, loaded.lib = libs, lib })
}

func says(t *testing.T, err error, code hca.Code, parts ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("%v, want the code %v", err, code)
	}
	var e *hca.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T, want a *hca.Error", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
}

func TestLoadWithoutLibrary(t *testing.T) {
	for _, l := range libraries {
		absent := l
		absent.file = "lib-not-there-" + l.file
		with(t, absent)
		lib, err := Load()
		if lib != nil {
			t.Fatalf("%s was loaded", absent.file)
		}
		says(t, err, hca.NotFound, absent.file, "cannot open shared object file", // dlerror's words
			"libibverbs1", "librdmacm1", "ibverbs-providers", "libibverbs and librdmacm", `"soft"`)
	}
}

// The C library has none of the functions.
func TestLoadOfOldLibrary(t *testing.T) {
	for _, l := range libraries {
		old := l
		old.file = "libc.so.6"
		with(t, old)
		lib, err := Load()
		if lib != nil {
			t.Fatal("libc was taken for a library of RDMA")
		}
		parts := []string{"libc.so.6", "too old", l.deb, l.rpm, `"soft"`}
		for _, s := range l.symbols(new(Lib)) {
			parts = append(parts, s.name)
		}
		says(t, err, hca.Unsupported, parts...)
	}
}

// A failure is tried again, a success is kept.
func TestLoadTriesAgain(t *testing.T) {
	with(t, library{file: "lib-not-there.so.1", symbols: func(*Lib) []symbol { return nil }})
	if _, err := Load(); err == nil {
		t.Fatal("a library that is not there was loaded")
	}
	var p uintptr
	libraries = []library{{file: "libc.so.6", symbols: func(*Lib) []symbol { return []symbol{{"abs", &p}} }}}
	first, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if p == 0 {
		t.Error("no function was looked up")
	}
	libraries = nil
	if second, err := Load(); err != nil || second != first {
		t.Errorf("loaded twice: %p, then %p, %v", first, second, err)
	}
}

// The real libraries have every function.
func TestLoad(t *testing.T) {
	lib, err := Load()
	if errors.Is(err, hca.NotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s := lib.WCStatusString(WCRetryExcErr); s != "transport retry counter exceeded" {
		t.Errorf("the status is called %q", s)
	}
	if s := lib.EventTypeString(EventPortErr); s != "port error" {
		t.Errorf("the event is called %q", s)
	}
	if s := lib.CMEventString(CMRejected); s != "RDMA_CM_EVENT_REJECTED" {
		t.Errorf("the event is called %q", s)
	}
}
