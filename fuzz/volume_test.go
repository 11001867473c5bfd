package fuzz_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A volume is many executions of a target in a loop, without Go's fuzzing engine: inputs of its corpora are changed at
// random, and coverage is not looked at. That is a hundred times as fast, so it is for what is rare, when the engine has
// found what there is to reach.
type volume struct {
	target     string
	draw       *rand.Rand
	corpus     []input
	executions int
	b          []byte // of the input that runs
	x          uint64
}

// input is an input of any target: its bytes, and what it has beside them.
type input struct {
	b []byte
	x uint64
}

// targets are the checks that volumes run.
var targets = map[string]struct {
	check func(t tester, b []byte, x uint64)
	args  func(b []byte, x uint64) []any
}{
	"FuzzMPA":         {func(t tester, b []byte, x uint64) { checkMPA(t, b, x&1 != 0) }, bytesAndBool},
	"FuzzFPDU":        {func(t tester, b []byte, x uint64) { checkFPDU(t, b, x&1 != 0) }, bytesAndBool},
	"FuzzSegment":     {func(t tester, b []byte, _ uint64) { checkSegment(t, b) }, bytesAlone},
	"FuzzTerminate":   {func(t tester, b []byte, x uint64) { checkTerminate(t, b, x&1 != 0) }, bytesAndBool},
	"FuzzReadRequest": {func(t tester, b []byte, _ uint64) { checkReadRequest(t, b) }, bytesAlone},
	"FuzzAtomic":      {func(t tester, b []byte, x uint64) { checkAtomic(t, b, x) }, func(b []byte, x uint64) []any { return []any{b, x} }},
	"FuzzMarkers": {func(t tester, b []byte, x uint64) { checkMarkers(t, b, uint16(x>>1), x&1 != 0) },
		func(b []byte, x uint64) []any { return []any{b, uint16(x >> 1), x&1 != 0} }},
	"FuzzDecoders": {func(t tester, b []byte, x uint64) { checkDecoders(t, b, x&1 != 0) }, bytesAndBool},
	"FuzzRing":     {func(t tester, b []byte, _ uint64) { checkRing(t, b) }, bytesAlone},
}

func bytesAlone(b []byte, _ uint64) []any   { return []any{b} }
func bytesAndBool(b []byte, x uint64) []any { return []any{b, x&1 != 0} }

const (
	volumeMost  = 2048 // bytes of an input
	allocsEvery = 4096 // executions, for the check that nothing is allocated: it stops the process
)

// failed is the panic of a check that fails.
type failed struct{ why string }

func (v *volume) Helper()                           {}
func (v *volume) Fatal(args ...any)                 { panic(failed{fmt.Sprint(args...)}) }
func (v *volume) Fatalf(format string, args ...any) { panic(failed{fmt.Sprintf(format, args...)}) }

// TestVolume runs so many executions of a target, or of all, from a seed:
//
//	GODAPL_FUZZ_VOLUME=100000000 GODAPL_FUZZ_TARGET=FuzzMPA GODAPL_FUZZ_SEED=1 go test -run TestVolume -v ./fuzz
//
// An input that fails is written to testdata/fuzz, as by the engine.
func TestVolume(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("GODAPL_FUZZ_VOLUME"))
	if err != nil {
		n = 20_000
	}
	from, err := strconv.ParseUint(os.Getenv("GODAPL_FUZZ_SEED"), 10, 64)
	if err != nil {
		from = 1
	}
	for name := range targets {
		if only := os.Getenv("GODAPL_FUZZ_TARGET"); only != "" && only != name {
			continue
		}
		t.Run(name, func(t *testing.T) {
			v := &volume{target: name, draw: rand.New(rand.NewPCG(from, 1)), corpus: corpusOf(t, name)}
			begun := time.Now()
			if why, failed := v.run(n); failed {
				t.Fatalf("execution %d of seed %d: %s\nits input is %s", v.executions, from, why, v.keep(t))
			}
			t.Logf("%s ./fuzz: %d executions of seed %d in %v, %d inputs", name, v.executions, from, time.Since(begun).Round(time.Millisecond), len(v.corpus))
		})
	}
}

// run runs n executions, or until one fails.
func (v *volume) run(n int) (why string, bad bool) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case failed:
			why, bad = x.why, true
		default:
			why, bad = fmt.Sprint("panic: ", x), true
		}
	}()
	check := targets[v.target].check
	for range n {
		v.change()
		v.executions++
		check(v, v.b, v.x)
	}
	return "", false
}

// keep writes the input that runs, and returns the file's name.
func (v *volume) keep(t *testing.T) string {
	dir := filepath.Join("testdata", "fuzz", v.target)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, fmt.Sprintf("volume_%016x", v.draw.Uint64()))
	if err := os.WriteFile(path, []byte(seed{args: targets[v.target].args(v.b, v.x)}.file()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// change makes the next input: one of the corpus, changed in a few places.
func (v *volume) change() {
	draw := v.draw
	base := &v.corpus[draw.IntN(len(v.corpus))]
	v.b, v.x = append(v.b[:0], base.b...), base.x
	for range 1 + draw.IntN(4)*draw.IntN(4) {
		v.changeOnce(draw.Uint64())
	}
	v.b = v.b[:min(len(v.b), volumeMost):min(len(v.b), volumeMost)]
}

// changeOnce makes one change, which the number decides.
func (v *volume) changeOnce(r uint64) {
	n := len(v.b)
	kind, at := r&15, 0
	if r >>= 4; n > 0 {
		at = int(r % uint64(n) & (1<<31 - 1))
	}
	r = v.draw.Uint64()
	switch {
	case kind == 0:
		v.x = r
	case kind == 1:
		v.x ^= 1 << (r % 64)
	case kind == 2: // another's bytes from some place on
		other := v.corpus[r%uint64(len(v.corpus))].b
		v.b = append(v.b[:at], other[min(at, len(other)):]...)
	case kind == 3: // one behind the other
		v.b = append(v.b, v.corpus[r%uint64(len(v.corpus))].b...)
	case n == 0:
		v.b = append(v.b, byte(r))
	case kind == 4: // cut off
		v.b = v.b[:at]
	case kind == 5: // insert
		v.b = append(v.b, 0)
		copy(v.b[at+1:], v.b[at:])
		v.b[at] = byte(r)
	case kind == 6: // leave out
		v.b = append(v.b[:at], v.b[at+1:]...)
	case kind == 7: // repeat a part
		part := v.b[at:min(n, at+1+int(r%64))]
		v.b = append(v.b, part...)
	case kind == 8 && at+2 <= n: // a length that fits, or nearly
		binary.BigEndian.PutUint16(v.b[at:], uint16(n-at)+uint16(r%9)-6)
	case kind == 9 && at+4 <= n:
		binary.BigEndian.PutUint32(v.b[at:], edges[r%uint64(len(edges))])
	case kind == 10:
		v.b[at] = byte(edges[r%uint64(len(edges))])
	case kind == 11:
		v.b[at] += byte(r%7) - 3
	case kind < 14:
		v.b[at] ^= 1 << (r % 8)
	default:
		v.b[at] = byte(r)
	}
}

// edges are numbers at which something may change.
var edges = []uint32{0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 18, 31, 32, 63, 64, 127, 128, 255, 256, 511, 512, 0x7fff, 0x8000, 0xffff, 0x10000, 1<<31 - 1, 1 << 31, 1<<32 - 1}

// corpusOf are the inputs in testdata, and those that Go's engine has found, in the folder that GODAPL_FUZZ_CORPUS names.
func corpusOf(t *testing.T, target string) (all []input) {
	for _, dir := range []string{filepath.Join("testdata", "fuzz"), os.Getenv("GODAPL_FUZZ_CORPUS")} {
		if dir == "" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, target, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in, err := parseInput(string(text))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			all = append(all, in)
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no inputs", target)
	}
	return all
}

// parseInput reads an input in the format of go test. Numbers come before truths, which take the lowest bit.
func parseInput(text string) (in input, err error) {
	for _, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")[1:] {
		kind, value, ok := strings.Cut(strings.TrimSuffix(line, ")"), "(")
		if !ok {
			continue
		}
		switch kind {
		case "[]byte":
			var s string
			s, err = strconv.Unquote(value)
			in.b = []byte(s)
		case "bool":
			in.x <<= 1
			if value == "true" {
				in.x |= 1
			}
		case "uint16", "uint64":
			in.x, err = strconv.ParseUint(value, 10, 64)
		default:
			err = fmt.Errorf("an argument of type %s", kind)
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}
