package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// fileToSend is the file to move: the executable without a name. It is looked at
// here, before there is anybody to be disappointed.
func fileToSend(name string) (string, error) {
	if name == "" {
		return os.Executable()
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe or device may have no end
		return "", fmt.Errorf("%s is not a regular file (%v)", name, info.Mode())
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	f.Close()
	return filepath.Abs(name)
}

// bytesText is a number of bytes for people.
func bytesText(n int) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	x, u := float64(n), 0
	for x >= 1024 && u < len(units)-1 {
		x /= 1024
		u++
	}
	if u == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", x, units[u])
}
