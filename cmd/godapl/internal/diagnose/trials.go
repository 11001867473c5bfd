package diagnose

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/cmd/godapl/internal/selftest"
	"github.com/godapl/godapl/internal/doctor"
)

// A trial is a self-test of an adapter of this host.
type trial struct {
	name, adapter string
	run           func(context.Context) (path string, err error)
}

// trials tries the adapters of this host.
func trials(ctx context.Context, report *doctor.Report, step progress) {
	alone := func(adapter string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return selftest.Alone(ctx, adapter, "127.0.0.1") }
	}
	all := []trial{{"test.loop", "soft-loop", alone("soft-loop")}}
	if runtime.GOOS == "linux" {
		all = append(all, trial{"test.shm", "soft-shm", func(ctx context.Context) (string, error) {
			return selftest.Process(ctx, "soft-shm", self("-partner", "soft-shm"))
		}})
	}
	all = append(all, trial{"test.tcp", "soft-tcp", alone("soft-tcp")})
	for _, d := range report.Devices {
		all = append(all, trial{"test.device", d.Name, func(ctx context.Context) (string, error) {
			return selftest.Apart(ctx, self("-alone", d.Name))
		}})
	}
	for i, t := range all {
		step("trying "+t.adapter, len(all)-i)
		path, err := t.run(ctx)
		report.Test(t.name, t.adapter, path, err)
	}
}

// self makes this program again, as another process of a self-test.
func self(args ...string) func(context.Context) (*exec.Cmd, error) {
	return func(ctx context.Context) (*exec.Cmd, error) {
		name, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return exec.CommandContext(ctx, name, append([]string{"doctor"}, args...)...), nil
	}
}

// beAlone is the process of a self-test of one device.
func (o *options) beAlone(ctx context.Context, to command.Streams) error {
	path, err := selftest.Alone(ctx, o.alone, "")
	if err != nil {
		fmt.Fprintln(to.Err, err)
		return command.ErrSilent
	}
	_, err = fmt.Fprintln(to.Out, path)
	return err
}

func (o *options) bePartner(ctx context.Context, to command.Streams) error {
	return selftest.Be(ctx, o.partner, to.In, to.Out)
}
