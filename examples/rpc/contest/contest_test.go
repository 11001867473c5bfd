package contest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The program starts itself, which is the test binary here.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "serve" || os.Args[1] == "load") {
		if err := Main(context.Background(), Contenders(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// The race detector makes every process linger for a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	goleak.VerifyTestMain(m)
}

// TestCalls: every call of every contender is made and answered correctly.
func TestCalls(t *testing.T) {
	args := []string{"-calls", "30", "-clients", "1,5", "-depths", "1,4", "-rounds", "1"}
	c, err := parse(Contenders(), args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range c.sizes {
		results, err := c.measureAll(t.Context(), size, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		if len(results) != 2*2*len(c.contenders) {
			t.Errorf("%d results", len(results))
		}
		for _, r := range results {
			if want := 30 * r.Clients * r.Depth; r.calls != want || r.p50 <= 0 || r.p999 < r.p99 || r.p99 < r.p50 || r.rate <= 0 {
				t.Errorf("%d calls, want %d, and numbers in order: %+v", r.calls, want, r)
			}
		}
	}
}

// TestOutput: the table has the ratios, the figure the names, also beside busy loops.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	args := strings.Fields("-duration 5ms -clients 1,2 -depths 1 -sizes 64 -rounds 1 -load -contenders unix,mailbox-shm -figures " + dir)
	if err := Main(t.Context(), Contenders(), args, &out, os.Stderr); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 7 || !strings.Contains(lines[1], "unix  ") || !strings.HasSuffix(strings.TrimSpace(lines[2]), " unix") {
		t.Errorf("%s", &out)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "calls-64-1.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"mailbox-shm", "unix", "beside busy loops"} {
		if !bytes.Contains(svg, []byte(text)) {
			t.Errorf("the figure lacks %q", text)
		}
	}
}

// TestOneClient: a figure may have a single number of clients, and that may be 1.
func TestOneClient(t *testing.T) {
	args := strings.Fields("-calls 10 -clients 1 -depths 1 -sizes 64 -rounds 1 -contenders channel -figures " + t.TempDir())
	if err := Main(t.Context(), Contenders(), args, io.Discard, os.Stderr); err != nil {
		t.Fatal(err)
	}
}

// TestWrongAnswer: an answer that is not that of the request ends the run.
func TestWrongAnswer(t *testing.T) {
	for _, wrong := range []func([]byte){
		func([]byte) {},
		func(b []byte) { Answer(b); b[0]++ },
		func(b []byte) { Answer(b); b[len(b)-1]++ },
	} {
		x := Contender{Name: "wrong", Inside: true,
			Serve: func(context.Context, int) (string, func(), error) { return "", func() {}, nil },
			Dial: func(_ context.Context, _ string, s Setting) ([]Client, func(), error) {
				return []Client{func(_ context.Context, lanes []*Lane) error {
					return Each(lanes, func(l *Lane) error {
						b := make([]byte, s.Size)
						for l.Next(b) {
							wrong(b)
							if err := l.Check(b); err != nil {
								return err
							}
						}
						return nil
					})
				}}, func() {}, nil
			}}
		err := Main(t.Context(), []Contender{x}, []string{"-calls", "2", "-clients", "1"}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "the answer to request") {
			t.Errorf("%v", err)
		}
	}
}

// TestMedians: the ratio is that of the rounds, not of the medians.
func TestMedians(t *testing.T) {
	rounds := func(rates ...float64) (all []round) {
		for i, rate := range rates {
			all = append(all, round{rate: rate, p50: time.Duration(i)})
		}
		return all
	}
	a, b := &fleet{Contender: Contender{Name: "a", Against: "b"}, rounds: rounds(2, 30, 4)}, &fleet{Contender: Contender{Name: "b"}, rounds: rounds(1, 10, 8)}
	got := summary(Setting{}, []*fleet{a, b})
	if got[0].rate != 4 || got[0].ratio != 2 || got[0].p50 != 1 || got[1].rate != 8 || got[1].ratio != 0 {
		t.Errorf("%+v", got)
	}
	var texts []string
	for _, d := range []time.Duration{0, 280, 2670, 31240, 839_000, 46_667_000} {
		texts = append(texts, micros(d))
	}
	if want := []string{"0.00", "0.28", "2.67", "31.2", "839", "46667"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-clients 0":         "no number",
		"-clients 1,x":       "no number",
		"-depths 33":         "from 1 to 32",
		"-sizes 65":          "64 and 4096",
		"-sizes 64,100000":   "64 and 4096",
		"-rounds 0":          "more than 0",
		"-contenders horses": `no contender "horses": there are mailbox-shm, `,
		"more":               "not a flag",
		"serve":              "0 arguments",
		"serve unix many":    "many",
	} {
		err := Main(t.Context(), Contenders(), strings.Fields(args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// TestEstimate: the run tells in advance how long its turns take, with those that warm up.
func TestEstimate(t *testing.T) {
	c, err := parse(Contenders(), strings.Fields("-contenders unix,net -sizes 64 -clients 1,10,100 -rounds 7 -duration 1s"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.estimate(), 2*3*2*8*time.Second; got != want {
		t.Errorf("%v, not %v", got, want)
	}
}
