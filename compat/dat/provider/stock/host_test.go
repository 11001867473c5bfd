package stock

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// path is one data path: its record in dat.conf.
type path struct {
	name    string // of the adapter, in dat.conf
	device  string
	address string
}

// paths are the data paths that the tests use.
var paths = []path{
	{"tcp0", "soft-tcp", "127.0.0.1"},
	{"auto0", "soft", "127.0.0.1"},
	{"shm0", "soft-shm", "127.0.0.1"},
}

const (
	// pathVariable names an additional path: a device and an address.
	pathVariable = "GODAPL_STOCK_PATH"
	// referenceVariable names an adapter of another provider, in the system's dat.conf.
	referenceVariable = "GODAPL_STOCK_REFERENCE"
	// libraryVariable names the library on machines without a compiler; the programs of
	// testdata are next to it.
	libraryVariable = "GODAPL_STOCK_LIBRARY"
)

func allPaths() []path {
	all := paths
	if words := strings.Fields(os.Getenv(pathVariable)); len(words) == 2 {
		all = append(all[:len(all):len(all)], path{words[0] + "-0", words[0], words[1]})
	}
	return all
}

// host is the environment of the programs: the library and its dat.conf.
type host struct {
	conf string
}

// newHost builds the library and writes dat.conf, or skips the test if the programs are not
// installed.
func newHost(t testing.TB) *host {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the stock programs are for Linux")
	}
	for _, program := range []string{"dapltest", "dtest", "dtestx", "dtestcm", "dtestsrq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("Debian's dapl2-utils is not installed: ", err)
		}
	}
	tools := []string{"stdbuf"}
	dir := t.TempDir()
	library, made := os.LookupEnv(libraryVariable)
	if !made {
		library = filepath.Join(dir, "libdaplgo.so")
		tools = append(tools, "gcc", "go")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the library cannot be built or its programs not be read: ", err)
		}
	}
	if !made {
		build := exec.Command("go", "build", "-buildmode=c-shared", "-o", library, "..")
		build.Env = append(os.Environ(), "CGO_ENABLED=1")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	var conf strings.Builder
	for _, p := range allPaths() {
		fmt.Fprintf(&conf, "%s u2.0 nonthreadsafe default %s daplgo.1.0 \"%s %s\" \"\"\n", p.name, library, p.device, p.address)
	}
	fmt.Fprintf(&conf, "loop0 u2.0 nonthreadsafe default %s daplgo.1.0 soft-loop \"\"\n", library)
	fmt.Fprintf(&conf, "former0 u1.2 nonthreadsafe default %s daplgo.1.0 soft-loop \"\"\n", library)
	if os.Getenv(referenceVariable) != "" {
		system, err := os.ReadFile("/etc/dat.conf")
		if err != nil {
			t.Fatal(err)
		}
		conf.Write(system)
	}
	h := &host{conf: filepath.Join(dir, "dat.conf")}
	if err := os.WriteFile(h.conf, []byte(conf.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}
