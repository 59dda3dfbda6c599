package rds

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/portable"
)

// settingsIn returns what somebody set in a group.
func (g *parameterGroups) settingsIn(ctx context.Context, group string) (map[string]string, error) {
	set, in := map[string]string{}, &rds.DescribeDBParametersInput{DBParameterGroupName: &group, Source: aws.String("user")}
	for {
		out, err := session.Call(ctx, g.session, "DescribeDBParameters", g.rds.DescribeDBParameters, in)
		if err != nil {
			return nil, err
		}
		for _, p := range out.Parameters {
			if p.ParameterName != nil && p.ParameterValue != nil {
				set[*p.ParameterName] = *p.ParameterValue
			}
		}
		if aws.ToString(out.Marker) == "" {
			return set, nil
		}
		in.Marker = out.Marker
	}
}

// addGiven adds wanted parameters that nobody set and that have the wanted value all the same: RDS does not count a parameter as set by somebody
// where its value is the one that every group of the family has. No recording shows that; people report it.
// https://github.com/hashicorp/terraform-provider-aws/issues/22857
//
// RDS's list says what every group has. It is read while a wanted parameter is not among those that somebody set.
func (g *groups) addGiven(ctx context.Context, family string, wanted, set map[string]string) {
	var lacks []string
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if _, sets := set[name]; !sets {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) == 0 {
		return
	}
	list := g.calls.list(ctx, family, lacks)
	for _, name := range lacks {
		if value := list[name].ParameterValue; value != nil && portable.SameParameter(wanted[name], *value) {
			set[name] = *value
		}
	}
}

// checkTaken refuses to restart a server for parameters that were sent and that its group does not have now: the restart would not bring them, and the
// next look would ask for another one.
func (g *groups) checkTaken(ctx context.Context, group, family string, sent map[string]string) error {
	if len(sent) == 0 {
		return nil
	}
	set, err := g.calls.settingsIn(ctx, group)
	if err != nil {
		return err
	}
	g.addGiven(ctx, family, sent, set)
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if now, has := set[name]; !has || !portable.SameParameter(sent[name], now) {
			lost = append(lost, name+"="+sent[name])
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return session.Invalid("RDS took %s, and DB parameter group %s does not show it, so the server is not restarted for it: if that stays so, correct or remove it in the spec",
		strings.Join(lost, ", "), group)
}
