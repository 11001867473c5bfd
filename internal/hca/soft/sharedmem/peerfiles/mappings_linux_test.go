package peerfiles

import (
	"os"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

var page = os.Getpagesize()

// TestRefusedFileThatCame: a peer that has sent a file cannot withdraw it with a message, and a refusal of a
// file that was not requested has no effect.
func TestRefusedFileThatCame(t *testing.T) {
	var m Mappings
	defer m.Close()
	file, err := shm.CreateFile("test", int64(4*page), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	k := Place{File{ID{1, 7}, false}, 0, page}
	m.Refused(ID{1, 7}, false)
	if _, ask, _ := m.Get(k, 1); !ask {
		t.Fatal("the file is not asked for")
	}
	fd, err := again(file)
	if err != nil {
		t.Fatal(err)
	}
	m.Add(ID{1, 7}, false, fd)
	m.Refused(ID{1, 7}, false)
	b, ask, _ := m.Get(k, 1)
	if b == nil || ask {
		t.Fatalf("%d bytes are mapped; asked again: %v", len(b), ask)
	}
	// A file to which no key leads is closed, and requested again.
	m.Sweep(func(uint32) bool { return true })
	if len(m.maps) != 1 || len(m.files) != 0 { // a mapping needs no descriptor
		t.Errorf("%d mappings and %d files are left of what is in use", len(m.maps), len(m.files))
	}
	m.Sweep(func(uint32) bool { return false })
	if len(m.maps)+len(m.files) > 0 {
		t.Errorf("%d mappings and %d files are left of what is not", len(m.maps), len(m.files))
	}
	if _, ask, _ := m.Get(k, 1); !ask {
		t.Error("the file is not asked for again")
	}
}

// TestSweepsAreFew: each sweep comes after as many new entries as the one before has kept.
func TestSweepsAreFew(t *testing.T) {
	var m Mappings
	due := 0
	const n = 10000
	for i := range uint64(n) {
		if _, _, now := m.Get(Place{File{ID{1, i}, false}, 0, page}, uint32(i)); now {
			due++
			m.Sweep(func(uint32) bool { return true })
		}
		m.answered() // though no file comes
	}
	if due < 5 || due > 16 {
		t.Errorf("%d sweeps for %d files that all stay", due, n)
	}
	if len(m.files) != Most {
		t.Errorf("%d files are wanted at once", len(m.files))
	}
}

// TestSweepWhileKeysGo: a key may become invalid, or valid again, between two reads of the peer's key
// directory.
func TestSweepWhileKeysGo(t *testing.T) {
	for tries := range 8 {
		var m Mappings
		file, err := shm.CreateFile("test", int64(page), 0)
		if err != nil {
			t.Fatal(err)
		}
		k := Place{File{ID{1, 7}, false}, 0, page}
		m.Get(k, 1)
		fd, err := again(file)
		if err != nil {
			t.Fatal(err)
		}
		m.Add(ID{1, 7}, false, fd)
		if b, _, _ := m.Get(k, 1); b == nil {
			t.Fatal("the file is not mapped")
		}
		looks := 0
		for range 3 {
			m.Sweep(func(uint32) bool { looks++; return tries>>(looks-1)&1 != 0 })
		}
		// What was dropped is requested again; the rest is there.
		if b, ask, _ := m.Get(k, 1); (b == nil) != ask {
			t.Errorf("answers %03b: %d bytes are mapped, asked for: %v", tries, len(b), ask)
		}
		m.Close()
		_ = file.Close()
	}
}
