// Package diagnose is godapl doctor: the examination of package internal/doctor, self-tests of
// the adapters, and the talk with the doctor of another host.
package diagnose
