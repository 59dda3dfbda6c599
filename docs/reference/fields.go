package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// ambient opens a connection that never calls a cloud, for its tables.
func ambient(d driver.Driver, account v1alpha1.Account) (*driver.Conn, error) {
	return d.Open(context.Background(), driver.Config{Account: account, Location: "eu-central-1", Ambient: true})
}

func fieldsPage() ([]byte, error) {
	amazon, err := ambient(aws.New(aws.Options{}), v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: "eu-central-1"}})
	if err != nil {
		return nil, err
	}
	google, err := ambient(gcp.New(gcp.Options{}), v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: "example", Region: "europe-west3"}})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString(fieldsIntroduction)
	for _, s := range []struct {
		title string
		docs  []field.Doc
	}{
		{"Bucket in Amazon S3", amazon.Buckets.Docs()},
		{"Bucket in Google Cloud Storage", google.Buckets.Docs()},
		{"Database in Amazon RDS", amazon.Databases.Docs()},
		{"Database in Google Cloud SQL", google.Databases.Docs()},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| field | a change is | no difference is | taken out of the spec |\n|---|---|---|---|\n", s.title)
		for _, d := range s.docs {
			out := "left as it is"
			if d.Safe != "" {
				out = "returns to " + d.Safe
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.Field, effects(d.Effects), cell(d.Equal), cell(out))
		}
	}
	return b.Bytes(), nil
}

// effects says in a cell what a change does, and when.
func effects(possible []field.PossibleEffect) string {
	var lines []string
	for _, e := range possible {
		line := "`" + string(e.Effect) + "`"
		if e.When != "" {
			line += " when " + e.When
		}
		if e.Instead != "" {
			line += "; instead, " + e.Instead
		}
		lines = append(lines, cell(line))
	}
	return strings.Join(lines, "<br>")
}

const fieldsIntroduction = `# What happens when I change this

A field that the spec does not set is neither compared nor changed. A change that is not ` + "`Online` obeys `spec.updates.disruptive`" + `.

| a change is | what that does |
|---|---|
| ` + "`Online`" + ` | nobody notices |
| ` + "`Interrupts`" + ` | connections break for a moment |
| ` + "`Restarts`" + ` | the server is away while it restarts |
| ` + "`LosesBackups`" + ` | restore points are deleted, and nobody can bring them back |
| ` + "`Irreversible`" + ` | it can never be taken back |
| ` + "`Impossible`" + ` | the cloud can't; the object says ` + "`Immutable`" + ` |

` + "`status.pendingChanges`" + ` says for each difference which of these it is. What there is besides, such as what becomes of a
bucket at its deletion, is in [the API](api.md).
`
