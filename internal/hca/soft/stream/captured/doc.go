// Package captured records what passes a stream: it wraps the streams that a fabric makes (Fabric), and the
// wires that replace them (WrapWire). Without a capture neither wrapper exists. The adapter knows of captures
// only where a wire replaces a stream: see Unwrap.
//
// A line of code in this package may touch a stream, its bytes and the file of the capture. It knows no frame,
// no connection and no queue pair.
package captured
