package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
)

// toDo parts what a reason means from what to do about it.
const toDo = "To do:"

// reasonsPage lists the constants of groups of declarations, with their comments.
func reasonsPage() ([]byte, error) {
	groups, err := constants("../../apis/v1alpha1/condition.go")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString("# Conditions, reasons and Events\n\n" +
		"`kubectl get` shows `Ready`, `Synced` and the reason of `Ready`; `kubectl describe` all conditions, their messages and\n" +
		"the Events. `Available` has the reason `Available` while it is True. What to do where the reason is not enough is in [troubleshooting](../troubleshooting.md).\n")
	for _, g := range groups {
		advised := slices.ContainsFunc(g.constants, func(c constant) bool { return strings.Contains(c.comment, toDo) })
		fmt.Fprintf(&b, "\n## %s\n\n", g.title)
		if g.text != "" {
			fmt.Fprintf(&b, "%s\n\n", g.text)
		}
		if advised {
			b.WriteString("| reason | it means | to do |\n|---|---|---|\n")
		} else {
			b.WriteString("| | |\n|---|---|\n")
		}
		for _, c := range g.constants {
			meaning, advice, found := strings.Cut(c.comment, toDo)
			if found != advised {
				return nil, fmt.Errorf("%s: its comment does not say what to do, after %q", c.value, toDo)
			}
			fmt.Fprintf(&b, "| `%s` | %s |", c.value, cell(sentence(strings.TrimSpace(meaning))))
			if advised {
				fmt.Fprintf(&b, " %s |", cell(sentence(strings.TrimSpace(advice))))
			}
			b.WriteString("\n")
		}
		if g.title == groups[0].title {
			if err := states(&b); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), nil
}

// states writes which conditions come together, from the table that the controller goes by.
func states(b *bytes.Buffer) error {
	groups, err := constants("../../controllers/condition/state.go")
	if err != nil {
		return err
	}
	names := []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced, v1alpha1.ConditionAvailable, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled}
	fmt.Fprintf(b, "\n## How they come together\n\n"+
		"*cloud*: as the cloud says now. *before*: as it was. –: the condition is not there.\n\n"+
		"| state | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for i, c := range groups[0].constants {
		fmt.Fprintf(b, "| %s |", cell(sentence(c.comment)))
		for _, name := range names {
			fmt.Fprintf(b, " %s |", inState(condition.State(i), name))
		}
		b.WriteString("\n")
	}
	return nil
}

// inState says how a condition is in a state, by trying what it depends on.
func inState(s condition.State, name string) string {
	try := func(before metav1.ConditionStatus, available bool) metav1.ConditionStatus {
		conditions := []metav1.Condition{{Type: name, Status: before}}
		condition.Set(&conditions, condition.Update{State: s, Available: &available})
		if c := meta.FindStatusCondition(conditions, name); c != nil {
			return c.Status
		}
		return "–"
	}
	const yes, no = metav1.ConditionTrue, metav1.ConditionFalse
	switch is := try(yes, true); {
	case is != try(yes, false):
		return "*cloud*"
	case is != try(no, true):
		return "*before*"
	default:
		return string(is)
	}
}

// group is a group of constants with the comment above it, of which the first sentence is the title.
type group struct {
	title, text string
	constants   []constant
}

// constant is a constant's value, if it is a literal, and its comment without its name.
type constant struct{ value, comment string }

func constants(file string) (groups []group, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, decl := range parsed.Decls {
		declared, ok := decl.(*ast.GenDecl)
		if !ok || declared.Tok != token.CONST {
			continue
		}
		title, text, _ := strings.Cut(oneLine(declared.Doc.Text())+" ", ". ")
		g := group{title: title, text: strings.TrimSpace(text)}
		for _, spec := range declared.Specs {
			if c, ok := spec.(*ast.ValueSpec); ok {
				g.constants = append(g.constants, constantOf(c))
			}
		}
		groups = append(groups, g)
	}
	return groups, nil
}

func constantOf(spec *ast.ValueSpec) (c constant) {
	if len(spec.Values) == 1 {
		if value, ok := spec.Values[0].(*ast.BasicLit); ok {
			c.value = strings.Trim(value.Value, `"`)
		}
	}
	text := strings.TrimPrefix(oneLine(spec.Doc.Text()), spec.Names[0].Name)
	c.comment = strings.TrimLeft(strings.TrimPrefix(text, " is"), ":, ")
	return c
}
