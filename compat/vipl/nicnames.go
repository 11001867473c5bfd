package vipl

import (
	"context"
	"os"
	"strings"

	"github.com/godapl/godapl/rdma"
)

// A file gives adapters the names that old programs open. A line is a name and an adapter; a name
// may have several lines, of which the first counts whose adapter exists:
//
//	/dev/via_lo  soft-loop     # comment
//	nic0         mlx5_0
//	nic0         soft-tcp
//
// Lines of another form are skipped.

// nicsVariable names the file.
const nicsVariable = "GODAPL_VINICS"

// nicsFile is the usual file, which need not exist.
const nicsFile = "/etc/vinics"

// open opens the adapter of that name, or one that the file has under it.
func open(ctx context.Context, name string, cfg rdma.OpenConfig) (*rdma.Adapter, error) {
	adapter, err := rdma.Open(ctx, name, cfg)
	if codeOf(err) != rdma.ErrNotFound {
		return adapter, err
	}
	path, ok := os.LookupEnv(nicsVariable)
	if !ok {
		path = nicsFile
	}
	text, _ := os.ReadFile(path) // without the file the name stays unknown
	for _, f := range twoFields(string(text)) {
		if f[0] != name {
			continue
		}
		if adapter, err = rdma.Open(ctx, f[1], cfg); codeOf(err) != rdma.ErrNotFound {
			return adapter, err
		}
	}
	return nil, err
}

// twoFields is the lines of a text that consist of two words, and perhaps a comment.
func twoFields(text string) (lines [][2]string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) == 2 {
			lines = append(lines, [2]string(f))
		}
	}
	return lines
}
