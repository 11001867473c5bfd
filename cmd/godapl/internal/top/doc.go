// Package top is godapl top: the page of rdma/debug in a terminal.
package top
