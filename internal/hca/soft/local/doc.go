// Package local connects two queue pairs of one process, for paths that have nothing to negotiate: requests,
// answers, refusals and the established events are the same for all of them.
//
// A line of code in this package may touch both queue pairs while they are being connected. It may not touch
// their requests, receives or memory. Of the software adapter, the package imports packages core and connreq.
package local
