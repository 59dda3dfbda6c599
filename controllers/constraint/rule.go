package constraint

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	celcommon "github.com/google/cel-go/common"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/utils/lru"

	"github.com/mooring-dev/mooring/controllers/kind"
)

// The limits of a rule. They are those of the API server for rules of CRDs.
const (
	// MaxLength is the maximum length of a rule in bytes. The CRDs of classes have the same limit.
	MaxLength = 4096
	// costLimit is what evaluating a rule may cost: some 0.1 seconds.
	costLimit = celconfig.PerCallLimit
	// estimateLimit is what evaluating a rule may cost by its estimate, which knows only how much a spec might hold.
	estimateLimit = 10 * costLimit
)

// ErrTooCostly is the error of a rule that exceeds the cost limit, when it is compiled or when it is evaluated.
var ErrTooCostly = errors.New("it costs too much: use fewer entries, compare instead of matching, or split it into two rules")

// A Rule is a compiled rule. It is safe for concurrent use.
type Rule struct {
	program cel.Program
	within  *ambience
}

// compiled keeps what came of compiling rules, which takes milliseconds, whereas evaluating one takes microseconds.
// Nobody has so many rules; it is bounded because texts come from outside.
var compiled = lru.New(1024)

type ruleKey struct {
	plural, text string
}

type ruleResult struct {
	rule *Rule
	err  error
}

// Compile compiles a rule for the objects of a kind. Its error says what is wrong and at which line and column, on one
// line. It is shown to the author of the rule.
func Compile(text string, k *kind.Kind) (*Rule, error) {
	if len(text) > MaxLength {
		return nil, fmt.Errorf("a rule has %d bytes at most, this one %d", MaxLength, len(text))
	}
	key := ruleKey{k.Plural, text}
	if known, ok := compiled.Get(key); ok {
		result := known.(ruleResult)
		return result.rule, result.err
	}
	rule, err := compile(text, k)
	compiled.Add(key, ruleResult{rule, err})
	return rule, err
}

func compile(text string, k *kind.Kind) (*Rule, error) {
	within, err := ambienceOf(k)
	if err != nil {
		return nil, err
	}
	ast, issues := within.env.Compile(text)
	if issues.Err() != nil {
		return nil, errors.New(describe(issues.Errors()))
	}
	if ast.OutputType() != cel.BoolType {
		return nil, fmt.Errorf("a rule is true or false; this is of type %s", ast.OutputType())
	}
	estimator := within.estimator()
	estimate, err := within.env.EstimateCost(ast, estimator)
	if err != nil {
		return nil, fmt.Errorf("estimate the cost: %w", err)
	}
	if estimate.Max > estimateLimit {
		return nil, fmt.Errorf("%w (the spec might hold so much that the rule costs %d, of %d allowed)", ErrTooCostly, estimate.Max, estimateLimit)
	}
	program, err := within.env.Program(ast,
		cel.CostLimit(costLimit), cel.CostTracking(estimator), cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		return nil, err
	}
	return &Rule{program: program, within: within}, nil
}

// describe puts on one line what the compiler says with pictures.
func describe(found []*celcommon.Error) string {
	said := make([]string, len(found))
	for i, e := range found {
		said[i] = fmt.Sprintf("line %d, column %d: %s", e.Location.Line(), e.Location.Column()+1, strings.Join(strings.Fields(e.Message), " "))
	}
	return strings.Join(said, "; ")
}

// Holds reports whether an object satisfies the rule. It returns an error if the rule can't be evaluated, for example
// because it reads a field that is not set, and false with it.
func (r *Rule) Holds(ctx context.Context, in Input) (bool, error) {
	answer, _, err := r.program.ContextEval(ctx, in.activation(r.within))
	var cancelled interpreter.EvalCancelledError
	switch {
	case errors.As(err, &cancelled) && cancelled.Cause == interpreter.CostLimitExceeded:
		return false, ErrTooCostly
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil && strings.Contains(err.Error(), "no such key"):
		return false, fmt.Errorf("%w; test with has() what may be missing, or use .? and orValue()", err)
	case err != nil:
		return false, err
	}
	holds, ok := answer.Value().(bool)
	if !ok {
		return false, fmt.Errorf("a rule is true or false; this is %s", answer.Type().TypeName())
	}
	return holds, nil
}
