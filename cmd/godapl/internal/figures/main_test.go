package figures

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/cmd/godapl/internal/perf"
)

// The program starts itself, which is the test binary here, as godapl perf.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "perf" {
		err := perf.Command.Run(context.Background(), os.Args[2:], command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(command.Code(err))
	}
	// The race detector makes every process linger for a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	goleak.VerifyTestMain(m)
}

// TestFigures measures two sizes for a moment, and looks at what comes of it.
func TestFigures(t *testing.T) {
	dir := t.TempDir()
	var out, progress bytes.Buffer
	args := []string{"-sizes", "8,65536", "-duration", "2ms", "-depth", "4", "-out", dir}
	if err := run(context.Background(), args, &out, &progress); err != nil {
		t.Fatal(err)
	}
	// Two operations, two modes, two sizes, two APIs; a head; and four figures.
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(rows) != 1+16+4 {
		t.Fatalf("%d rows:\n%s", len(rows), &out)
	}
	for _, row := range rows[1:17] {
		f := strings.Fields(row) // the processor's time may be too little to be told
		if i := slices.Index(f, "-"); i >= 0 && (i != 5 || slices.Contains(f[i+1:], "-")) {
			t.Errorf("something was not measured: %s", row)
		}
	}
	if progress.Len() > 0 {
		t.Errorf("the bar was written to what is no terminal: %q", &progress)
	}
	for _, name := range []string{"cpu", "rate", "bandwidth", "latency"} {
		svg, err := os.ReadFile(filepath.Join(dir, name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"64 KiB", "read, polling, native", "write, blocking, dat"} {
			if !bytes.Contains(svg, []byte(text)) {
				t.Errorf("%s.svg lacks %q", name, text)
			}
		}
		f, err := os.Open(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if img, err := png.Decode(f); err != nil || img.Bounds().Dx() < 400 {
			t.Errorf("%s.png: %v", name, err)
		}
		f.Close()
	}
}

// TestGaps: what was not measured is left out of the line, and a figure without any line
// is not drawn.
func TestGaps(t *testing.T) {
	c := &config{path: "verbs:x", out: t.TempDir(), sizes: []int{8, 64}}
	s := series{"write", "poll", "dat"}
	points := []point{{series: s, size: 8, rate: 1e6}, {series: s, size: 64, rate: 0}}
	if xys := figures[1].line(s, points); len(xys) != 1 || xys[0].X != 8 || xys[0].Y != 1000 {
		t.Errorf("the line is %v", xys)
	}
	if files, err := figures[1].draw(c, points); err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
	if files, err := figures[3].draw(c, points); err != nil || len(files) != 0 {
		t.Errorf("latency, of which nothing is known: %v, %v", files, err)
	}
}

// TestOnePoint: a single size is drawn, also if it is a byte, and a single number of it.
func TestOnePoint(t *testing.T) {
	c := &config{path: "loop", out: t.TempDir(), sizes: []int{1}}
	points := []point{{series: series{"read", "poll", "native"}, size: 1, cpu: 1e3, rate: 1e3, bandwidth: 1e6, latency: 1e3}}
	for _, f := range figures {
		if files, err := f.draw(c, points); err != nil || len(files) != 2 {
			t.Errorf("%s: %v, %v", f.file, files, err)
		}
	}
}

// TestLegendLiesBesideTheCurves draws curves that fill the room, and looks where the legend is.
func TestLegendLiesBesideTheCurves(t *testing.T) {
	c := &config{path: "loop", sizes: []int{8, 512, 1 << 20}}
	for _, f := range figures {
		var points []point
		for i, s := range lines() {
			for _, size := range c.sizes {
				y := float64((i + 1) * size)
				points = append(points, point{series: s, size: size, rate: 1e9 / y, cpu: y, bandwidth: y, latency: y})
			}
		}
		p, err := f.plot(c, points)
		if err != nil {
			t.Fatal(err)
		}
		canvas := draw.New(vgsvg.New(width, height))
		data := p.DataCanvas(canvas)
		legend := p.Legend.Rectangle(data)
		_, y := p.Transforms(&data)
		for _, q := range points {
			at := y(f.of(q) / f.scale)
			if at < legend.Max.Y && at > legend.Min.Y {
				t.Errorf("%s: %+v is at %v, the legend from %v to %v", f.file, q, at, legend.Min.Y, legend.Max.Y)
			}
		}
	}
}

// TestHelpNamesThePaths: a path that can be measured can be found.
func TestHelpNamesThePaths(t *testing.T) {
	var help bytes.Buffer
	if _, err := parse([]string{"-h"}, &help); err != flag.ErrHelp {
		t.Fatal(err)
	}
	for _, path := range []string{"loop", "shm", "tcp", "verbs:NAME"} {
		if !strings.Contains(help.String(), path) {
			t.Errorf("the help lacks %q:\n%s", path, &help)
		}
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-sizes 8,x":           `"x" is no number`,
		"-sizes 0":             `"0" is no number`,
		"-depth 0":             "more than 0",
		"8":                    "takes no argument",
		"-path ship -perf X":   "not found",
		"-perf /dev/null -x y": "not defined",
	} {
		err := run(context.Background(), strings.Fields(args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("figures %s: %v, want %q", args, err, want)
		}
	}
}

// TestMisuse: what perf finds wrong in the command line is wrong in this one.
func TestMisuse(t *testing.T) {
	for _, args := range []string{"-path ship", "-path loop -peer 127.0.0.1:1"} {
		err := run(context.Background(), strings.Fields(args), io.Discard, io.Discard)
		if code := command.Code(err); code != command.Misused || strings.Contains(command.Message(err), "exit status") {
			t.Errorf("figures %s: %d, %v", args, code, err)
		}
	}
}
