package identity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/controllers/account"
)

// callLimits says what limits the calls of accounts, in words that stay as they are while the numbers change little. It is safe for concurrent use.
type callLimits struct {
	limiters *account.Limiters
	mu       sync.Mutex
	said     map[Key]limitsSaid
}

// limitsSaid are the budgets that a text is of.
type limitsSaid struct {
	text    string
	budgets []account.Budget
}

// of returns what the status of a config says.
func (c *callLimits) of(key Key) string {
	budgets := c.limiters.BudgetsOf(key.source())
	slices.SortFunc(budgets, func(a, b account.Budget) int { return cmp.Compare(a.Name, b.Name) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(budgets) == 0 {
		delete(c.said, key)
		return ""
	}
	if before, said := c.said[key]; said && slices.EqualFunc(before.budgets, budgets, alike) {
		return before.text
	}
	var lines []string
	for _, b := range budgets {
		lines = append(lines, describeBudget(b))
	}
	if c.said == nil {
		c.said = map[Key]limitsSaid{}
	}
	now := limitsSaid{strings.Join(lines, ". "), budgets}
	c.said[key] = now
	return now.text
}

// describeBudget says how many calls there are, how many of them resyncs take, and how often an object is observed because of that.
func describeBudget(b account.Budget) string {
	line := fmt.Sprintf("%s: resyncs take %.0f of %.0f calls a minute", b.Name, b.Resyncs, b.Limit)
	if b.Period > 0 {
		line += "; each object is observed every " + inMinutes(b.Period)
	}
	return line
}

func inMinutes(d time.Duration) string {
	if minutes := int(math.Round(d.Minutes())); minutes != 1 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return "minute"
}

// alike reports whether two budgets need no other words.
func alike(a, b account.Budget) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= max(2, max(a, b)/4) }
	return a.Name == b.Name && near(a.Limit, b.Limit) && near(a.Resyncs, b.Resyncs) && near(a.Period.Minutes(), b.Period.Minutes())
}
