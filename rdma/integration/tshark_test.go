package integration_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
)

// dissect lets tshark read a capture. A random port may be registered for another protocol, so
// tshark tries MPA first. The two disabled protocols would try to interpret the messages.
func dissect(t *testing.T, file string, args ...string) string {
	t.Helper()
	args = append([]string{"-n", "-r", file, "-o", "tcp.try_heuristic_first:TRUE",
		"-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE",
		"--disable-protocol", "rpcordma", "--disable-protocol", "smb_direct"}, args...)
	cmd := exec.CommandContext(t.Context(), "tshark", args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, errs.String())
	}
	return string(out)
}

// TestTsharkUnderstandsCaptures lets stock tshark read the captures of both ends. It must find
// no errors, no unknown data, and exactly the operations and bytes that went over the sockets.
func TestTsharkUnderstandsCaptures(t *testing.T) {
	needTshark(t)
	r := record(t, rdma.Capture{})
	for i, file := range []string{r.here[0], r.theirs[0]} {
		nothingWrong(t, file)
		streams := numbered(t, file)
		for _, c := range r.taps {
			active, passive := c.dialler, c.toward
			if i == 1 {
				active, passive = c.from, c.listener
			}
			n, ok := streams[capturetest.EndsOf(active, passive)]
			if !ok {
				t.Fatalf("%s: no connection between %v and %v", file, active, passive)
			}
			said, answered := followed(t, file, n)
			if !bytes.Equal(said, c.said) || !bytes.Equal(answered, c.answered) {
				t.Errorf("%s: tshark sees other bytes in connection %s: %d and %d, want %d and %d",
					file, n, len(said), len(answered), len(c.said), len(c.answered))
			}
		}
		understood(t, file, r.taps)
	}
}

// TestTsharkUnderstandsEveryFile: if a capture has several files, each can be read without the
// others.
func TestTsharkUnderstandsEveryFile(t *testing.T) {
	needTshark(t)
	r := record(t, rdma.Capture{FileSize: 1 << 20, Files: 3})
	if len(r.here) != 3 || strings.Contains(r.here[0], "_00001_") {
		t.Fatalf("files %v", r.here)
	}
	for _, file := range r.here {
		nothingWrong(t, file)
		if n := len(table(t, file, "iwarp_mpa.key.req || iwarp_mpa.key.rep", "frame.number")); n < 2 {
			t.Errorf("%s: %d start-up frames", file, n)
		}
	}
}

func needTshark(t *testing.T) {
	t.Helper()
	if race.Enabled {
		t.Skip("what is in a capture is looked at without the race detector: most of the time passes in tshark")
	}
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark here (Debian: apt-get install tshark): ", err)
	}
}

// nothingWrong checks that no packet is malformed or has a wrong checksum or CRC, and that
// tshark finds no errors of TCP.
func nothingWrong(t *testing.T, file string) {
	t.Helper()
	if bad := dissect(t, file, "-Y", "_ws.malformed || tcp.analysis.flags || ip.checksum.status == 0 || tcp.checksum.status == 0"); bad != "" {
		t.Errorf("%s: tshark reports errors in\n%s", file, bad)
	}
	if bare := dissect(t, file, "-Y", "tcp.len > 0 && !iwarp_mpa && !tcp.segment_data"); bare != "" {
		t.Errorf("%s: tshark does not know this data:\n%s", file, bare)
	}
	for _, line := range strings.Split(dissect(t, file, "-q", "-z", "expert,warn"), "\n") {
		known := strings.Contains(line, "required by RFC 5044") // tshark does not know revision 2 of MPA (RFC 6581)
		if fields := strings.Fields(line); len(fields) > 2 && isNumber(fields[0]) && !known {
			t.Errorf("%s: tshark warns: %s", file, line)
		}
	}
	if all := dissect(t, file, "-V", "-Y", "iwarp_mpa.fpdu"); strings.Contains(all, "Bad CRC32") {
		t.Errorf("%s: tshark finds a bad CRC", file)
	} else if good, fpdus := strings.Count(all, "(Good CRC32)"), strings.Count(all, "ULPDU length:"); good != fpdus || good < 10 {
		t.Errorf("%s: %d good CRCs in %d FPDUs", file, good, fpdus)
	}
}

func isNumber(s string) bool { _, err := strconv.Atoi(s); return err == nil }

// table returns fields of each packet, as strings.
func table(t *testing.T, file string, filter string, fields ...string) [][]string {
	t.Helper()
	args := []string{"-Y", filter, "-T", "fields"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	var rows [][]string
	for line := range strings.Lines(dissect(t, file, args...)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// numbered is tshark's number of each connection.
func numbered(t *testing.T, file string) map[capturetest.Ends]string {
	t.Helper()
	all := map[capturetest.Ends]string{}
	for _, row := range table(t, file, "tcp.flags.syn == 1", "tcp.stream", "ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport") {
		from, to := endsIn(t, row[1:])
		all[capturetest.EndsOf(from, to)] = row[0]
	}
	return all
}

// endsIn returns sender and receiver, from the fields that numbered requests.
func endsIn(t *testing.T, f []string) (from, to netip.AddrPort) {
	t.Helper()
	parse := func(v4, v6, port string) netip.AddrPort {
		p, err := strconv.ParseUint(port, 10, 16)
		must(t, err)
		return netip.AddrPortFrom(made(netip.ParseAddr(v4+v6))(t), uint16(p))
	}
	return parse(f[0], f[1], f[2]), parse(f[3], f[4], f[5])
}

// followed returns the two streams of a connection as tshark has reassembled them. tshark
// prints a line of hex for each piece; lines of the second sender begin with a tab.
func followed(t *testing.T, file, number string) (said, answered []byte) {
	t.Helper()
	for line := range strings.Lines(dissect(t, file, "-q", "-z", "follow,tcp,raw,"+number)) {
		data, err := hex.DecodeString(strings.TrimSpace(line))
		switch {
		case err != nil: // header or footer
		case strings.HasPrefix(line, "\t"):
			answered = append(answered, data...)
		default:
			said = append(said, data...)
		}
	}
	return said, answered
}

// understood checks that tshark divides all streams, to the last byte, into the segments that
// internal/iwarp finds.
func understood(t *testing.T, file string, taps []*tapped) {
	t.Helper()
	want := map[string][]string{}
	seen := map[iwarp.Opcode]bool{}
	for i, c := range taps {
		for half, stream := range [][]byte{c.said, c.answered} {
			key := fmt.Sprint(i, " ", half == 0)
			want[key] = segments(t, stream, seen)
		}
	}
	for op := iwarp.OpWrite; op <= iwarp.OpAtomicResponse; op++ {
		if !seen[op] {
			t.Errorf("no segment of opcode %d: the test should produce one", op)
		}
	}
	got := map[string][]string{}
	number := numbered(t, file)
	byNumber := map[string]string{}
	for i, c := range taps {
		for _, e := range []capturetest.Ends{capturetest.EndsOf(c.dialler, c.toward), capturetest.EndsOf(c.from, c.listener)} {
			if n, ok := number[e]; ok {
				byNumber[n] = fmt.Sprint(i)
			}
		}
	}
	opener := map[string]string{}
	for _, row := range table(t, file, "tcp.flags.syn == 1 && tcp.flags.ack == 0", "tcp.stream", "tcp.srcport") {
		opener[row[0]] = row[1]
	}
	for _, row := range table(t, file, "iwarp_mpa", "tcp.stream", "tcp.srcport", "iwarp_mpa.pdlength", "iwarp_mpa.ulpdulength", "iwarp_rdma.opcode") {
		key := fmt.Sprint(byNumber[row[0]], " ", opener[row[0]] == row[1])
		if row[2] != "" {
			got[key] = append(got[key], "frame "+row[2])
		}
		if row[3] == "" {
			continue
		}
		lengths, opcodes := strings.Split(row[3], ","), strings.Split(row[4], ",")
		if len(lengths) != len(opcodes) {
			t.Fatalf("%s: %d FPDUs, %d opcodes in a packet", file, len(lengths), len(opcodes))
		}
		for i, n := range lengths {
			op, err := strconv.ParseUint(opcodes[i], 0, 8)
			must(t, err)
			got[key] = append(got[key], fmt.Sprint(n, " of ", op))
		}
	}
	for key := range want {
		if !slices.Equal(got[key], want[key]) {
			t.Errorf("%s, connection %s: tshark has %d units, want %d, or others", file, key, len(got[key]), len(want[key]))
		}
	}
}

// segments lists a stream's units: lengths and opcodes.
func segments(t *testing.T, b []byte, seen map[iwarp.Opcode]bool) []string {
	t.Helper()
	var f iwarp.Frame
	used, _, err := iwarp.ParseRequest(b, &f)
	if err != nil {
		used, _, err = iwarp.ParseReply(b, &f)
	}
	must(t, err)
	list := []string{fmt.Sprint("frame ", used-iwarp.FrameHeaderSize)}
	for b = b[used:]; len(b) > 0; {
		ulpdu, used, need, err := iwarp.ParseFPDU(b, true)
		if err != nil || used == 0 {
			t.Fatalf("unit %d: %v, %d bytes short", len(list), err, need)
		}
		var s iwarp.Segment
		must(t, iwarp.ParseSegment(ulpdu, &s))
		seen[s.Op] = true
		list = append(list, fmt.Sprint(len(ulpdu), " of ", uint8(s.Op)))
		b = b[used:]
	}
	return list
}
