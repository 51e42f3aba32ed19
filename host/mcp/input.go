package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// param is one argument of a tool: its name and its JSON Schema.
type param struct{ name, schema string }

// object returns the input schema of a tool. It is closed: an argument that it
// does not name is refused. The order of params is kept.
func object(required []string, params ...param) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", p.name, p.schema)
	}
	b.WriteString("}")
	if len(required) > 0 {
		fmt.Fprintf(&b, `,"required":["%s"]`, strings.Join(required, `","`))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

// common are the arguments that the runtime's reads share.
func common() []param {
	return append(scope(), paramPage,
		param{"projectK3", `{"type":"boolean","description":"Return only rows that are Is and count the others in hidden.","examples":[false]}`},
	)
}

// scope are the arguments that say which state is read, and with what limits.
func scope() []param {
	return []param{
		paramFork,
		paramAsOf,
		{"standpoints", `{"type":"array","items":{"type":"string"},"description":"Standpoints to view the facts from.","examples":[["auditor"]]}`},
		paramLimits,
	}
}

// Arguments that several tools take.
var (
	paramAsOf    = param{"asOf", `{"type":"object","properties":{"tt":{"type":"integer","minimum":0,"description":"Transaction stamp.","examples":[4]},"vt":{"type":"string","description":"Date or RFC 3339 date-time, UTC.","examples":["2031-07-04"]}},"additionalProperties":false,"description":"Read point; default is now.","examples":[{"tt":4}]}`}
	paramPage    = param{"page", `{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"description":"Most rows.","examples":[50]},"cursor":{"type":"string","description":"nextCursor of the page before.","examples":["oWJtaA"]}},"additionalProperties":false,"description":"Part of the result; default is all of a small one.","examples":[{"limit":50}]}`}
	paramFork    = param{"fork", `{"type":"string","description":"Fork, by name or id; default is main.","examples":["what_if"]}`}
	paramLimits  = param{"limits", `{"type":"object","additionalProperties":{"type":"integer","minimum":1},"description":"Tighter limits for this call, by name as in argon_status.","examples":[{"fuel":1000000000}]}`}
	paramArgs    = param{"args", `{"type":"object","additionalProperties":true,"description":"Arguments by parameter name. An individual is its name; a Decimal, Date or large Int is a string.","examples":[{"who":"alice","amount":"12.50"}]}`}
	paramDepth   = param{"maxDepth", `{"type":"integer","minimum":1,"description":"Levels of the proof before it is folded.","examples":[3]}`}
	paramNodes   = param{"maxNodes", `{"type":"integer","minimum":1,"description":"Most nodes to return.","examples":[100]}`}
	paramFormat  = param{"format", `{"type":"string","enum":["json","text","dot","svg"],"description":"json is the tree; text, dot and svg also draw it, in rendered.","examples":["text"]}`}
	paramRepairs = param{"repairs", `{"type":"integer","minimum":0,"description":"Most facts of a repair to look for where the fact does not hold; 3, the most, if not given; 0 for none.","examples":[2]}`}
	paramFact    = param{"fact", `{"anyOf":[{"type":"string","minLength":1},{"type":"object","properties":{"head":{"type":"string","minLength":1},"tuple":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object"},{"type":"array"},{"type":"null"}]}}},"required":["head","tuple"],"additionalProperties":false}],"description":"The fact as a proof prints it: \"Head(a, b)\", \"x.field = 3\"; or its head and tuple.","examples":["reach(a, c)","ann.age = 31",{"head":"reach","tuple":["a","c"]}]}`}
)
