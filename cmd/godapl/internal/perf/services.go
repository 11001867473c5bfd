package perf

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"

	tool "github.com/godapl/godapl/cmd/godapl/internal/command"
)

// -services: a table that compares each face with the sockets that a service would use
// instead: on an idle machine, beside other work, and on one processor.

// A state is the other work on the processors.
type state struct{ name, title, args string }

func states() []state {
	all := []state{
		{"quiet", "quiet", ""},
		{"busy", "a busy loop per CPU", fmt.Sprintf("-load %d", runtime.NumCPU())},
	}
	if restricts {
		all = append(all, state{"one", "one CPU", "-cpus 1"})
	}
	return all
}

// A service is a row of the table.
type service struct{ path, what, args string }

const (
	pingArgs = " -op send -size 64 -only latency"
	callArgs = " -op send -size 64 -connections 100 -depth 8"
)

var services = []service{
	{"tcp", "`Wait`", pingArgs + " -mode wait -vs net"},
	{"tcp", "`Wait` that parks at once", pingArgs + " -mode wait -burst -1 -vs net"},
	{"tcp", "`Conn.Recv`", pingArgs + " -mode conn -vs net"},
	{"tcp", "`Set.Wait`", pingArgs + " -mode set -vs net"},
	{"tcp", "`C`", pingArgs + " -mode chan -vs netchan"},
	{"tcp", "`Batches`", pingArgs + " -mode batch -vs netchan"},
	{"tcp", "calls per second, `C`", callArgs + " -mode chan -vs net"},
	{"tcp", "calls per second, `Set.Wait`", callArgs + " -mode set -vs net"},
	{"shm", "`Wait`", pingArgs + " -mode wait -vs unix"},
	{"shm", "`Wait`", pingArgs + " -mode wait -vs eventfd"},
	{"shm", "`Wait` that parks at once", pingArgs + " -mode wait -burst -1 -vs unix"},
	{"shm", "`Conn.Recv`", pingArgs + " -mode conn -vs unix"},
	{"shm", "`Set.Wait`", pingArgs + " -mode set -vs unix"},
	{"shm", "`C`", pingArgs + " -mode chan -vs unix"},
	{"shm", "`Batches`", pingArgs + " -mode batch -vs unix"},
	{"shm", "calls per second, `C`", callArgs + " -mode chan -vs unix"},
	{"shm", "calls per second, `Set.Wait`", callArgs + " -mode set -vs unix"},
}

// withServices are the flags that go with -services.
var withServices = []string{"services", "path", "duration", "n", "rounds", "timeout"}

// checkServices refuses flags that each row sets itself.
func (c *config) checkServices(f *flag.FlagSet) (err error) {
	if c.Services == "" {
		return nil
	}
	f.Visit(func(x *flag.Flag) {
		if !slices.Contains(withServices, x.Name) {
			err = fmt.Errorf("-services measures its own rows: of the other flags it takes -%s", strings.Join(withServices[1:], ", -"))
		}
	})
	if c.Path != "tcp" && c.Path != "shm" && c.Path != "loop" {
		err = fmt.Errorf("-services has -path tcp and -path shm, or both without -path")
	}
	var known []string
	for _, s := range states() {
		known = append(known, s.name)
	}
	for name := range strings.SplitSeq(c.Services, ",") {
		if name != "all" && !slices.Contains(known, name) {
			err = fmt.Errorf("-services %s: there are %s and all", c.Services, strings.Join(known, ", "))
		}
	}
	return err
}

// columns are the states that -services names.
func (c *config) columns() []state {
	names := strings.Split(c.Services, ",")
	return slices.DeleteFunc(states(), func(s state) bool {
		return !slices.Contains(names, s.name) && !slices.Contains(names, "all")
	})
}

// measureServices prints the table as it goes on.
func measureServices(ctx context.Context, cfg *config, out, errs io.Writer) error {
	columns := cfg.columns()
	fmt.Fprintf(out, "| | what | against | command |")
	for _, s := range columns {
		fmt.Fprintf(out, " %s |", s.title)
	}
	fmt.Fprintf(out, " p99 | switches | CPU |\n|%s\n", strings.Repeat(" --- |", 7+len(columns)))
	rows := slices.DeleteFunc(slices.Clone(services), func(row service) bool {
		return cfg.Path != row.path && (cfg.Path != "loop" || row.path == "shm" && !hasEvents)
	})
	bar := tool.NewBar(errs, "measuring", len(rows)*len(columns))
	defer bar.Clear()
	for _, row := range rows {
		line, err := cfg.service(ctx, row, columns, bar, errs)
		if err != nil {
			return err
		}
		bar.Clear() // the table may be on the same terminal
		fmt.Fprintln(out, line)
	}
	return nil
}

// service measures a row. Figures that are not ratios are of the first state.
func (c *config) service(ctx context.Context, row service, columns []state, bar *progressbar.ProgressBar, errs io.Writer) (string, error) {
	var line, end strings.Builder
	args := "-path " + row.path + row.args
	for i, s := range columns {
		v, err := c.cell(ctx, args+" "+s.args, errs)
		if err != nil {
			return "", fmt.Errorf("perf %s %s: %w", args, s.args, err)
		}
		if i == 0 {
			fmt.Fprintf(&line, "| %s | %s | %s | `godapl perf %s` |", row.path, row.what, v.What[strings.Index(v.What, "against ")+len("against "):], args)
			fmt.Fprintf(&end, " %.2f | %.2f / %.2f | %.1f / %.1f µs |",
				v.P99Ratio, v.Here.Switches, v.There.Switches, v.Here.CPU/1e3, v.There.CPU/1e3)
		}
		fmt.Fprintf(&line, " %.2f (%.2f to %.2f) |", v.Ratio, v.Low, v.High)
		bar.Add(1)
	}
	return line.String() + end.String(), nil
}

// cell is one comparison.
func (c *config) cell(ctx context.Context, args string, errs io.Writer) (*ratio, error) {
	all := append(strings.Fields(args), "-json", "-duration", c.Duration.String(), "-n", fmt.Sprint(c.N),
		"-rounds", fmt.Sprint(c.Rounds), "-timeout", c.Timeout.String())
	var out bytes.Buffer
	if err := run(ctx, all, &out, errs); err != nil {
		return nil, err
	}
	var res struct{ Vs *ratio }
	if err := json.Unmarshal(out.Bytes(), &res); err != nil {
		return nil, err
	}
	return res.Vs, nil
}
