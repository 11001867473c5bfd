package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asProgram in the environment makes the test binary the program.
const asProgram = "DATPORT"

func TestMain(m *testing.M) {
	if args := os.Getenv(asProgram); args != "" {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// TestTwoProcesses: the same program is the server and the client.
func TestTwoProcesses(t *testing.T) {
	for _, ia := range []string{"soft-tcp", "soft-shm"} {
		t.Run(ia, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			program := func(args string) *exec.Cmd {
				cmd := exec.CommandContext(ctx, os.Args[0])
				cmd.Env, cmd.Stderr = append(os.Environ(), asProgram+"="+ia+" "+args), os.Stderr
				return cmd
			}
			server := program("")
			out, err := server.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			said := bufio.NewReader(out)
			if line, err := said.ReadString('\n'); line != "ready\n" {
				t.Errorf("the server says %q, %v", line, err)
			}
			heard, err := program("127.0.0.1").Output()
			if err != nil {
				t.Errorf("client: %v", err)
				cancel()
			}
			line, _ := said.ReadString('\n')
			if err := server.Wait(); err != nil {
				t.Errorf("server: %v", err)
			}
			if line != "written: from a program of 2007\n" || string(heard) != "read back: from a program of 2007\n" {
				t.Errorf("server: %q, client: %q", line, heard)
			}
		})
	}
}

// TestUsage: what is no command line is told, and nothing is begun.
func TestUsage(t *testing.T) {
	for _, args := range []string{"soft-tcp localhost", "soft-tcp 127.0.0.1 more"} {
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
