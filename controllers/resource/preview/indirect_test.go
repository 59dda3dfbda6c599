package preview

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
)

// Of another alias of a key nobody knows whether it stands for the same key. The preview says so, for each field with a key, and that the server keeps its own.
func TestAnotherAliasOfAKey(t *testing.T) {
	const server, other = "arn:aws:kms:eu-central-1:111111111111:key/a", "arn:aws:kms:eu-central-1:111111111111:key/b"
	const unknown = "nothing changes in the cloud. Only the cloud knows which encryption key the new name stands for: if it is another one, the cloud object keeps the one that it has"
	fields := map[string]func(*v1alpha1.DatabaseParameters, *string){
		"encryption.key": func(p *v1alpha1.DatabaseParameters, key *string) { p.Encryption = &v1alpha1.Encryption{Key: key} },
		"aws.performanceInsights.key": func(p *v1alpha1.DatabaseParameters, key *string) {
			p.Insights, p.AWS.PerformanceInsights = new(true), &v1alpha1.PerformanceInsights{Key: key}
		},
	}
	for field, set := range fields {
		for name, tt := range map[string]struct {
			from, to   *string
			unobserved bool
			says       string // of the key; empty for no word
		}{
			"another alias":               {from: new("alias/a"), to: new("alias/b"), says: field + " alias/a -> alias/b: " + unknown},
			"the ARN of another alias":    {from: new("alias/a"), to: new("arn:aws:kms:eu-central-1:111111111111:alias/b"), says: unknown},
			"an alias for the key":        {from: new(server), to: new("alias/b"), says: unknown},
			"an alias for no key":         {to: new("alias/b"), says: field + " (none) -> alias/b: " + unknown},
			"the same alias":              {from: new("alias/a"), to: new("alias/a")},
			"the key for its alias":       {from: new("alias/a"), to: new(server)},
			"another key, which is known": {from: new("alias/a"), to: new(other), says: "Impossible: " + field},
			"nothing was observed yet":    {from: new("alias/a"), to: new("alias/b"), unobserved: true},
		} {
			t.Run(field+"/"+name, func(t *testing.T) {
				p := newPreview()
				p.Drivers["aws"] = aws.New(aws.Options{})
				old := usual()
				set(&old.Spec.DatabaseParameters, new(server))
				old.Status.Observed = old.Spec.DatabaseParameters.DeepCopy()
				set(&old.Spec.DatabaseParameters, tt.from)
				if tt.unobserved {
					old.Status.Observed = nil
				}
				lines, err := linesOf(p.Edit(t.Context(), old, editOf(old, func(d *v1alpha1.Database) { set(&d.Spec.DatabaseParameters, tt.to) })))
				if err != nil {
					t.Fatal(err)
				}
				all := strings.Join(lines, "\n")
				if tt.says == "" && strings.Contains(all, "key") || !strings.Contains(all, tt.says) {
					t.Errorf("got %q, want %q", all, tt.says)
				}
			})
		}
	}
}
