// Package httpapi serves the runtime over HTTP on this machine: the protocol
// of agents, the state of the server, and its figures for Prometheus.
package httpapi
