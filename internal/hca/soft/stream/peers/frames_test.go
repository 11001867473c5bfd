package peers_test

import (
	"errors"
	"io"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

func requestBytes(t testing.TB, f iwarp.Frame) []byte {
	t.Helper()
	b, err := iwarp.AppendRequest(nil, &f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func replyBytes(t testing.TB, f iwarp.Frame) []byte {
	t.Helper()
	b, err := iwarp.AppendReply(nil, &f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (p *peer) sendRequest(f iwarp.Frame) { p.t.Helper(); p.write(requestBytes(p.t, f)) }
func (p *peer) sendReply(f iwarp.Frame)   { p.t.Helper(); p.write(replyBytes(p.t, f)) }

// frame reads a startup frame with one of the parsers.
func (p *peer) frame(parse func([]byte, *iwarp.Frame) (int, int, error)) (iwarp.Frame, error) {
	for {
		var f iwarp.Frame
		used, _, err := parse(p.in, &f)
		if err != nil {
			return f, err
		}
		if used > 0 {
			f.Private = append([]byte(nil), f.Private...)
			p.in = p.in[used:]
			return f, nil
		}
		if err := p.more(patience); err != nil {
			return f, err
		}
	}
}

// takeRequest reads this side's request, and checks what holds for each of them.
func (p *peer) takeRequest() iwarp.Frame {
	p.t.Helper()
	f, err := p.frame(iwarp.ParseRequest)
	if err != nil {
		p.t.Fatalf("no request came: %v, % x", err, p.in)
	}
	if f.Markers || !f.CRC || len(p.in) > 0 {
		p.t.Errorf("request %+v, with % x behind it; want no markers, CRC and nothing", f, p.in)
	}
	return f
}

// takeReply reads this side's reply. Nothing may follow it: this side waits for the first FPDU.
func (p *peer) takeReply() iwarp.Frame {
	p.t.Helper()
	f, err := p.frame(iwarp.ParseReply)
	if err != nil {
		p.t.Fatalf("no reply came: %v, % x", err, p.in)
	}
	if f.Markers || !f.CRC || len(p.in) > 0 {
		p.t.Errorf("reply %+v, with % x behind it; want no markers, CRC and nothing", f, p.in)
	}
	return f
}

// rejected reads a reply that rejects, and the end of the stream.
func (p *peer) rejected(t testing.TB) iwarp.Frame {
	t.Helper()
	f := p.takeReply()
	if !f.Reject {
		t.Errorf("the reply %+v does not reject", f)
	}
	if data, err := p.endFrames(); len(data) > 0 || !errors.Is(err, io.EOF) {
		t.Errorf("behind the reject came % x, %v", data, err)
	}
	return f
}
