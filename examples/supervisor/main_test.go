package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// The program starts itself, which is the test binary here.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "ledger" || os.Args[1] == "client") {
		if err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// The race detector makes every process linger for a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	goleak.VerifyTestMain(m)
}

// TestKills: whoever is killed, each entry is in the ledger once, and the ledger hears of the end of
// each client.
func TestKills(t *testing.T) {
	for _, adapter := range []string{"soft", "soft-tcp"} {
		t.Run(adapter, func(t *testing.T) {
			var out bytes.Buffer
			args := []string{"-adapter", adapter, "-clients", "3", "-kills", "6"}
			if err := run(t.Context(), args, nil, &out, os.Stderr); err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			text := out.String()
			if n := strings.Count(text, "ledger, client "); n != 3 {
				t.Errorf("not killed in turns: %s", text)
			}
			if !strings.Contains(text, "told of 3 killed") || !strings.Contains(text, "of 3 clients, each once and in order") {
				t.Errorf("%s", text)
			}
			if n := strings.Count(text, "it has dialled"); n != 3 {
				t.Errorf("%d clients have ended well: %s", n, text)
			}
		})
	}
}

// TestCheck: the check finds what is missing, and what is there twice.
func TestCheck(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	for _, c := range []struct {
		entries []entry
		want    string
	}{
		{[]entry{{1, 1, 1}, {2, 1, 1}, {1, 2, 2}}, ""},
		{[]entry{{1, 1, 1}, {2, 1, 1}, {1, 1, 1}}, "entry 1 of client 1"},
		{[]entry{{1, 1, 1}, {2, 1, 1}, {1, 3, 3}}, "entry 3 of client 1"},
		{[]entry{{1, 1, 1}, {2, 1, 2}}, "of 2 cents"},
		{[]entry{{1, 1, 1}}, "of 1 clients, not 2"},
	} {
		var b bytes.Buffer
		_ = binary.Write(&b, binary.LittleEndian, c.entries)
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := check(name, 2); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.entries, err, c.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-clients 0":              "more than 0",
		"more":                    "no other arguments",
		"-adapter nothing":        `open "nothing": not found`, // and not a child after the other
		"-dir /none":              "open /none: no such file",  // likewise
		"ledger":                  "0 arguments",
		"client soft x":           "2 arguments",
		"client soft /none three": "three",
		"ledger nothing x":        "nothing",
		"ledger soft /none":       "none",
	} {
		err := run(t.Context(), strings.Fields(args), strings.NewReader(""), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("supervisor %s: %v, want %q", args, err, want)
		}
	}
}
