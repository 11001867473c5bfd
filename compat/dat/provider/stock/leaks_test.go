package stock

import (
	"os"
	"strings"
	"testing"
)

// TestLeaks runs a program that was compiled with the address sanitizer, which looks for lost memory when the program
// ends: what the library keeps is none.
func TestLeaks(t *testing.T) {
	if _, made := os.LookupEnv(libraryVariable); made {
		t.Skip("no compiler here")
	}
	h := newHost(t)
	program := compiled(t, "cost", "-fsanitize=address")
	t.Setenv("ASAN_OPTIONS", "detect_leaks=1:verify_asan_link_order=0") // stdbuf brings a library of its own
	c := h.start(t, program, "loop0", "1000")
	c.wait()
	if strings.Contains(c.out.from(0), "LeakSanitizer has encountered a fatal error") {
		t.Skip("the system does not let the sanitizer stop the program's threads") // with ptrace(2)
	}
	judged(t, c, "", "write and completion")
}
