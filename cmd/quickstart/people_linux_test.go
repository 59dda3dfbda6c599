package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
)

const misspelled = `{apiVersion: mooring.dev/v1alpha1, kind: Bucket, metadata: {name: a, namespace: shop, annotations: {mooring.dev/pause: "true"}}, spec: {}}`

// The platform engineer has the file that all tools look for.
const platform = ""

const photos = `{apiVersion: mooring.dev/v1alpha1, kind: Bucket, metadata: {name: photos, namespace: shop}, spec: {providerConfigRef: {kind: ClusterProviderConfig, name: aws}}}`

const approved = `{apiVersion: mooring.dev/v1alpha1, kind: Bucket, metadata: {name: a, namespace: shop, annotations: {mooring.dev/approve: all}}, spec: {}}`

// verifyPeople checks that the guides can be followed as the people they are for: the roles, the policies and a kubeconfig for each are
// there.
func (r *running) verifyPeople() {
	t := r.t
	t.Helper()
	as := func(who, input string, args ...string) (string, bool) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		file := r.path("kept", strings.TrimPrefix(who+".kubeconfig", "."))
		cmd := exec.CommandContext(ctx, filepath.Join(r.root, "bin", "kubectl"), append([]string{"--kubeconfig=" + file}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	for _, c := range []struct {
		who  string
		may  []string
		want bool
	}{
		{"developer", []string{"create", "databases.mooring.dev", "-n", team}, true},
		{"developer", []string{"approve", "databases.mooring.dev", "-n", team}, false},
		{"developer", []string{"create", "databases.mooring.dev", "-n", "default"}, false},
		{"developer", []string{"list", "databaseclasses.mooring.dev"}, true},
		{"developer", []string{"create", "databaseclasses.mooring.dev"}, false},
		{"lead", []string{"approve", "databases.mooring.dev", "-n", team}, true},
	} {
		// Kubernetes adds the roles to its own a moment later.
		r.await(c.who+" "+strings.Join(c.may, " "), func() bool {
			_, yes := as(c.who, "", append([]string{"auth", "can-i"}, c.may...)...)
			return yes == c.want
		})
	}
	// The policies are in force: about consents, about what is in use, and about tokens.
	for _, c := range []struct{ input, args string }{{photos, "apply -f -"}, {"", "create serviceaccount payer -n " + team}} {
		if says, done := as(platform, c.input, strings.Fields(c.args)...); !done {
			t.Fatalf("kubectl %s: %s", c.args, says)
		}
	}
	for _, c := range []struct{ who, input, args, says string }{
		{"developer", approved, "create --dry-run=server -f -", "needs the verb \"approve\""},
		{platform, "", "delete clusterproviderconfig aws --dry-run=server", "is in use by Bucket shop/photos"},
		{platform, "", "create token payer -n " + team + " --audience=sts.amazonaws.com --as=" + controllerUser, "lacks the annotation mooring.dev/issue-tokens"},
	} {
		var says string
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("kubectl %s: %s", c.args, says)
			}
		})
		r.await("refusal of "+c.args, func() (refused bool) {
			said, done := as(c.who, c.input, strings.Fields(c.args)...)
			says = said
			return !done && strings.Contains(says, c.says)
		})
	}
	r.await("the warning about annotations", func() bool {
		says, stored := as("developer", misspelled, "create", "--dry-run=server", "-f", "-")
		return stored && strings.Contains(says, "Mooring ignores mooring.dev/pause")
	})
}
