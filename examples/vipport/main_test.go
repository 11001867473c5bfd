package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asProgram in the environment makes the test binary the program.
const asProgram = "VIPPORT"

func TestMain(m *testing.M) {
	if args := os.Getenv(asProgram); args != "" {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// TestTwoProcesses: discriminators that differ in their last byte do not match, and then the
// same program sends, writes with immediate data, and reads, with a completion queue.
func TestTwoProcesses(t *testing.T) {
	for _, nic := range []string{"soft-tcp", "soft-shm"} {
		t.Run(nic, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			program := func(role string) (*exec.Cmd, *bytes.Buffer) {
				cmd, out := exec.CommandContext(ctx, os.Args[0]), new(bytes.Buffer)
				cmd.Env = append(os.Environ(), asProgram+"="+nic+" "+role)
				cmd.Stdout, cmd.Stderr = out, out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				return cmd, out
			}
			server, said := program("server")
			client, heard := program("client")
			if err := client.Wait(); err != nil {
				t.Errorf("client: %v\n%s", err, heard)
				cancel()
			}
			if err := server.Wait(); err != nil {
				t.Errorf("server: %v\n%s", err, said)
			}
			if !strings.Contains(said.String(), "written: from a program of 1998\n") || !strings.Contains(heard.String(), "read back: from a program of 1998\n") {
				t.Errorf("server: %s\nclient: %s", said, heard)
			}
		})
	}
}

// TestUsage: what is no command line is told, and nothing is begun.
func TestUsage(t *testing.T) {
	for _, args := range []string{"soft-tcp", "soft-tcp other", "soft-tcp server more"} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), asProgram+"="+args)
		out, err := cmd.CombinedOutput()
		cancel()
		if err == nil || !strings.HasPrefix(string(out), "usage: ") {
			t.Errorf("%s: %v: %s", args, err, out)
		}
	}
}
