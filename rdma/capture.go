package rdma

import (
	"fmt"
	"os"
	"strconv"

	"github.com/godapl/godapl/internal/hca"
)

// Capture makes a software adapter record what it sends and receives over streams, as TCP/IP
// packets in pcapng files, for Wireshark and tshark. Traffic within a process or over shared
// memory has no packets: Open fails with ErrUnsupported for soft-loop, for soft-shm and for
// RDMA devices.
//
// Capturing slows streams down, because they wait for the disk, but never breaks a connection.
// A disk that takes no data for a second, or fails, ends the capture: AsyncCaptureEnded. Files
// can be read at any time and are complete when [Adapter.Close] has returned. Only the user of
// the process can read them, as they contain all data and all keys.
type Capture struct {
	// Path is the pattern of the file names: "dir/x.pcapng" gives
	// dir/x-PID-N_NUMBER_TIME.pcapng, N counting the captures of the process. Without it, the
	// environment variable GODAPL_CAPTURE is the path, with GODAPL_CAPTURE_SIZE and
	// GODAPL_CAPTURE_FILES for the other fields; adapters that cannot capture ignore it. If
	// that is not set either, nothing is captured.
	Path string
	// FileSize is the maximum size of a file in bytes, at least 1 MiB. 0: 64 MiB. Each file
	// can be read without the others.
	FileSize int64
	// Files is how many files are kept, the latest ones. 0: four.
	Files int
}

// toHCA returns the settings for the underlying adapter, nil for no capture.
func (c Capture) toHCA() (*hca.Capture, error) {
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

// number is the value of a numeric environment variable, 0 if it is not set.
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
