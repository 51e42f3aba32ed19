package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// Bounds of a question to a running server.
const (
	askTime  = 10 * time.Second
	askBytes = 16 << 20
)

// statusOf asks the server at base, which `ox-mcp serve` has printed, for its
// status; body is the answer as it came.
func statusOf(ctx context.Context, base string) (res *runtime.StatusResult, body []byte, err error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, nil, runtime.Invalid("--url", "the address of a server, such as http://127.0.0.1:7780", base, "")
	}
	u = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/") + "/v1/status"}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	// The question goes where it was sent and nowhere else: neither to a proxy
	// that a variable names nor after a redirection.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	unreachable := func(format string, args ...any) error {
		return &runtime.Error{Status: http.StatusBadGateway, Code: "SERVER_UNREACHABLE", Message: fmt.Sprintf(format, args...)}
	}
	answer, err := client.Do(req)
	if err != nil {
		var cause *url.Error
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return nil, nil, unreachable("no server answers at %s (%v): start one with `ox-mcp serve`, which prints its address", base, err)
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(io.LimitReader(answer.Body, askBytes))
	if err != nil {
		return nil, nil, unreachable("the answer of %s broke off: %v", base, err)
	}
	body = []byte(strings.TrimRight(string(body), "\n"))
	if answer.StatusCode != http.StatusOK {
		broken := &runtime.Error{}
		if json.Unmarshal(body, broken) == nil && broken.Code != "" {
			return nil, nil, broken
		}
		return nil, nil, unreachable("%s answers %s to GET /v1/status: is it `ox-mcp serve`?", base, answer.Status)
	}
	res = &runtime.StatusResult{}
	if err := json.Unmarshal(body, res); err != nil || len(res.Plugins) == 0 {
		return nil, nil, unreachable("what %s answers is no status of ox-mcp: is it `ox-mcp serve`, and of this version?", base)
	}
	return res, body, nil
}
