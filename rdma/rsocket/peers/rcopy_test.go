package peers_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// Commands of rcopy. An answer has the command with copyAnswer, and a status as data.
const (
	copyOpen   = 1 // a path follows; data are the rights
	copyClose  = 2 // no more
	copyWrite  = 3 // a size follows, and as many bytes
	copyAnswer = 0x80
)

// copyHeader begins each message of rcopy. It has the byte order of the machine.
type copyHeader struct {
	Version, Command uint8
	Length           uint16 // with this header
	Data             uint32
	ID               uint64
}

const copyHeaderSize = 16

// TestRcopy: rcopy of rdma-core copies a file to us, and we to it.
func TestRcopy(t *testing.T) {
	file := make([]byte, 1_234_567)
	new(counting8).fill(file)
	eachWorld(t, func(t *testing.T, w *world) {
		t.Run("client of C", func(t *testing.T) {
			from := filepath.Join(t.TempDir(), "file")
			must(t, os.WriteFile(from, file, 0o600))
			c, p := w.accept(t, rsocket.Config{}, func(port string) *program { return start(t, nil, "rcopy", from, w.host+":/copy", "-p", port) })
			var got bytes.Buffer
			path, err := takeCopy(c, &got)
			must(t, err)
			must(t, c.Close())
			p.fine()
			if path != "/copy" || !bytes.Equal(got.Bytes(), file) {
				t.Errorf("%q with %d bytes, which are not those of the file", path, got.Len())
			}
		})
		t.Run("server of C", func(t *testing.T) {
			to := filepath.Join(t.TempDir(), "copy")
			c, _ := w.dial(t, rsocket.Config{}, func(port string) *program { return start(t, nil, "rcopy", "-p", port) })
			must(t, giveCopy(c, to, file))
			must(t, c.Close())
			got, err := os.ReadFile(to)
			if err != nil || !bytes.Equal(got, file) {
				t.Errorf("%d bytes, which are not those of the file; %v", len(got), err)
			}
		})
	})
}

// takeCopy is the server of rcopy for one file.
func takeCopy(c io.ReadWriter, to io.Writer) (path string, err error) {
	for {
		var h copyHeader
		if err := binary.Read(c, binary.NativeEndian, &h); err == io.EOF {
			return path, nil
		} else if err != nil {
			return path, err
		}
		rest := make([]byte, h.Length-copyHeaderSize)
		if _, err := io.ReadFull(c, rest); err != nil {
			return path, err
		}
		switch h.Command {
		case copyOpen:
			path = string(bytes.TrimRight(rest, "\x00"))
		case copyWrite:
			if _, err := io.CopyN(to, c, int64(binary.NativeEndian.Uint64(rest))); err != nil {
				return path, err
			}
		}
		if err := binary.Write(c, binary.NativeEndian, copyHeader{Command: h.Command | copyAnswer, Length: copyHeaderSize, ID: h.ID}); err != nil {
			return path, err
		}
	}
}

// giveCopy is the client.
func giveCopy(c io.ReadWriter, path string, file []byte) error {
	name := append([]byte(path), make([]byte, 8-len(path)%8)...)
	size := binary.NativeEndian.AppendUint64(nil, uint64(len(file)))
	for _, m := range []struct {
		h          copyHeader
		rest, file []byte
	}{{copyHeader{Command: copyOpen, Data: 0o600}, name, nil}, {copyHeader{Command: copyWrite}, size, file}, {copyHeader{Command: copyClose}, nil, nil}} {
		m.h.Length = uint16(copyHeaderSize + len(m.rest))
		err := binary.Write(c, binary.NativeEndian, m.h)
		_, err1 := c.Write(m.rest)
		_, err2 := c.Write(m.file)
		if err := errors.Join(err, err1, err2); err != nil {
			return err
		}
		var answer copyHeader
		if err := binary.Read(c, binary.NativeEndian, &answer); err != nil {
			return err
		}
		if answer.Command != m.h.Command|copyAnswer || answer.Data != 0 {
			return fmt.Errorf("the answer to command %d is %+v", m.h.Command, answer)
		}
	}
	return nil
}
