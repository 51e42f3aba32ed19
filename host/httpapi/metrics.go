package httpapi

import (
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the figures of one server.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	inFlight prometheus.Gauge
}

func newMetrics(svc Service, o Options) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ox_mcp_http_requests_total", Help: "HTTP requests that were answered."}, []string{"route", "method", "code"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "ox_mcp_http_requests_in_flight", Help: "HTTP requests that are being answered, open event streams among them."}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "ox_mcp_info", Help: "The server; always 1.", ConstLabels: prometheus.Labels{"version": o.Version}})
	info.Set(1)
	sessions := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "ox_mcp_sessions", Help: "Open sessions of the Model Context Protocol."}, func() float64 { return float64(o.MCP.Sessions()) })
	m.registry.MustRegister(m.requests, m.inFlight, info, sessions, &builds{svc}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler(to io.Writer) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorLog: log.New(to, "metrics: ", 0), ErrorHandling: promhttp.HTTPErrorOnError})
}

// counted counts the requests of a route.
func (m *metrics) counted(pattern string, next http.Handler) http.Handler {
	route := pattern[strings.Index(pattern, "/"):]
	if route == "/" {
		route = "none"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.inFlight.Inc()
		c := &codeWriter{ResponseWriter: w, code: http.StatusOK}
		defer func() {
			m.inFlight.Dec()
			m.requests.WithLabelValues(route, methodLabel(r.Method), strconv.Itoa(c.code)).Inc()
		}()
		next.ServeHTTP(c, r)
	})
}

// methodLabel bounds the values of a label that callers choose.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// codeWriter remembers the status code.
type codeWriter struct {
	http.ResponseWriter
	code  int
	wrote bool
}

func (c *codeWriter) WriteHeader(code int) {
	if !c.wrote {
		c.code, c.wrote = code, true
	}
	c.ResponseWriter.WriteHeader(code)
}

func (c *codeWriter) Write(b []byte) (int, error) {
	c.wrote = true
	return c.ResponseWriter.Write(b)
}

// Unwrap lets a response controller through, which event streams flush with.
func (c *codeWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Flush sends what is written.
func (c *codeWriter) Flush() {
	c.wrote = true
	// A connection that cannot flush sends at the end.
	_ = http.NewResponseController(c.ResponseWriter).Flush()
}
