// Package udapl has what compat/dat needs from package rdma beyond its public API. uDAPL allows
// it; in a Go program it would usually be a mistake.
package udapl

// ClosedBind is a flag of a bind. It allows the bind to give peers no right (dat_rmr_bind with
// DAT_MEM_PRIV_NONE_FLAG or with local privileges alone). Such a bind completes like others and
// gives access to nothing.
const ClosedBind uint16 = 1 << 15
