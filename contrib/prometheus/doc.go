// Package prometheus is a collector of the counters of rdma adapters for Prometheus.
//
// It is a module of its own, so that programs without Prometheus do not depend on its client. The names are
// those of package rdma/metrics, with the label adapter: docs/production.md lists them. The file
// dashboard.json is a dashboard for Grafana: import it, and choose the source of data and the adapters.
package prometheus
