package rds

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// A parameterList is RDS's list of the parameters of a family, by their names.
type parameterList map[string]types.Parameter

func (l parameterList) hasAll(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, has := l[name]; return !has })
}

// static returns those of names that a server takes at a restart only. One that the list does not have counts as such.
func (l parameterList) static(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		p, known := l[name]
		return known && aws.ToString(p.ApplyType) == "dynamic"
	})
}

// method returns when RDS is to apply a parameter: a static one can't be applied at once.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBParameterGroup.html
func (l parameterList) method(name string) types.ApplyMethod {
	if l == nil || len(l.static([]string{name})) > 0 {
		return types.ApplyMethodPendingReboot
	}
	return types.ApplyMethodImmediate
}

// problem says what is wrong with a value of a parameter, by RDS's list; nothing if that is not known.
func (l parameterList) problem(name, family, value string) string {
	p, known := l[name]
	allowed := aws.ToString(p.AllowedValues)
	switch {
	case !known:
		return "is no parameter of " + family
	case !aws.ToBool(p.IsModifiable):
		return "can't be changed in RDS"
	case !allows(allowed, aws.ToString(p.DataType), value):
		return fmt.Sprintf("has to be one of %s, and is %q", allowed, value)
	}
	return ""
}

// allows reports whether a value is one of those that RDS's list names: words, numbers or ranges of numbers between commas. What it can't read it takes
// for allowed: RDS has the last word.
func allows(allowed, kind, value string) bool {
	if allowed == "" || kind == "list" || strings.ContainsAny(value, "{}()*") { // a formula, such as {DBInstanceClassMemory/8192}
		return true
	}
	number, err := strconv.ParseFloat(value, 64)
	for one := range strings.SplitSeq(allowed, ",") {
		if one = strings.TrimSpace(one); one == value {
			return true
		}
		at := strings.LastIndex(one, "-")
		if at <= 0 {
			continue
		}
		least, noLeast := strconv.ParseFloat(strings.TrimSuffix(one[:at], "-"), 64)
		most, noMost := strconv.ParseFloat(one[at+1:], 64)
		if noLeast != nil || noMost != nil {
			continue
		}
		if err == nil && number >= least && number <= most {
			return true
		}
	}
	return false
}

// A parameterLists has RDS's lists of parameters by their families, as far as they were read. They last as long as the session.
type parameterLists struct {
	mu       sync.Mutex
	families map[string]datedList
}

type datedList struct {
	parameterList
	read time.Time
}

// newParameters is after how long a list is read again because it lacks a parameter, unless a person asks for an
// observation: AWS adds some with minor versions, and most that a list lacks are misspelt.
const newParameters = time.Hour

// get returns a list, and whether it serves for names: it has them, or it was read a short while ago and RDS has no such parameters.
func (l *parameterLists) get(ctx context.Context, family string, names []string, now time.Time) (list parameterList, serves bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, was := l.families[family]
	return known.parameterList, was && (known.hasAll(names) || now.Sub(known.read) < newParameters && !table.AskedSince(ctx, known.read))
}

func (l *parameterLists) put(family string, list parameterList, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.families == nil {
		l.families = map[string]datedList{}
	}
	l.families[family] = datedList{list, now}
}

// list returns RDS's list of a family; nil if it can't be read, which must not keep an instance from being observed. names are parameters that it
// should have.
func (g *parameterGroups) list(ctx context.Context, family string, names []string) parameterList {
	known, serves := g.lists.get(ctx, family, names, g.session.Now())
	if serves {
		return known
	}
	read, in := parameterList{}, &rds.DescribeEngineDefaultParametersInput{DBParameterGroupFamily: &family}
	for {
		out, err := session.Call(ctx, g.session, "DescribeEngineDefaultParameters", g.rds.DescribeEngineDefaultParameters, in)
		if err != nil || out.EngineDefaults == nil {
			return known
		}
		for _, p := range out.EngineDefaults.Parameters {
			read[aws.ToString(p.ParameterName)] = p
		}
		if in.Marker = out.EngineDefaults.Marker; aws.ToString(in.Marker) == "" {
			break
		}
	}
	g.lists.put(family, read, g.session.Now())
	return read
}
