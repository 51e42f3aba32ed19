package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

// peers are other engines; programs for them are written to dir.
func peers(dir string) []engine {
	return []engine{prolog(dir), asp(dir), duckdb(dir)}
}

func prolog(dir string) engine {
	e := engine{name: "swipl"}
	path, err := exec.LookPath("swipl")
	if err != nil {
		e.missing = "install Debian's swi-prolog-core to have it"
		return e
	}
	e.command = func(w *workload.Workload) []string {
		file := write(dir, w.Name+".pl", w.Prolog())
		return []string{path, "--table-space=16g", "--stack-limit=8g", "-q", file}
	}
	return e
}

func asp(dir string) engine {
	e := engine{name: "clingo"}
	path, err := exec.LookPath("clingo")
	if err != nil {
		e.missing = "install Debian's gringo to have it"
		return e
	}
	e.command = func(w *workload.Workload) []string {
		if w.Name == "w4b" || strings.HasPrefix(w.Name, "drawn") {
			return nil // stable models are another question there
		}
		file := write(dir, w.Name+".lp", w.ASP())
		return []string{"/bin/sh", "-c", path + " --mode=clingo --verbose=0 " + file + " > " + file + ".out; test $? -ge 10 && echo -"}
	}
	return e
}

// duckdb speaks SQL, whose recursion takes one recursive reference.
func duckdb(dir string) engine {
	e := engine{name: "duckdb"}
	node, err := exec.LookPath("node")
	if err == nil {
		err = exec.Command(node, "-e", "require('@duckdb/node-api')").Run()
	}
	if err != nil {
		e.missing = "have node and npm's @duckdb/node-api, and NODE_PATH name its folder, to have it"
		return e
	}
	e.command = func(w *workload.Workload) []string {
		var sql string
		switch {
		case w.Ask == "path":
			sql = "with recursive path(a, b) as (select a, b from edge union select path.a, edge.b from path join edge on path.b = edge.a) select count(*) from path"
		case w.Name == "w2":
			sql = "with recursive same(a, b) as (select p.a, q.a from parent p join parent q on p.b = q.b where p.a <> q.a union select p.a, q.a from same join parent p on same.a = p.b join parent q on same.b = q.b) select count(*) from same"
		case w.Ask == "three":
			sql = "select count(*) from (select distinct p.a, p.b, q.b as c from edge p join edge q on p.b = q.a join edge r on q.b = r.a and r.b = p.a)"
		default:
			return nil
		}
		f := w.Facts[0]
		csv := write(dir, w.Name+".csv", f.CSV())
		script := fmt.Sprintf(`const {DuckDBInstance} = require('@duckdb/node-api');
(async () => {
  const c = await (await DuckDBInstance.create(':memory:', {threads: '1'})).connect();
  await c.run("create table %s as select column0::int as a, column1::int as b from read_csv('%s', header=false)");
  console.log(String((await c.runAndReadAll("%s")).getRows()[0][0]));
})();
`, f.Relation, csv, sql)
		return []string{node, write(dir, w.Name+".js", []byte(script))}
	}
	return e
}

func write(dir, name string, text []byte) string {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return ""
	}
	return path
}
