{{/* What the objects are called: by the release, or mooring if that is in its name already. */}}
{{- define "mooring.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains "mooring" .Release.Name -}}
{{- .Release.Name -}}
{{- else -}}
{{- printf "%s-mooring" .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "mooring.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "mooring.name" .) -}}
{{- end }}

{{- define "mooring.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" .repository .digest -}}
{{- else -}}
{{- printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* By what the Pods are found. It can't change as long as the Deployment lives. */}}
{{- define "mooring.selector" -}}
app.kubernetes.io/name: mooring
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mooring.labels" -}}
{{ include "mooring.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What a container of Mooring may do: nothing but run. The restricted Pod Security Standard asks for less. */}}
{{- define "mooring.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "mooring.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* The variables that a container of Mooring gets. */}}
{{- define "mooring.env" -}}
{{- with .Values.proxy }}
{{- with .httpProxy }}
- {name: HTTP_PROXY, value: {{ . | quote }}}
{{- end }}
{{- with .httpsProxy }}
- {name: HTTPS_PROXY, value: {{ . | quote }}}
{{- end }}
{{- if or .httpProxy .httpsProxy .noProxy }}
# The API server, what is in the cluster, and where the machine says who it is.
- {name: NO_PROXY, value: {{ list "$(KUBERNETES_SERVICE_HOST)" ".svc" "169.254.169.254" "169.254.170.23" "metadata.google.internal" .noProxy | compact | join "," | quote }}}
{{- end }}
{{- end }}
{{- if .Values.caBundle.configMap }}
# Beside the authorities of the image, which are in a file and not in a folder.
- {name: SSL_CERT_DIR, value: /etc/mooring/authorities}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "mooring.volumeMounts" -}}
{{- if .Values.caBundle.configMap }}
- {name: authorities, mountPath: /etc/mooring/authorities, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "mooring.volumes" -}}
{{- with .Values.caBundle }}
{{- if .configMap }}
- name: authorities
  configMap:
    name: {{ .configMap }}
    items: [{key: {{ .key | quote }}, path: authorities.crt}]
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
