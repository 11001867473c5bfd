package diagnose

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/cmd/godapl/internal/peer"
	"github.com/godapl/godapl/internal/doctor"
)

// result is the output of -json.
type result struct {
	*doctor.Report
	Problems int            `json:"problems"`
	Warnings int            `json:"warnings"`
	Peer     *doctor.Report `json:"peer,omitempty"`
}

// examine looks at this host, and at another one if there is one.
func (o *options) examine(ctx context.Context, to command.Streams) error {
	step, done := bar(to.Err)
	report, other := o.find(ctx, step)
	done()
	if err := context.Cause(ctx); err != nil {
		return err // the tests failed because of that
	}
	if err := o.print(to.Out, report, other); err != nil {
		return err
	}
	if report.Count(doctor.Problem) > 0 || other != nil && other.Count(doctor.Problem) > 0 {
		return command.ErrSilent
	}
	return nil
}

// find makes the reports of this host and of the other one; that one is nil if there is none, or it does not answer.
func (o *options) find(ctx context.Context, step progress) (report, other *doctor.Report) {
	step("looking", 1)
	report = doctor.Look(doctor.Host(), doctor.Options{Device: o.device})
	if !o.notest {
		trials(ctx, report, step)
	}
	if o.peer == "" {
		return report, nil
	}
	other, err := peer.Ask(ctx, o.peer, report, step)
	if err != nil {
		report.Find("peer.unreachable", o.peer, err.Error())
	}
	return report, other
}

func (o *options) print(to io.Writer, report, other *doctor.Report) error {
	if o.json {
		e := json.NewEncoder(to)
		e.SetIndent("", "  ")
		r := result{report, report.Count(doctor.Problem), report.Count(doctor.Warning), other}
		return e.Encode(r)
	}
	var text bytes.Buffer
	if other != nil {
		o.view(&text, other)
		fmt.Fprintln(&text)
	}
	o.view(&text, report)
	_, err := text.WriteTo(to)
	return err
}

// view prints one report.
func (o *options) view(to io.Writer, r *doctor.Report) {
	r.WriteHead(to)
	r.WriteText(to, !o.quiet)
	fmt.Fprintln(to, r.Summary())
}
