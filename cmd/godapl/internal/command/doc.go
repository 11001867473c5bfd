// Package command is what the subcommands of godapl have in common: what a subcommand is,
// its help, its exit codes, and what it may write to a terminal.
//
// A subcommand is a package that exports a *Command. Package main lists them.
package command
