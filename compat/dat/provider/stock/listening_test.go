package stock

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// listening waits until a program listens on a TCP port of this machine: programs print
// that they wait before they listen.
func (p *process) listening(t *testing.T, port int) bool {
	t.Helper()
	const listen = " 0A " // the state in the kernel's table
	local := fmt.Sprintf(":%04X ", port)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			text, err := os.ReadFile(table)
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, local) && strings.Contains(line, listen) {
					return true
				}
			}
		}
		select {
		case <-p.done:
			return false
		case <-look.C:
		}
	}
}
