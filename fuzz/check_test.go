package fuzz_test

import (
	"bytes"
	"testing"
)

// tester is what the checks need of a test.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// outcome is what a parser of a stream says: exactly one of the three.
type outcome struct {
	used, need int
	err        error
}

func (o outcome) check(t tester, have int) {
	t.Helper()
	said := 0
	for _, yes := range []bool{o.used != 0, o.need != 0, o.err != nil} {
		if yes {
			said++
		}
	}
	if said != 1 || o.used < 0 || o.used > have || o.need < 0 {
		t.Fatalf("%d bytes: used %d, need %d, %v", have, o.used, o.need, o.err)
	}
}

// monotonic gives the parser more and more of b. More bytes never revoke an answer, and
// the parser does not overestimate the missing bytes: before they are there, it can
// only refuse.
func monotonic(t tester, b []byte, parse func([]byte) outcome) outcome {
	t.Helper()
	last, at, stages := outcome{need: 1}, 0, 0
	// Byte by byte where headers are, then around each amount asked for.
	for cut := 0; cut <= len(b); cut = next(cut, at+last.need, len(b)) {
		o := parse(b[:cut:cut])
		o.check(t, cut)
		switch due := at + last.need; {
		case cut == 0:
			if o.need == 0 {
				t.Fatalf("no bytes: used %d, %v", o.used, o.err)
			}
		case last.need == 0:
			if o != last {
				t.Fatalf("%d bytes: %+v, and %d: %+v", at, last, cut, o)
			}
		case cut < due:
			if o.used != 0 || o.err == nil && cut+o.need != due {
				t.Fatalf("%d bytes: %+v, and %d: %+v", at, last, cut, o)
			}
		case o.need > 0:
			// The requested bytes are there and do not suffice: only the length field
			// of the format justifies a second request.
			if stages++; stages > 1 {
				t.Fatalf("%d bytes: %+v, and %d: %+v", at, last, cut, o)
			}
		}
		last, at = o, cut
	}
	return last
}

// next is the amount to try after cut, when due is asked for. It ends with n,
// and then more than n.
func next(cut, due, n int) int {
	switch {
	case cut < 32 || cut >= n || cut == due-1:
		return cut + 1
	case cut < due-1 && due <= n:
		return due - 1
	}
	return n
}

// inside is whether part lies in whole, at byte at, and cannot be appended to
// without a copy.
func inside(t tester, part, whole []byte, at int) {
	t.Helper()
	if len(part) != 0 && (&part[0] != &whole[at] || at+len(part) > len(whole) || cap(part) != len(part)) {
		t.Fatalf("%d bytes with a capacity of %d are not those at %d of the input", len(part), cap(part), at)
	}
}

// same compares what was encoded with the canonical form of the input.
func same(t tester, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Fatalf("encoded %x\nwant    %x", got, want)
	}
}

// noAllocs checks that f allocates nothing. A fuzzing process allocates a little in the
// background now and then, which the average hides.
func noAllocs(t tester, f func()) {
	t.Helper()
	if v, is := t.(*volume); is && v.executions%allocsEvery != 0 {
		return
	}
	if n := testing.AllocsPerRun(5, f); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}
