// Package command is what the subcommands of godapl have in common: what a subcommand is,
// its help, and its exit codes.
//
// A subcommand is a package that exports a *Command. Package main lists them.
package command
