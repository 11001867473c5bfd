// Package udapl is what compat/dat asks of package rdma beyond its public API: things
// that uDAPL allows, and that are more often mistakes than wishes in a program of Go.
package udapl

// ClosedBind, as a flag of a bind, allows one that gives peers no right (dat_rmr_bind
// with DAT_MEM_PRIV_NONE_FLAG or with local privileges alone): it opens nothing, and
// completes like others.
const ClosedBind uint16 = 1 << 15
