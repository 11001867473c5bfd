// Package capture records byte streams as packets of TCP/IP in files of the pcapng
// format, so that Wireshark and similar programs can show them.
//
// There are no real packets: a program that reads and writes a stream sees bytes only.
// So each read and each write becomes one segment or several, split at the borders of
// FPDUs (MPA, RFC 5044) where that is possible. Only the beginning of an FPDU or of a
// start-up frame may wait for the next one: see late.go. Bytes, addresses, ports, their order
// and their time are real. Sequence numbers count the bytes from a random start;
// handshake and end of a connection represent what the program saw of them; windows,
// acknowledgements and the fields of IP are invented.
//
// # Blocking
//
// A [Flow] encodes into memory, at most a few MiB. A goroutine of the [File] writes
// that to disk. If the disk is slower than the streams, they wait for it. If the disk
// takes nothing for a second, or fails, the capture ends: Config.Failed is called, and
// the streams go on.
//
// # Several files
//
// A full file is followed by another, and the oldest files are removed. A stream of
// FPDUs cannot be decoded from its middle, so a flow that continues in the next file
// begins there with its start-up frames and the parts of incomplete FPDUs from the file
// before: see repeat.go.
package capture
