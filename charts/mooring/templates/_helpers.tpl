{{/* The name of the objects: that of the release if it contains mooring, or else that of the release and mooring. */}}
{{- define "mooring.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains "mooring" .Release.Name -}}
{{- .Release.Name -}}
{{- else -}}
{{- printf "%s-mooring" .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "mooring.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "mooring.fullname" .) -}}
{{- end }}

{{/* Whether to install the ClusterRoles for users. rbac.people is the former name of the value, which Mooring 0.2 accepts. Either
value switches the roles off. A release upgraded with --reuse-values may lack the new one. */}}
{{- define "mooring.aggregateClusterRoles" -}}
{{- $rbac := .Values.rbac -}}
{{- if and (dig "aggregateClusterRoles" true $rbac) (dig "people" true $rbac) -}}
true
{{- end -}}
{{- end }}

{{/* The groups that may read classes, as a YAML list. rbac.catalogue is the former name of the value, which Mooring 0.2 accepts. */}}
{{- define "mooring.classReaderGroups" -}}
{{- concat (.Values.rbac.classReaderGroups | default list) (.Values.rbac.catalogue | default list) | uniq | toYaml -}}
{{- end }}

{{/* The values that the release sets by a former name, each with the new name, as a YAML list of sentences. An upgrade with --reuse-values
carries the defaults of Mooring 0.1.0 under the former names, which nobody set and nobody can rename: they are no reason to warn. */}}
{{- define "mooring.deprecatedValues" -}}
{{- $warnings := list -}}
{{- $defaults := dict "people" true "catalogue" list -}}
{{- range $old, $new := dict "people" "aggregateClusterRoles" "catalogue" "classReaderGroups" -}}
{{- if and (hasKey $.Values.rbac $old) (ne (get $.Values.rbac $old | toJson) (get $defaults $old | toJson)) -}}
{{- $warnings = append $warnings (printf "The value rbac.%s is now rbac.%s. Mooring 0.3 will refuse the old name: rename the value." $old $new) -}}
{{- end -}}
{{- end -}}
{{- toYaml $warnings -}}
{{- end }}

{{- define "mooring.image" -}}
{{- $repository := .Values.image.repository -}}
{{- with (.Values.global).imageRegistry -}}
{{- /* The first part is a registry if it looks like a host, as everywhere. */}}
{{- $first := splitList "/" $repository | first -}}
{{- if or (contains "." $first) (contains ":" $first) (eq $first "localhost") -}}
{{- $repository = trimPrefix (printf "%s/" $first) $repository -}}
{{- end -}}
{{- $repository = printf "%s/%s" (trimSuffix "/" .) $repository -}}
{{- end -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{- printf "%s@%s" $repository .digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.tag | default $.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The labels that select the Pods. They can't change while the Deployment exists. */}}
{{- define "mooring.selectorLabels" -}}
app.kubernetes.io/name: mooring
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mooring.labels" -}}
{{ include "mooring.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The security contexts, which are stricter than the restricted Pod Security Standard. An upgrade with --reuse-values may lack newer
values, so the defaults are here too. */}}
{{- define "mooring.podSecurity" -}}
{{- if hasKey .Values "podSecurityContext" -}}
{{ toYaml .Values.podSecurityContext }}
{{- else -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end -}}
{{- end }}

{{- define "mooring.containerSecurity" -}}
{{- if hasKey .Values "securityContext" -}}
{{ toYaml .Values.securityContext }}
{{- else -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}
{{- end }}

{{/* The IP families of a Service. */}}
{{- define "mooring.ipFamilies" -}}
{{- with (.Values.service).ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with (.Values.service).ipFamilies }}
ipFamilies: {{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}

{{/* The name of the Secret with the certificate that cert-manager makes; empty if cert-manager makes none. */}}
{{- define "mooring.certificate" -}}
{{- if and (.Values.admission.certManager).enabled (or .Values.admission.webhook (and .Values.metrics.enabled .Values.metrics.secure)) -}}
{{ include "mooring.fullname" . }}-certificate
{{- end -}}
{{- end }}

{{/* The arguments about the certificate, which `mooring --check` needs too. */}}
{{- define "mooring.certificateArgs" -}}
{{- if include "mooring.certificate" . }}
- --cert-dir=/etc/mooring/certificate
{{- end }}
{{- end }}

{{/* The environment variables of a container. */}}
{{- define "mooring.env" -}}
# A container that is restarted after a crash goes on with the Lease of its Pod, and does not wait until it expires.
- {name: MOORING_POD_UID, valueFrom: {fieldRef: {fieldPath: metadata.uid}}}
{{- with .Values.proxy }}
{{- with .httpProxy }}
- {name: HTTP_PROXY, value: {{ . | quote }}}
{{- end }}
{{- with .httpsProxy }}
- {name: HTTPS_PROXY, value: {{ . | quote }}}
{{- end }}
{{- if or .httpProxy .httpsProxy .noProxy }}
# The API server, Services of the cluster, and the metadata servers of the clouds.
- {name: NO_PROXY, value: {{ list "$(KUBERNETES_SERVICE_HOST)" ".svc" "169.254.169.254" "169.254.170.23" "metadata.google.internal" .noProxy | compact | join "," | quote }}}
{{- end }}
{{- end }}
{{- if .Values.caBundle.configMap }}
# The image's own certificate authorities are in a file, not in a folder: both are used.
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
{{- if include "mooring.certificate" . }}
- {name: certificate, mountPath: /etc/mooring/certificate, readOnly: true}
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
{{- with include "mooring.certificate" . }}
- name: certificate
  secret: {secretName: {{ . }}}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
