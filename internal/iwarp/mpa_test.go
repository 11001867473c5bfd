package iwarp_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

func parserOf(reply bool) func([]byte, *iwarp.Frame) (int, int, error) {
	if reply {
		return iwarp.ParseReply
	}
	return iwarp.ParseRequest
}

func TestFrameVectors(t *testing.T) {
	for _, v := range iwarptest.Frames() {
		t.Run(v.Name, func(t *testing.T) {
			var f iwarp.Frame
			behind := append(bytes.Clone(v.Wire), "FPDUs"...)
			used, need, err := parserOf(v.Reply)(behind, &f)
			if used != len(v.Wire) || need != 0 || err != nil {
				t.Fatalf("parse: used %d of %d, need %d, %v", used, len(v.Wire), need, err)
			}
			equal(t, f, v.Frame)
			if cap(f.Private) != len(f.Private) {
				t.Error("appending to the private data would write into what follows")
			}

			encode := iwarp.AppendRequest
			if v.Reply {
				encode = iwarp.AppendReply
			}
			b, err := encode([]byte("before"), &v.Frame)
			if err != nil || string(b[:6]) != "before" || !bytes.Equal(b[6:], v.Wire) {
				t.Errorf("encode: %x, %v\nwant    %x", b, err, v.Wire)
			}

			// The parser of a reply refuses a request, and the other way round.
			if _, _, err := parserOf(!v.Reply)(v.Wire, &f); err != iwarp.ErrKey {
				t.Errorf("as the other kind: %v", err)
			}
		})
	}
}

func TestFramePrefixesNeedMore(t *testing.T) {
	for _, v := range iwarptest.Frames() {
		for cut := range len(v.Wire) {
			var f iwarp.Frame
			used, need, err := parserOf(v.Reply)(v.Wire[:cut], &f)
			want := iwarp.FrameHeaderSize - cut
			if cut >= iwarp.FrameHeaderSize {
				want = len(v.Wire) - cut
			}
			if used != 0 || err != nil || need != want {
				t.Errorf("%s, %d bytes: used %d, need %d, %v; want need %d", v.Name, cut, used, need, err, want)
			}
			equal(t, f, iwarp.Frame{})
		}
	}
}

// frame makes a frame of any flags and revision.
func frame(key string, flags, rev byte, length int, private string) []byte {
	return append([]byte(key), append([]byte{flags, rev, byte(length >> 8), byte(length)}, private...)...)
}

func TestFrameRules(t *testing.T) {
	const req, rep = "MPA ID Req Frame", "MPA ID Rep Frame"
	for _, c := range []struct {
		name  string
		reply bool
		wire  []byte
		err   error
		want  iwarp.Frame // without error
	}{
		{name: "revision 0", wire: frame(req, 0, 0, 0, ""), err: iwarp.ErrRevision},
		{name: "revision 255", wire: frame(req, 0, 255, 0, ""), err: iwarp.ErrRevision},
		{name: "reply of revision 3", reply: true, wire: frame(rep, 0, 3, 0, ""), err: iwarp.ErrRevision},
		{name: "length 65535, refused without the data", wire: frame(req, 0, 1, 65535, ""), err: iwarp.ErrPrivateLength},
		{name: "length 513 in a reply", reply: true, wire: frame(rep, 0, 2, 513, ""), err: iwarp.ErrPrivateLength},
		{name: "enhanced block of 0", wire: frame(req, 0x10, 2, 0, ""), err: iwarp.ErrRequestPrivateShort},
		{name: "enhanced block of 3", wire: frame(req, 0x10, 2, 3, "abc"), err: iwarp.ErrRequestPrivateShort},
		{name: "enhanced block of 3 in a reply", reply: true, wire: frame(rep, 0x10, 2, 3, "abc"), err: iwarp.ErrReplyPrivateShort},
		{name: "wrong at the first byte", wire: []byte("GET / HTTP/1.1"), err: iwarp.ErrKey},
		{name: "wrong at the last byte of the key", wire: []byte("MPA ID Req FramE"), err: iwarp.ErrKey},

		{
			name: "revision 1 has no enhanced block",
			wire: frame(req, 0x10, 1, 5, "hello"),
			want: iwarp.Frame{Revision: 1, Private: []byte("hello")},
		},
		{
			name: "revision 2 without it",
			wire: frame(req, 0x40, 2, 5, "hello"),
			want: iwarp.Frame{Revision: 2, CRC: true, Private: []byte("hello")},
		},
		{
			name: "reserved flags",
			wire: frame(req, 0x0f, 1, 0, ""),
			want: iwarp.Frame{Revision: 1},
		},
		{
			name: "markers",
			wire: frame(req, 0x80, 1, 0, ""),
			want: iwarp.Frame{Revision: 1, Markers: true},
		},
		{
			name: "reject in a request",
			wire: frame(req, 0x20, 2, 0, ""),
			want: iwarp.Frame{Revision: 2},
		},
		{
			name: "each bit of the enhanced block: A", wire: frame(req, 0x10, 2, 4, "\x80\x00\x00\x00"),
			want: iwarp.Frame{Revision: 2, Enhanced: true, PeerToPeer: true},
		},
		{
			name: "each bit of the enhanced block: B", wire: frame(req, 0x10, 2, 4, "\x40\x00\x00\x00"),
			want: iwarp.Frame{Revision: 2, Enhanced: true, RTR: iwarp.RTRSend},
		},
		{
			name: "each bit of the enhanced block: C", wire: frame(req, 0x10, 2, 4, "\x00\x00\x80\x00"),
			want: iwarp.Frame{Revision: 2, Enhanced: true, RTR: iwarp.RTRWrite},
		},
		{
			name: "each bit of the enhanced block: D", wire: frame(req, 0x10, 2, 4, "\x00\x00\x40\x00"),
			want: iwarp.Frame{Revision: 2, Enhanced: true, RTR: iwarp.RTRRead},
		},
		{
			name: "depths", wire: frame(req, 0x10, 2, 4, "\x12\x34\x05\x67"),
			want: iwarp.Frame{Revision: 2, Enhanced: true, IRD: 0x1234, ORD: 0x567},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f iwarp.Frame
			used, need, err := parserOf(c.reply)(c.wire, &f)
			if err != c.err || need != 0 || (err == nil) != (used == len(c.wire)) {
				t.Fatalf("used %d, need %d, %v; want %v", used, need, err, c.err)
			}
			equal(t, f, c.want)
		})
	}
}

func TestFrameEncoderRefuses(t *testing.T) {
	big := make([]byte, iwarp.MaxPrivate+1)
	for _, c := range []struct {
		name  string
		frame iwarp.Frame
		want  error
	}{
		{"no revision", iwarp.Frame{}, iwarp.ErrRevision},
		{"revision 3", iwarp.Frame{Revision: 3, Enhanced: true}, iwarp.ErrRevision},
		{"enhanced in revision 1", iwarp.Frame{Revision: 1, Enhanced: true}, iwarp.ErrRevision},
		{"513 bytes", iwarp.Frame{Revision: 1, Private: big}, iwarp.ErrPrivateLength},
		{"509 bytes and the block", iwarp.Frame{Revision: 2, Enhanced: true, Private: big[:509]}, iwarp.ErrPrivateLength},
		{"IRD of 15 bits", iwarp.Frame{Revision: 2, Enhanced: true, IRD: 0x4000}, iwarp.ErrDepth},
		{"ORD of 16 bits", iwarp.Frame{Revision: 2, Enhanced: true, ORD: 0x8001}, iwarp.ErrDepth},
		{"512 bytes", iwarp.Frame{Revision: 1, Private: big[:512]}, nil},
		{"508 bytes and the block", iwarp.Frame{Revision: 2, Enhanced: true, Private: big[:508]}, nil},
	} {
		for _, encode := range []func([]byte, *iwarp.Frame) ([]byte, error){iwarp.AppendRequest, iwarp.AppendReply} {
			b, err := encode([]byte("x"), &c.frame)
			if err != c.want || err != nil && string(b) != "x" {
				t.Errorf("%s: %d bytes, %v; want %v", c.name, len(b), err, c.want)
			}
		}
	}
}

func TestRequestNeverRejects(t *testing.T) {
	b, err := iwarp.AppendRequest(nil, &iwarp.Frame{Revision: 2, Reject: true})
	if err != nil || b[16] != 0 {
		t.Errorf("flags %#x, %v", b[16], err)
	}
}
