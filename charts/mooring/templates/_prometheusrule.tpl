{{/* The alerts, as files/rules.yaml has them, but for what the values say of one or of all of them. */}}
{{- define "mooring.rules" -}}
{{- $values := .Values.metrics.rules -}}
{{- $file := .Files.Get "files/rules.yaml" | fromYaml -}}
{{- $names := list -}}
{{- range $group := $file.groups -}}
{{- $kept := list -}}
{{- range $rule := $group.rules -}}
{{- if $rule.alert -}}
{{- $names = append $names $rule.alert -}}
{{- $own := get ($values.alerts | default dict) $rule.alert | default dict -}}
{{- $_ := set $rule "labels" (merge dict ($own.labels | default dict) ($values.alertLabels | default dict) $rule.labels) -}}
{{- with $own.for -}}
{{- $_ := set $rule "for" . -}}
{{- end -}}
{{- if not (eq $own.enabled false) -}}
{{- $kept = append $kept $rule -}}
{{- end -}}
{{- else -}}
{{- $kept = append $kept $rule -}}
{{- end -}}
{{- end -}}
{{- $_ := set $group "rules" $kept -}}
{{- end -}}
{{- range $name, $_ := $values.alerts -}}
{{- if not (has $name $names) -}}
{{- fail (printf "metrics.rules.alerts.%s: there is no alert of that name; there are %s" $name (join ", " $names)) -}}
{{- end -}}
{{- end -}}
{{ toYaml $file }}
{{- end }}
