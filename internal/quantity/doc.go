// Package quantity writes numbers for people, in narrow columns: the page of rdma/debug and godapl top
// write them in the same way.
package quantity
