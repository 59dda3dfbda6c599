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
func (s *stage) next(samples bool) string {
	kubectl := "kubectl"
	if _, err := exec.LookPath(kubectl); err != nil {
		kubectl = s.kubectlFile
	}
	var others []map[string]string
	for _, p := range people {
		others = append(others, map[string]string{"Who": p.user, "File": s.file(p.file)})
	}
	var text bytes.Buffer
	err := nextTemplate.Execute(&text, map[string]any{
		"Kubeconfig": s.file(kubeconfigFile), "Env": s.file(envFile), "Cloud": s.file(cloudFile), "Log": s.file(logFile), "Token": s.file(tokenFile),
		"Kubectl": kubectl, "Samples": samples, "AWS": s.cloud.AWSEndpoint(), "GCP": s.cloud.GCPEndpoint(), "Project": gcpProject, "People": others, "Team": team, "Installed": s.installed,
	})
	if err != nil {
		return err.Error()
	}
	return text.String()
}
