// Package sysrdma reads what Linux tells about its RDMA devices in /sys: devices, ports, and
// the tables of GIDs. It needs no library and no right.
//
// It reads through an fs.FS whose root is the root of the system, so that tests can make
// devices of files. Files that are missing or cannot be read leave their field empty: an
// incomplete device is still worth showing.
package sysrdma
