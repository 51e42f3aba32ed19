package httpapi

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// healthy says that the process answers.
func healthy(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, struct {
		Healthy bool `json:"healthy"`
	}{true})
}

// readiness is the body of /readyz.
type readiness struct {
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"`
}

// ready says whether calls would be answered. A client of /mcp need not wait
// for it: the tools that look at the package work before.
func (h *handler) ready(w http.ResponseWriter, _ *http.Request) {
	why := h.svc.Readiness()
	code := http.StatusOK
	if why != "" {
		code = http.StatusServiceUnavailable
	}
	answer(w, code, readiness{why == "", why})
}

func (h *handler) status(w http.ResponseWriter, r *http.Request) {
	res, err := h.svc.Status(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, res)
}

func nowhere(w http.ResponseWriter, r *http.Request) {
	fail(w, &runtime.Error{Status: http.StatusNotFound, Code: "NO_ROUTE",
		Message: fmt.Sprintf("there is no %s %.100s here; there are GET /healthz, /readyz, /metrics and /v1/status, and /mcp for agents", r.Method, r.URL.Path)})
}

// answer writes v as every frontend writes it.
func answer(w http.ResponseWriter, code int, v any) {
	body, err := runtime.EncodeJSON(v)
	if err != nil {
		fail(w, fmt.Errorf("the answer cannot be written: %w", err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	// A client that is gone reads nothing.
	_, _ = w.Write(append(body, '\n'))
}

// fail writes why there is no answer.
func fail(w http.ResponseWriter, err error) {
	var broken *runtime.Error
	if !errors.As(err, &broken) {
		broken = &runtime.Error{Status: http.StatusInternalServerError, Code: "INTERNAL", Message: err.Error()}
	}
	code := broken.Status
	if code < 400 || code > 599 {
		code = http.StatusInternalServerError
	}
	answer(w, code, broken)
}
