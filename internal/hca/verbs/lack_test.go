package verbs

import (
	"os"
	"testing"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// An event for which there was no memory is still there: its reader comes back for it.
func TestReaderOutlivesALackOfMemory(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := w.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	bell := ibv.NewBell()
	defer bell.Close()
	bell.Ring()
	for name, fd := range map[string]int{"a descriptor": int(r.Fd()), "a bell": bell.FD()} {
		t.Run(name, func(t *testing.T) {
			errnos, read := []ibv.Errno{ibv.EINTR, ibv.ENOMEM, ibv.ENOMEM, ibv.EAGAIN}, make(chan struct{})
			d, err := watch("events", fd, func() ibv.Errno {
				if len(errnos) == 0 {
					return ibv.EAGAIN
				}
				e := errnos[0]
				if errnos = errnos[1:]; e == ibv.EAGAIN {
					close(read)
				}
				return e
			})
			if err != nil {
				t.Fatal(err)
			}
			defer d.close()
			select {
			case <-read:
			case <-d.done:
				t.Error("nobody reads any more")
			}
		})
	}
}
