// Package wire moves bytes between a connection and its stream, and never blocks. Wire is
// the interface; NewPump makes one over any net.Conn, with two goroutines; the calls of
// sys_socket_linux.go are for a socket that the adapter's poller watches.
//
//	the interface  wire.go
//	any net.Conn   goroutines.go
//	its streams    fabric.go tcp.go sys_reuseaddr.go sys_reuseaddr_windows.go
//	sockets        sys_socket_linux.go sys_congestion_linux.go
//	race detector  norace.go sys_race_linux.go
//
// A line of code in this package may touch a stream or a socket, and bytes. It knows no frame, no
// connection and no queue pair; of the software adapter it imports packages errno and rawmem.
package wire
