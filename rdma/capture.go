package rdma

import (
	"fmt"
	"os"
	"strconv"

	"github.com/godapl/godapl/internal/hca"
)

// Capture has a software adapter write down what it sends and receives over
// streams, as TCP/IP packets in pcapng, for Wireshark and tshark. What stays
// within the process is in no packets, and so not there: Open fails with
// ErrUnsupported for soft-loop, for soft-shm and for RDMA devices.
//
// Capturing takes time and never breaks a connection. Streams wait for the disk,
// and one that takes nothing for a second, or fails, ends the capture:
// AsyncCaptureEnded. Files are complete when [Adapter.Close] has returned, and
// can be read before. Nobody but the user of the process can read them: they hold
// all data and all keys.
type Capture struct {
	// Path is what the names of the files are made of: "dir/x.pcapng" gives
	// dir/x-PID-N_NUMBER_TIME.pcapng, N counting the captures of the process.
	// Without it, the environment variable GODAPL_CAPTURE is the path, with
	// GODAPL_CAPTURE_SIZE and GODAPL_CAPTURE_FILES for the other fields; adapters
	// that cannot capture ignore it. If that is not set either, nothing is captured.
	Path string
	// FileSize is how many bytes a file has at most, at least 1 MiB. 0: 64 MiB.
	// Each file can be understood by itself.
	FileSize int64
	// Files is how many files are kept, the latest ones. 0: four.
	Files int
}

// lower gives what the adapter is asked for, nil for nothing.
func (c Capture) lower() (*hca.Capture, error) {
	if c.Path != "" {
		return &hca.Capture{Path: c.Path, FileSize: c.FileSize, Files: c.Files}, nil
	}
	const variable = "GODAPL_CAPTURE"
	path := os.Getenv(variable)
	if path == "" {
		return nil, nil
	}
	size, err := number(variable + "_SIZE")
	if err != nil {
		return nil, err
	}
	files, err := number(variable + "_FILES")
	if err != nil {
		return nil, err
	}
	return &hca.Capture{Path: path, FileSize: size, Files: int(files), IfPossible: true}, nil
}

// number is that of an environment variable, 0 if it is not set.
func number(variable string) (int64, error) {
	s := os.Getenv(variable)
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, strconv.IntSize)
	if err != nil || n < 1 {
		return 0, hca.NewError(hca.Invalid, "open", variable, fmt.Sprintf("%q is no positive number", s))
	}
	return n, nil
}
