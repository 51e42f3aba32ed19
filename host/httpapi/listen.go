package httpapi

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// Listen opens an address of this machine's own network, such as
// "127.0.0.1:7780" or "localhost:0". Another one is refused: without tokens
// whoever reaches the server may use it.
func Listen(addr string) (net.Listener, error) {
	bad := func(code, format string, args ...any) error {
		return &runtime.Error{Status: http.StatusBadRequest, Code: code, Message: fmt.Sprintf(format, args...)}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, bad("ADDRESS", "the address %q is none: write HOST:PORT, such as 127.0.0.1:7780", addr)
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, bad("ADDRESS", "the address %q is not of this machine alone, and the server has no tokens yet that would tell callers apart: serve on 127.0.0.1:%s, and reach it from elsewhere through a tunnel, such as ssh -L %s:127.0.0.1:%s HOST", addr, port, port, port)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, bad("ADDRESS_IN_USE", "something listens on %s already: stop it, or take another port, such as --addr 127.0.0.1:0 for a free one", addr)
	case err != nil:
		return nil, bad("ADDRESS", "cannot listen on %s: %v", addr, err)
	}
	return l, nil
}

// localOnly refuses what a web page elsewhere can make a browser send here: a
// name that was bound to this machine's address, and a page of another origin.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !localName(r.Host) {
			fail(w, &runtime.Error{Status: http.StatusForbidden, Code: "FOREIGN_HOST", Message: "the Host of the request is not this machine: use 127.0.0.1 or localhost"})
			return
		}
		if !sameOrigin(r) {
			fail(w, &runtime.Error{Status: http.StatusForbidden, Code: "FOREIGN_ORIGIN", Message: "the request comes from a page of another origin, which may not use this server"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// localName says whether the host of "host" or "host:port" is this machine.
func localName(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return ip != nil && ip.IsLoopback()
}

// sameOrigin says whether the request comes from no page, or from one of this
// server.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" && site != "same-origin" {
		return false
	}
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, "http://"+r.Host) {
			return false
		}
	}
	return true
}
