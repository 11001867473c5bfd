package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/examples/rpc/contest"
)

// The program starts itself, which is the test binary here.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := contest.Main(context.Background(), contenders(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// TestCalls: all calls are made and answered correctly; if not, the run ends with an error.
func TestCalls(t *testing.T) {
	for _, names := range []string{"mailbox-shm,unix,grpc-unix,grpc-tcp", "protoactor"} {
		t.Run(names, func(t *testing.T) {
			var out strings.Builder
			args := []string{"-calls", "20", "-clients", "1,3", "-depths", "1,4", "-rounds", "1", "-contenders", names}
			if err := contest.Main(t.Context(), contenders(), args, &out, os.Stderr); err != nil {
				t.Fatal(err)
			}
			for name := range strings.SplitSeq(names, ",") {
				if n := strings.Count(out.String(), " "+name+" "); n < 8 {
					t.Errorf("%d lines of %s:\n%s", n, name, &out)
				}
			}
		})
	}
}
