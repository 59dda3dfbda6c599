package main

import (
	"bytes"
	_ "embed"
	"os/exec"
	"text/template"
)

//go:embed next.txt
var nextText string

var nextTemplate = template.Must(template.New("next").Parse(nextText))

// next says what to type next.
func (q *quickstart) next(samples bool) string {
	kubectl := "kubectl"
	if _, err := exec.LookPath(kubectl); err != nil {
		kubectl = q.kubectl
	}
	var others []map[string]string
	for _, p := range people {
		others = append(others, map[string]string{"Who": p.user, "File": q.folder.file(p.file)})
	}
	var text bytes.Buffer
	err := nextTemplate.Execute(&text, map[string]any{
		"Kubeconfig": q.folder.file(kubeconfigFile), "Env": q.folder.file(envFile), "Cloud": q.folder.file(cloudFile), "Log": q.folder.file(logFile), "Metrics": q.controller.metrics, "Token": q.folder.file(tokenFile),
		"Kubectl": kubectl, "Samples": samples, "AWS": q.clouds.AWSEndpoint(), "GCP": q.clouds.GCPEndpoint(), "Project": gcpProject, "People": others, "Team": team, "Installed": q.target.installed,
	})
	if err != nil {
		return err.Error()
	}
	return text.String()
}
