package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// described is a flag as --help tells of it: its name and kind in one line, what it is for in the next.
var described = regexp.MustCompile(`(?m)^ {2}-([a-z-]+)(?: (\S+))?\n {4}\t(.*)$`)

// byDefault is the default at the end of what a flag is for.
var byDefault = regexp.MustCompile(`^(.*) \(default (.*)\)$`)

func flagsPage() ([]byte, error) {
	help, err := exec.Command("go", "run", "../../cmd/mooring", "--help").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, help)
	}
	flags := described.FindAllStringSubmatch(string(help), -1)
	if len(flags) != strings.Count(string(help), "\n  -") {
		return nil, fmt.Errorf("of the flags in this, %d can be read:\n%s", len(flags), help)
	}
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString("# Flags of the controller\n\n" +
		"Most flags have an environment variable. It sets the flag unless the command line does. An empty variable is ignored.\n" +
		"[The chart](../install.md) sets most flags from its values.\n\n" +
		"| flag | variable | default | what it is |\n|---|---|---|---|\n")
	for _, f := range flags {
		name, kind, usage, value := f[1], f[2], f[3], ""
		if d := byDefault.FindStringSubmatch(usage); d != nil {
			usage, value = d[1], "`"+strings.Trim(d[2], `"`)+"`"
		}
		if kind != "" {
			kind = " " + kind
		}
		variable := "`MOORING_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "`"
		if name == "version" || name == "check" { // asked of the program, not of its environment
			variable = ""
		}
		fmt.Fprintf(&b, "| `--%s%s` | %s | %s | %s |\n", name, kind, variable, value, cell(usage))
	}
	return b.Bytes(), nil
}
