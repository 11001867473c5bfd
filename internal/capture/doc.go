// Package capture writes what goes through byte streams as packets of TCP/IP, in
// files of the pcapng format, so that Wireshark and its kin show them.
//
// There are no packets to begin with: whoever reads and writes a stream knows
// bytes only. So each read and each write becomes one segment or several, cut
// at the borders of FPDUs (MPA, RFC 5044) where that is possible. Bytes,
// addresses, ports, their order and their time are real. Sequence numbers count
// the bytes from a random start; the handshake and the end of a connection are
// made of what the program saw of them; windows, acknowledgements and the fields
// of IP are made up.
//
// # Who blocks on what
//
// A [Flow] encodes into memory, at most a few MiB. A goroutine of the [File]
// writes that to disk. If the disk is slower than the streams they wait for it,
// and if it takes nothing for a second, or fails, the capture is over: Config.Failed
// is told, the streams go on.
//
// # Several files
//
// A file that is full is followed by another, and the oldest go away. As a stream
// of FPDUs cannot be understood from somewhere in its middle, a flow that goes on
// in the next file begins there with its start-up frames and with those parts of
// FPDUs under way that the file before has: see repeat.go.
package capture
