package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asProgram in the environment makes the test binary the program.
const asProgram = "VIPPING"

func TestMain(m *testing.M) {
	if args := os.Getenv(asProgram); args != "" {
		if err := run(strings.Fields(args), os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestBothSides(t *testing.T) {
	for _, nic := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		t.Run(nic, func(t *testing.T) {
			var out bytes.Buffer
			if err := run([]string{"-nic", nic, "-n", "20", "-b", "1000", "-q", "both " + nic}, &out); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), "20 messages of 1000 bytes") || !strings.Contains(out.String(), "read back: hello from a program") {
				t.Error(out.String())
			}
		})
	}
}

func TestTwoProcesses(t *testing.T) {
	for _, nic := range []string{"soft-shm", "soft-tcp"} {
		t.Run(nic, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			program := func(args string) (*exec.Cmd, *bytes.Buffer) {
				cmd := exec.CommandContext(ctx, os.Args[0])
				cmd.Env = append(os.Environ(), asProgram+"=-nic "+nic+" -q two-"+nic+" "+args)
				out := new(bytes.Buffer)
				cmd.Stdout, cmd.Stderr = out, out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				return cmd, out
			}
			server, said := program("-s")
			client, heard := program("-n 50 -h " + hostOfServer(t, nic))
			if err := client.Wait(); err != nil {
				t.Errorf("client: %v\n%s", err, heard)
				cancel()
			}
			if err := server.Wait(); err != nil {
				t.Errorf("server: %v\n%s", err, said)
			}
			if !strings.Contains(said.String(), "the client has written: hello") || !strings.Contains(heard.String(), "50 messages") {
				t.Errorf("server: %s\nclient: %s", said, heard)
			}
		})
	}
}

// hostOfServer is where a server of this NIC waits.
func hostOfServer(t *testing.T, nic string) (host string) {
	t.Helper()
	err := play(&options{nic: nic}, nil, func(s *side) error {
		a, err := s.address("")
		if err == nil {
			host = net.IP(a.Host()).String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return host
}

func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{{"-b", "1"}, {"-n", "-1"}, {"-s", "-h", "x"}, {"-nic", "nothing"}, {"-q", "more than sixteen bytes"}, {"server"}} {
		if err := run(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

// TestHelp shows the flags.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-help"}, &out); !errors.Is(err, flag.ErrHelp) || !strings.Contains(out.String(), "be the server") {
		t.Errorf("%v: %s", err, out.String())
	}
}
