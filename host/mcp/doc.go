// Package mcp is the Model Context Protocol frontend: tools, resources and
// prompts over a Service, and the standard input and output transport that an
// agent's client connects to. It frames requests and renders results; what
// they mean is decided in host/runtime.
package mcp
