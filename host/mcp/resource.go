package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// The addresses of resources.
const (
	catalogURI         = "argon://diagnostics/catalog"
	diagnosticPrefix   = "argon://diagnostics/"
	diagnosticTemplate = "argon://diagnostics/{code}"
	indexURI           = "argon://schema/index"
	moduleURI          = "argon://module"
	standpointsURI     = "argon://standpoints"
	tiersURI           = "argon://tiers"
	toolSchemaPrefix   = "argon://schema/tool/"
	toolSchemaTemplate = "argon://schema/tool/{name}"
)

const jsonType = "application/json"

// catalog is the resource of all diagnostics.
type catalog struct {
	Entries []runtime.CatalogEntry `json:"entries"`
}

// tiers is the resource of the decidability tiers: where the rules of the
// served module stand, and the rungs there are, low to high.
type tiers struct {
	Tiers          runtime.TierSummary `json:"tiers"`
	Ladder         []string            `json:"ladder"`
	TemporalLadder []string            `json:"temporalLadder"`
	runtime.Outcome
}

// module is the resource of the served module: which one it is, and whether
// the sources are still its own.
type module struct {
	LoadedModuleHash string         `json:"loadedModuleHash"`
	OnDiskOxbinHash  string         `json:"onDiskOxbinHash"`
	ArtifactLoaded   bool           `json:"artifactLoaded"`
	SourceDirty      bool           `json:"sourceDirty"`
	DirtyInputs      []string       `json:"dirtyInputs"`
	Profile          string         `json:"profile"`
	Reasoner         *runtime.Build `json:"reasoner,omitempty"`
	runtime.Outcome
}

// standpoints is the resource of the standpoint lattice.
type standpoints struct {
	Standpoints []runtime.StandpointEntry `json:"standpoints"`
	runtime.Outcome
}

func addResources(server *sdk.Server, svc Service) {
	server.AddResource(&sdk.Resource{
		URI: catalogURI, Name: "diagnostics-catalog", Title: "Diagnostic catalog", MIMEType: jsonType,
		Description: "Every diagnostic code: what it means, a failing example, its repaired form, and the remediation.",
	}, resource(func(context.Context, string) (any, error) {
		return catalog{Entries: append([]runtime.CatalogEntry{}, svc.Catalog()...)}, nil
	}))
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: diagnosticTemplate, Name: "diagnostic", Title: "Diagnostic code", MIMEType: jsonType,
		Description: "The catalog's entry of one code, such as OE0605.",
	}, resource(func(_ context.Context, uri string) (any, error) { return diagnostic(svc, uri) }))
	server.AddResource(&sdk.Resource{
		URI: indexURI, Name: "schema-index", Title: "Schema index", MIMEType: jsonType,
		Description: "Names, kinds and signatures of what the served module declares.",
	}, resource(func(ctx context.Context, _ string) (any, error) { return answer(schemaIndex(ctx, svc)) }))
	server.AddResource(&sdk.Resource{
		URI: standpointsURI, Name: "standpoints", Title: "Standpoints", MIMEType: jsonType,
		Description: "The standpoints of the served module, with those above each.",
	}, resource(func(ctx context.Context, _ string) (any, error) {
		r, err := svc.Epistemics(ctx, runtime.EpistemicsRequest{})
		if err != nil {
			return nil, err
		}
		return standpoints{Standpoints: append([]runtime.StandpointEntry{}, r.Standpoints...), Outcome: r.Outcome}, nil
	}))
	server.AddResource(&sdk.Resource{
		URI: tiersURI, Name: "tiers", Title: "Decidability tiers", MIMEType: jsonType,
		Description: "How many rules of the served module stand on which rung of the tiers, the highest of them, and the rungs.",
	}, resource(func(ctx context.Context, _ string) (any, error) {
		r, err := svc.Epistemics(ctx, runtime.EpistemicsRequest{})
		if err != nil {
			return nil, err
		}
		main, temporal := runtime.TierLadders()
		return tiers{Tiers: r.Tiers, Ladder: main, TemporalLadder: temporal, Outcome: r.Outcome}, nil
	}))
	server.AddResource(&sdk.Resource{
		URI: moduleURI, Name: "module", Title: "Served module", MIMEType: jsonType,
		Description: "The module that answers: its hash, the artifact's on disk, and whether sources changed since.",
	}, resource(func(ctx context.Context, _ string) (any, error) {
		s, err := svc.Status(ctx)
		if err != nil {
			return nil, err
		}
		return module{
			LoadedModuleHash: s.LoadedModuleHash, OnDiskOxbinHash: s.OnDiskOxbinHash, ArtifactLoaded: s.ArtifactLoaded,
			SourceDirty: s.SourceDirty, DirtyInputs: append([]string{}, s.DirtyInputs...), Profile: s.Profile,
			Reasoner: s.Reasoner, Outcome: s.Outcome,
		}, nil
	}))
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: toolSchemaTemplate, Name: "tool-output-schema", Title: "Output schema of a tool", MIMEType: jsonType,
		Description: "JSON Schema of the structured content that a tool answers with, such as argon_query.",
	}, resource(func(_ context.Context, uri string) (any, error) {
		return outputSchema(strings.TrimPrefix(uri, toolSchemaPrefix))
	}))
}

// resource makes the handler of a resource whose content is JSON.
func resource(content func(ctx context.Context, uri string) (any, error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		v, err := content(ctx, req.Params.URI)
		if err != nil {
			return nil, err
		}
		data, err := runtime.EncodeJSON(v)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", req.Params.URI, err)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
			{URI: req.Params.URI, MIMEType: jsonType, Text: string(data)},
		}}, nil
	}
}

func diagnostic(svc Service, uri string) (any, error) {
	code := strings.TrimPrefix(uri, diagnosticPrefix)
	var codes []string
	for _, e := range svc.Catalog() {
		if strings.EqualFold(e.Code, code) {
			return e, nil
		}
		codes = append(codes, e.Code)
	}
	message := fmt.Sprintf("there is no diagnostic code %q", code)
	if n := runtime.Nearest(code, codes); n != "" {
		message += "; the nearest is " + n
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message + ". " + catalogURI + " lists them all"}
}

// setCacheable tells clients what they may keep. Lists, the catalog and the
// tools' schemas change only with the server; the module's resources change
// with every build and belong to this user.
func setCacheable(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	const hour = 3600 * 1000 // ms
	if r, ok := req.(*sdk.ReadResourceRequest); ok {
		uri := r.Params.URI
		if !strings.HasPrefix(uri, diagnosticPrefix) && !strings.HasPrefix(uri, toolSchemaPrefix) {
			c.TTLMs, c.CacheScope = 0, "private"
			return
		}
	}
	c.TTLMs, c.CacheScope = hour, "public"
}

// announceReload tells the subscribers of the module's resources that another
// module is served.
func announceReload(ctx context.Context, server *sdk.Server) {
	for _, uri := range []string{indexURI, moduleURI, standpointsURI, tiersURI} {
		// A client that is gone is noticed by the transport.
		_ = server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
	}
}
