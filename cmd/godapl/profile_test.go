package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProfile: the profile that go build takes for this program is of packages that are there. A package that
// has moved is one of another name for the compiler, which then does nothing for it, without a word.
func TestProfile(t *testing.T) {
	const module = "github.com/godapl/godapl/"
	found := map[string]int{}
	for _, name := range profileStrings(t, "default.pgo") {
		function, ours := strings.CutPrefix(name, module)
		if !ours || strings.HasSuffix(function, ".go") || strings.HasSuffix(function, ".s") { // of another module, or a file
			continue
		}
		function, _, _ = strings.Cut(function, "[") // type arguments have paths, too
		slash := strings.LastIndex(function, "/") + 1
		pkg, _, _ := strings.Cut(function[slash:], ".")
		found[function[:slash]+pkg]++
	}
	for pkg := range found {
		if files, _ := filepath.Glob("../../" + pkg + "/*.go"); len(files) == 0 {
			t.Errorf("the profile has %d functions of %s, which is no package: make it anew with profile.sh", found[pkg], pkg)
		}
	}
	for _, pkg := range []string{"cmd/godapl/internal/perf", "internal/hca/soft/core", "internal/hca/soft/stream", "internal/hca/soft/sharedmem", "rdma"} {
		if found[pkg] == 0 {
			t.Errorf("the profile has no function of %s", pkg)
		}
	}
}

// profileStrings is the table of strings of a pprof profile: the sixth field of its message.
func profileStrings(t *testing.T, file string) (table []string) {
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatalf("%s is no profile", file)
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		key := number()
		length := number() // the value itself, of a field that is a number
		if key&7 != 2 {
			continue
		}
		if length > uint64(len(b)) {
			t.Fatalf("%s is cut off", file)
		}
		if key>>3 == 6 {
			table = append(table, string(b[:length]))
		}
		b = b[length:]
	}
	return table
}
