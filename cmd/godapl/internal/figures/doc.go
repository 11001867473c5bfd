// Package figures is godapl figures, which draws what RDMA reads and writes cost over their
// size, by the native API and by uDAPL's calls.
//
// The measuring is done by godapl perf: a process for every point, in turns for the two
// APIs, so that what else the machine does falls on both.
package figures
