package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWhatIsNoServerIsTold: anything may listen at the address.
func TestWhatIsNoServerIsTold(t *testing.T) {
	const good = `{"profile":"local","plugins":[{"name":"r","world":"reasoner","calls":3}]}`
	for _, c := range []struct {
		name string
		code int
		body string
		want string // "" is no error
	}{
		{"a status", 200, good, ""},
		{"no JSON", 200, "<html>", "is no status of ox-mcp"},
		{"other JSON", 200, `{"ok":true}`, "is no status of ox-mcp"},
		{"another server", 404, "not found", "404"},
		{"somewhere else", 302, "", "302"},
		{"an error of ours", 503, `{"status":503,"code":"ENDING","message":"the server is ending"}`, "the server is ending"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := ""
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r.URL.Path
				w.Header().Set("Location", "http://192.0.2.1/")
				w.WriteHeader(c.code)
				w.Write([]byte(c.body + "\n"))
			}))
			defer s.Close()
			res, body, err := statusOf(t.Context(), s.URL+"/")
			if asked != "/v1/status" {
				t.Errorf("%s was asked for", asked)
			}
			switch {
			case c.want == "" && (err != nil || string(body) != good || res.Plugins[0].Calls != 3):
				t.Errorf("%v %s", err, body)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("the error is %v", err)
			}
		})
	}
}
