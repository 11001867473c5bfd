// Package devices is godapl devices: the adapters of this host with their attributes, and for
// RDMA devices what the kernel tells about ports and GIDs.
package devices
