package capture

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/capture/capturetest"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestStreamsAreReadBack: the file holds the data of both directions, in order, in
// packets that are valid by themselves.
func TestStreamsAreReadBack(t *testing.T) {
	for name, ends := range map[string][2]netip.AddrPort{"IPv4": {here4, there4}, "IPv6": {here6, there6}} {
		for _, active := range []bool{true, false} {
			f, dir := start(t, Config{Interface: "soft-tcp"})
			fl := f.Flow(tcp(ends[0]), tcp(ends[1]), active)
			r := rng()
			var mine, its []byte
			say := func(b []byte) { send(fl, b); mine = append(mine, b...) }
			hear := func(b []byte) { fl.Received(b); its = append(its, b...) }
			say(request(false))
			hear(reply())
			say(fpdu(r, 14))
			hear(fpdu(r, 60000))
			split := fpdu(r, 65535) // longer than a packet, and in three pieces
			say(split[:1])
			say(split[1:40000])
			hear(fpdu(r, 100))
			say(split[40000:])
			many := []byte{}
			for range 40 {
				many = append(many, fpdu(r, 1+r.IntN(65535))...)
			}
			say(many)
			fl.SentEnd()
			fl.SentEnd() // says nothing new
			hear(fpdu(r, 18))
			fl.ReceivedEnd(false)
			fl.Close()
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			packets := capturetest.ReadFile(t, f.Name())
			if list := capturetest.Files(t, dir); len(list) != 1 || list[0] != f.Name() {
				t.Errorf("files %v, want %s", list, f.Name())
			}
			c := only(t, packets)
			if !bytes.Equal(c.Streams[ends[0]], mine) || !bytes.Equal(c.Streams[ends[1]], its) {
				t.Errorf("%s, active %v: the streams are not those that were recorded", name, active)
			}
			if c.Opener == ends[0] != active {
				t.Errorf("%s: opened by %v, active %v", name, c.Opener, active)
			}
			if !c.Ended[ends[0]] || !c.Ended[ends[1]] {
				t.Errorf("%s: ends %v", name, c.Ended)
			}
			for i, p := range packets {
				if p.Out != (p.From == ends[0]) {
					t.Errorf("%s: packet %d has the wrong direction", name, i+1)
				}
			}
		}
	}
}

// TestCutsAtBorders: as far as FPDUs fit into packets, a packet begins with one.
func TestCutsAtBorders(t *testing.T) {
	f, _ := start(t, Config{})
	fl := f.Flow(tcp(here4), tcp(there4), true)
	r := rng()
	borders := map[int]bool{0: true}
	stream := request(false)
	borders[len(stream)] = true
	send(fl, stream)
	fl.Received(reply())
	var all []byte
	for range 60 {
		all = append(all, fpdu(r, 1+r.IntN(30000))...)
		borders[len(stream)+len(all)] = true
	}
	send(fl, all)
	fl.Close()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	at, full := 0, 0
	for _, p := range capturetest.ReadFile(t, f.Name()) {
		if p.From != here4 || len(p.TCP.Payload) == 0 {
			continue
		}
		if !borders[at] {
			t.Errorf("a packet begins at %d, inside an FPDU", at)
		}
		at += len(p.TCP.Payload)
		if len(p.TCP.Payload) > maxPayload/2 {
			full++
		}
	}
	if at != len(stream)+len(all) || full < len(all)/maxPayload {
		t.Errorf("%d bytes of %d, %d packets that are half full or more", at, len(stream)+len(all), full)
	}
}

// TestReset: RST comes once, and nothing after it.
func TestReset(t *testing.T) {
	f, _ := start(t, Config{})
	fl := f.Flow(tcp(here4), tcp(there4), true)
	send(fl, request(false))
	fl.ReceivedEnd(true)
	fl.ReceivedEnd(false)
	fl.Close()
	_ = f.Close()
	packets := capturetest.ReadFile(t, f.Name())
	last := packets[len(packets)-1]
	if len(packets) != 5 || !last.TCP.RST || last.From != there4 {
		t.Errorf("%d packets, the last %+v", len(packets), last.TCP)
	}
}

// TestOtherStreams: streams that are not TCP get addresses, a pair for each, and a
// comment; data that is not MPA is shown unchanged.
func TestOtherStreams(t *testing.T) {
	f, _ := start(t, Config{})
	sayings := []string{"GET / HTTP/1.0\r\n\r\n", strings.Repeat("anything at all ", 20000)}
	for i, s := range sayings {
		a, b := net.Pipe()
		var other net.Addr = b.RemoteAddr()
		if i == 1 {
			other = tcp(there6)
		}
		fl := f.Flow(a.LocalAddr(), other, i == 0)
		send(fl, []byte(s))
		fl.Received([]byte{0})
		fl.Close()
		a.Close()
		b.Close()
	}
	nobody := f.Flow(nil, nil, true)
	nobody.Close()
	_ = f.Close()
	all := capturetest.Follow(t, capturetest.ReadFile(t, f.Name()))
	if len(all) != 3 {
		t.Fatalf("%d connections", len(all))
	}
	found := 0
	for _, c := range all {
		if !strings.Contains(c.Comment, "made up") {
			t.Errorf("comment %q", c.Comment)
		}
		for from, stream := range c.Streams {
			for _, s := range sayings {
				if from.Addr() == madeUpLocal && string(stream) == s {
					found++
				}
			}
		}
	}
	if found != len(sayings) {
		t.Errorf("%d of the streams are there", found)
	}
}

// TestNames: only this user can read the file, no other file is touched, and Wireshark
// recognizes the names as a set.
func TestNames(t *testing.T) {
	f, dir := start(t, Config{})
	name := filepath.Base(f.Name())
	info, err := os.Stat(f.Name())
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if !regexp.MustCompile(`^x-\d+-\d+_00001_\d{14}\.pcapng$`).MatchString(name) {
		t.Errorf("name %s", name)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	// The next name is an existing file, the one after it a link.
	victim := filepath.Join(dir, "victim")
	c := Config{Path: filepath.Join(dir, "x.pcapng"), create: create}
	now := time.Now()
	next := captures.Load() + 1
	must(t, os.WriteFile(c.naming(os.Getpid(), next).file(1, now), []byte("theirs"), 0o600))
	must(t, os.Symlink(victim, c.naming(os.Getpid(), next+1).file(1, now)))
	names, file, err := c.createFirst(now)
	must(t, err)
	must(t, file.Close())
	if want := c.naming(os.Getpid(), next+2); names != want {
		t.Errorf("names %+v, want %+v", names, want)
	}
	if _, err := os.Stat(victim); err == nil {
		t.Error("a link was followed")
	}
}

func TestConfigIsChecked(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]Config{
		"no path":       {},
		"a folder":      {Path: dir + string(os.PathSeparator)},
		"no such place": {Path: filepath.Join(dir, "not", "there.pcapng")},
		"too small":     {Path: filepath.Join(dir, "x"), FileSize: MinFileSize - 1},
		"no files":      {Path: filepath.Join(dir, "x"), Files: -1},
	} {
		if f, err := Open(c); err == nil {
			t.Errorf("%s: no error", name)
			_ = f.Close()
		}
	}
	if list := capturetest.Files(t, dir); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

// TestManyFlowsAtOnce is for the race detector, and for order: both directions of
// each flow on goroutines of their own, as the adapter has it.
func TestManyFlowsAtOnce(t *testing.T) {
	f, _ := start(t, Config{FileSize: 64 << 20})
	var work sync.WaitGroup
	const flows, rounds = 8, 200
	for i := range flows {
		here := netip.AddrPortFrom(here4.Addr(), uint16(1000+i))
		work.Go(func() {
			fl := f.Flow(tcp(here), tcp(there4), true)
			send(fl, request(false))
			fl.Received(reply())
			var both sync.WaitGroup
			both.Go(func() {
				r := rng()
				for range rounds {
					send(fl, fpdu(r, 1+r.IntN(4000)))
				}
			})
			both.Go(func() {
				r := rng()
				for range rounds {
					fl.Received(fpdu(r, 1+r.IntN(4000)))
				}
			})
			both.Wait()
			fl.Close()
		})
	}
	work.Wait()
	must(t, f.Close())
	all := capturetest.Follow(t, capturetest.ReadFile(t, f.Name()))
	if len(all) != flows {
		t.Fatalf("%d connections", len(all))
	}
	for _, c := range all {
		for from, stream := range c.Streams {
			if frame, _, _, err := startFrame(stream); err != nil || whole(t, stream, frame) != rounds {
				t.Errorf("from %v: %v, or not %d FPDUs", from, err, rounds)
			}
		}
	}
}

// startFrame is the length of a stream's first frame.
func startFrame(b []byte) (used int, f iwarp.Frame, need int, err error) {
	if used, need, err = iwarp.ParseRequest(b, &f); err != nil {
		used, need, err = iwarp.ParseReply(b, &f)
	}
	return used, f, need, err
}
