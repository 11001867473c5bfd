package capture

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// inMemory is a disk for one file.
type inMemory struct{ bytes.Buffer }

func (*inMemory) Close() error { return nil }

// FuzzFlow records arbitrary data of both directions, in pieces that the input chooses:
// each piece begins with a byte for its length and direction. The file must hold
// exactly that data.
func FuzzFlow(f *testing.F) {
	hello, answer := request(true), reply()
	seed := append(append([]byte{byte(len(hello))}, hello...), byte(len(answer))|0x80)
	f.Add(append(seed, answer...))
	for _, v := range iwarptest.FPDUs() {
		f.Add(append(append(seed, append(answer, byte(min(len(v.Wire), 0x7f)))...), v.Wire...))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, script []byte) {
		var disk inMemory
		file, err := Open(Config{Path: filepath.Join(dir, "x"), create: func(string) (io.WriteCloser, error) { return &disk, nil }})
		if err != nil {
			t.Fatal(err)
		}
		fl := file.Flow(tcp(here6), tcp(there6), false)
		var mine, its []byte
		for len(script) > 0 {
			n, ours := int(script[0]&0x7f), script[0]&0x80 != 0
			piece := script[1:min(1+n, len(script))]
			script = script[1+len(piece):]
			if n == 0x7f { // gives long pieces
				piece = bytes.Repeat(piece, 600)
			}
			if ours {
				send(fl, piece)
				mine = append(mine, piece...)
			} else {
				fl.Received(piece)
				its = append(its, piece...)
			}
		}
		fl.Close()
		must(t, file.Close())
		c := only(t, capturetest.Parse(t, "memory", disk.Bytes()))
		if !bytes.Equal(c.Streams[here6], mine) || !bytes.Equal(c.Streams[there6], its) {
			t.Error("the file has other bytes")
		}
	})
}
