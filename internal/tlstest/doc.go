// Package tlstest makes certificates for tests: an authority, and configurations of peers whose
// certificates are from it. Only tests import it.
package tlstest
