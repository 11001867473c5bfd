package selftest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/godapl/godapl/rdma"
)

// Be is the other process of [Process]: a partner on an adapter, which writes its address as
// a line to out and ends at the end of in.
func Be(ctx context.Context, name string, in io.Reader, out io.Writer) error {
	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	p, err := Listen(ctx, adapter, "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := fmt.Fprintln(out, p.Addr()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// Process tries an adapter between this process and another, which command makes: a program
// that calls [Be]. The other process has ended when Process returns.
func Process(ctx context.Context, name string, command func(context.Context) (*exec.Cmd, error)) (path string, err error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	cmd, err := command(ctx)
	if err != nil {
		return "", err
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	address, readErr := bufio.NewReader(io.LimitReader(stdout, 256)).ReadString('\n')
	if readErr == nil {
		path, err = against(ctx, name, strings.TrimSpace(address))
	}
	stdin.Close()
	if wait := cmd.Wait(); readErr != nil {
		return "", fmt.Errorf("the other process ended (%v): %s", wait, strings.TrimSpace(errs.String()))
	}
	return path, err
}

// against opens an adapter and tries it with a partner.
func against(ctx context.Context, name, address string) (string, error) {
	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return "", err
	}
	defer adapter.Close()
	return Try(ctx, adapter, address)
}
