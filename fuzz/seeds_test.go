package fuzz_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// seed is one file of a corpus.
type seed struct {
	name string
	args []any
}

// corpora are the seeds of each target, made from the golden bytes.
var corpora = map[string]func() []seed{
	"FuzzMPA":         seedsMPA,
	"FuzzFPDU":        seedsFPDU,
	"FuzzSegment":     seedsSegment,
	"FuzzTerminate":   seedsTerminate,
	"FuzzReadRequest": seedsReadRequest,
	"FuzzAtomic":      seedsAtomic,
	"FuzzMarkers":     seedsMarkers,
	"FuzzDecoders":    seedsDecoders,
	"FuzzRing":        seedsRing,
}

var update = flag.Bool("update", false, "write the seeds to testdata/fuzz")

// file is the seed in the format of go test.
func (s seed) file() string {
	var b strings.Builder
	b.WriteString("go test fuzz v1\n")
	for _, a := range s.args {
		switch a := a.(type) {
		case []byte:
			fmt.Fprintf(&b, "[]byte(%q)\n", a)
		default:
			fmt.Fprintf(&b, "%T(%v)\n", a, a)
		}
	}
	return b.String()
}

// The seeds in the folder are current. Others may be beside them: inputs that failed
// once.
func TestSeedsAreCurrent(t *testing.T) {
	for target, seeds := range corpora {
		dir := filepath.Join("testdata", "fuzz", target)
		names := map[string]bool{}
		for _, s := range seeds() {
			if names[s.name] {
				t.Errorf("%s: two seeds named %s", target, s.name)
			}
			names[s.name] = true
			path := filepath.Join(dir, s.name)
			if *update {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(s.file()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			have, err := os.ReadFile(path)
			if err != nil || strings.ReplaceAll(string(have), "\r\n", "\n") != s.file() {
				t.Errorf("%s is not current (%v): go test ./fuzz -run TestSeedsAreCurrent -update", path, err)
			}
		}
		if len(names) == 0 {
			t.Errorf("%s has no seeds", target)
		}
	}
}
