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

// trials tries the adapters of this host.
func trials(ctx context.Context, report *doctor.Report) {
	path, err := selftest.Alone(ctx, "soft-loop", "127.0.0.1")
	report.Test("test.loop", "soft-loop", path, err)
	if runtime.GOOS == "linux" {
		path, err = selftest.Process(ctx, "soft-shm", self("-partner", "soft-shm"))
		report.Test("test.shm", "soft-shm", path, err)
	}
	path, err = selftest.Alone(ctx, "soft-tcp", "127.0.0.1")
	report.Test("test.tcp", "soft-tcp", path, err)
	for _, d := range report.Devices {
		path, err = selftest.Apart(ctx, self("-alone", d.Name))
		report.Test("test.device", d.Name, path, err)
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
