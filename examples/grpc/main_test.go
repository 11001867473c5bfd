package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// full is a file on a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestCalls makes unary calls and a stream, small and large.
func TestCalls(t *testing.T) {
	for _, name := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			adapter, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
			if err != nil {
				t.Skip(err)
			}
			defer adapter.Close()
			server, address, err := serve(t.Context(), adapter, "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer server.Stop()
			var out bytes.Buffer
			if err := call(t.Context(), adapter, address, []string{"some", "words"}, &out); err != nil || out.String() != "SOME\nWORDS\n[SOME WORDS]\n" {
				t.Errorf("%q, %v", out.String(), err)
			}
			if err := call(t.Context(), adapter, address, []string{"word"}, full{}); err == nil || err.Error() != "no room" {
				t.Errorf("the output is lost: %v", err)
			}
			if err := call(t.Context(), adapter, address, nil, full{}); err == nil || err.Error() != "no room" {
				t.Errorf("the output is lost: %v", err)
			}
			c, err := dial(adapter, address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			long := strings.Repeat("x", 1<<20)
			if answer, err := unary(t.Context(), c, long); err != nil || answer != strings.ToUpper(long) {
				t.Errorf("%d bytes, %v", len(answer), err)
			}
			words := strings.Fields(strings.Repeat("abc ", 10_000))
			if answers, err := stream(t.Context(), c, words); err != nil || !slices.Equal(answers, strings.Fields(strings.Repeat("ABC ", 10_000))) {
				t.Errorf("%d answers, %v", len(answers), err)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                                       "either",
		"-serve -call x:1":                       "either",
		"-serve -listen x more":                  "words are for -call",
		"-adapter none -call x:1":                "none",
		"-adapter soft-loop -call localhost:9 x": "localhost:9",
	} {
		if err := run(context.Background(), strings.Fields(args), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
