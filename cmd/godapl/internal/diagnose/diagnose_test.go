package diagnose

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/internal/doctor"
)

// The test binary is the other process of the self-tests, too, and a program that runs another one, or
// itself, without some system calls.
func TestMain(m *testing.M) {
	if calls, ok := os.LookupEnv(denied); ok && len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, runWithout(strings.Fields(calls), os.Args[1:]))
		os.Exit(1)
	}
	if len(os.Args) > 2 && os.Args[1] == "doctor" {
		if err := run(context.Background(), os.Args[2:], command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func call(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var b, errs bytes.Buffer
	err = run(t.Context(), args, command.Streams{In: strings.NewReader(""), Out: &b, Err: &errs})
	if errs.Len() > 0 {
		t.Errorf("standard error, which is no terminal, got %q", &errs)
	}
	return b.String(), err
}

// What may take long is announced before it begins, and how much is left.
func TestSteps(t *testing.T) {
	var steps []string
	o := options{peer: "127.0.0.1:1"}
	report, _ := o.find(t.Context(), func(step string, left int) { steps = append(steps, fmt.Sprint(step, " ", left)) })
	tests := report.Tests
	want := []string{"looking 1"}
	for i, test := range tests {
		want = append(want, fmt.Sprint("trying ", test.Object, " ", len(tests)-i))
	}
	want = append(want, "asking 127.0.0.1:1 1")
	if len(tests) < 2 || !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
}

// The report of this host, whatever it is, is well formed, and the self-tests of the software
// adapter pass. The error agrees with the number of problems.
func TestThisHost(t *testing.T) {
	out, err := call(t, "-json")
	var r struct {
		doctor.Report
		Problems int
	}
	if e := json.Unmarshal([]byte(out), &r); e != nil {
		t.Fatalf("%v in %s", e, out)
	}
	if (err != nil) != (r.Problems > 0) || err != nil && !errors.Is(err, command.ErrSilent) || r.Problems != r.Count(doctor.Problem) {
		t.Errorf("%d problems, and %v", r.Problems, err)
	}
	want := []string{"test.loop", "test.shm", "test.tcp"}
	if runtime.GOOS != "linux" {
		want = []string{"test.loop", "test.tcp"}
	}
	for _, name := range want {
		if !slices.ContainsFunc(r.Tests, func(test doctor.Test) bool { return test.Name == name && test.OK }) {
			t.Errorf("%s did not pass: %+v", name, r.Tests)
		}
	}
	text, _ := call(t, "-q")
	if strings.Contains(text, "\nok ") || !strings.Contains(text, "Works: soft-loop") {
		t.Errorf("-q prints %s", text)
	}
}

func TestRequiredDevice(t *testing.T) {
	out, err := call(t, "-notest", "-device", "nothing0")
	if !errors.Is(err, command.ErrSilent) || !strings.Contains(out, "problem  device.required") || command.Code(err) != command.Failed {
		t.Errorf("%v, %s", err, out)
	}
}

func TestNoPeer(t *testing.T) {
	out, err := call(t, "-notest", "-peer", "127.0.0.1:1")
	if !errors.Is(err, command.ErrSilent) || !strings.Contains(out, "problem  peer.unreachable") {
		t.Errorf("%v, %s", err, out)
	}
}

func TestWrongFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"-nothing": "-nothing", "word": "takes no argument", "-serve :0 -peer x": "exclude each other", "-serve :0 -json": "goes with",
		"-serve 7175": "such as :7175", "-serve localhost": "such as :7175",
	} {
		if _, err := call(t, strings.Fields(flags)...); command.Code(err) != command.Misused || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flags, err)
		}
	}
	if out, err := call(t, "-h"); command.Code(err) != command.Done || !strings.HasPrefix(out, "usage: godapl doctor") {
		t.Errorf("-h: %v, %s", err, out)
	}
}

// A server and a client of one machine: each prints the report of the other.
func TestServeAndPeer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs, w := io.Pipe()
	var served bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-q", "-serve", "127.0.0.1:0"}, command.Streams{Out: &served, Err: w})
		w.Close()
		ended <- err
	}()
	var address string
	if _, err := fmt.Fscanf(errs, "doctor: waiting at %s", &address); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, errs)
	out, _ := call(t, "-notest", "-peer", strings.TrimSuffix(address, ";"))
	if !strings.Contains(out, "peer.test    soft-tcp with soft-tcp of") || strings.Count(out, "\nHost ")+1 != 2 {
		t.Errorf("the client prints %s", out)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.Contains(served.String(), "Works: soft-tcp with soft-tcp of") {
		t.Errorf("the server prints %s", &served)
	}
}
