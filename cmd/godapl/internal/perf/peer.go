package perf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// peer is the passive side as the active one sees it.
type peer interface {
	do(c command) (answer, error)
	close() error
}

// openPeer starts the passive side, and returns where it listens.
func openPeer(ctx context.Context, cfg *config, errs io.Writer) (p peer, address string, err error) {
	switch {
	case cfg.Peer != "":
		return dialPeer(ctx, cfg)
	case cfg.processes():
		return startPeer(ctx, cfg, errs)
	}
	here, err := openPassive(ctx, cfg, false)
	if err != nil {
		return nil, "", err
	}
	return &peerHere{ctx, here}, here.ln.Addr().String(), nil
}

type peerHere struct {
	ctx context.Context
	*passive
}

func (p *peerHere) do(c command) (answer, error) { return p.passive.do(p.ctx, c).check() }

func (a answer) check() (answer, error) {
	if a.Err != "" {
		return a, fmt.Errorf("the other side: %s", a.Err)
	}
	return a, nil
}

// commands go to the passive side, and its answers come back.
type commands struct {
	enc *json.Encoder
	dec *json.Decoder
}

// peerProcess is a second process of this program, which gets commands on its
// standard input and answers on its standard output.
type peerProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	commands
	events *events // nil if they are not compared with
}

func startPeer(ctx context.Context, cfg *config, errs io.Writer) (peer, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, self, "perf", "peer", cfg.marshal())
	cmd.Stderr = errs
	cmd.WaitDelay = 10 * time.Second
	if cfg.wantsEvents() {
		if cmd.ExtraFiles, err = eventFiles(cfg.eventBytes()); err != nil {
			return nil, "", err
		}
		defer closeFiles(cmd.ExtraFiles)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	p := &peerProcess{cmd: cmd, in: in, commands: commands{json.NewEncoder(in), json.NewDecoder(out)}}
	if cfg.wantsEvents() {
		f := cmd.ExtraFiles
		if p.events, err = adopt(int(f[1].Fd()), int(f[0].Fd()), int(f[len(f)-1].Fd()), cfg.eventBytes(), 0); err != nil {
			return nil, "", errors.Join(err, p.close())
		}
	}
	hello, err := p.answer()
	if err != nil {
		return nil, "", errors.Join(err, p.close())
	}
	return p, hello.Address, nil
}

func (p *commands) do(c command) (answer, error) {
	if err := p.enc.Encode(c); err != nil {
		return answer{}, fmt.Errorf("the other side does not listen: %w", err)
	}
	return p.answer()
}

func (p *commands) answer() (a answer, err error) {
	var other *json.SyntaxError
	if err := p.dec.Decode(&a); errors.As(err, &other) {
		return a, fmt.Errorf("the other side is no godapl perf -serve: %w", err)
	} else if err != nil {
		return a, fmt.Errorf("the other side does not answer: %w", err)
	}
	return a.check()
}

// close ends the process, by the end of its input, and waits for it.
func (p *peerProcess) close() error {
	p.in.Close()
	if p.events != nil {
		p.events.close()
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("the second process: %w", err)
	}
	return nil
}

// servePeer is the second process. It ends with its input, and so with the first
// process, whatever that dies of.
func servePeer(ctx context.Context, settings string, in io.Reader, out io.Writer) error {
	cfg := new(config)
	if err := json.Unmarshal([]byte(settings), cfg); err != nil {
		return err
	}
	if cfg.CPUProfile != "" {
		stop, err := profile(cfg.CPUProfile + ".peer")
		if err != nil {
			return err
		}
		defer stop()
	}
	return serve(ctx, cfg, json.NewDecoder(in), json.NewEncoder(out))
}

// serve is the passive side, which follows the commands.
func serve(ctx context.Context, cfg *config, dec *json.Decoder, enc *json.Encoder) error {
	p, err := openPassive(ctx, cfg, true)
	if err != nil {
		return err
	}
	defer p.close()
	if err := enc.Encode(answer{Address: p.ln.Addr().String()}); err != nil {
		return err
	}
	for {
		var c command
		if err := dec.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := enc.Encode(p.do(ctx, c)); err != nil {
			return err
		}
	}
}
