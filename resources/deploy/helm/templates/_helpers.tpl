{{/* Names, labels and the parts that all pods share. */}}

{{- define "svc.name" -}}
{{- $release := .Release.Name | replace "." "-" }}
{{- if contains "agent-orchestration" $release }}{{ $release | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-svc" $release | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "svc.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "svc.secretName" -}}
{{ required "secret.name is required: the Secret with database-url, encryption-key and api-tokens (docs/packages.md)" .Values.secret.name | quote }}
{{- end }}

{{- define "svc.secretVariable" -}}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ include "svc.secretName" .root }}, key: {{ .key | quote }} } }
{{- end }}

{{/* Variables of servers and workers that secret.variables names. */}}
{{- define "svc.secretVariables" -}}
{{- range $name, $key := .Values.secret.variables }}
{{ include "svc.secretVariable" (dict "root" $ "variable" $name "key" $key) }}
{{- end }}
{{- end }}

{{/* Variables, in the order of their names. Helm reads each number of a file as a float, and prints 2000000 as 2e+06. */}}
{{- define "svc.variables" -}}
{{- range $name, $value := . }}
{{- if and (kindIs "float64" $value) (eq $value (floor $value)) }}{{ $value = int64 $value }}{{ end }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "svc.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "svc.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "svc.mounts" -}}
- { name: scratch, mountPath: /tmp, subPath: tmp }
- { name: scratch, mountPath: /var/lib/svc, subPath: data }
{{- end }}

{{- define "svc.volumes" -}}
- name: scratch
  emptyDir: { sizeLimit: {{ .Values.scratch.sizeLimit }} }
{{- end }}

{{- define "svc.probes" -}}
# A start includes the wait for the database.
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{/* Nodes that may run a pod, and its pull secrets: .pod is .Values.server or .Values.worker. */}}
{{- define "svc.nodes" -}}
{{- with .pod.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* All that the scheduler reads. */}}
{{- define "svc.placement" -}}
{{- include "svc.nodes" . }}
{{- with .pod.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "svc.selector" . | nindent 8 }}
{{- end }}

{{- define "svc.isolation" -}}
{{- if .Values.kubernetesIsolation.enabled }}
- { name: SVC_ENABLE_KUBERNETES_ISOLATION, value: 'true' }
- { name: SVC_KUBERNETES_NAMESPACE, value: {{ include "svc.toolNamespace" . }} }
{{- end }}
{{- end }}

{{- define "svc.toolNamespace" -}}
{{ .Values.kubernetesIsolation.namespace | default .Release.Namespace | quote }}
{{- end }}

{{/* "true" where pods of the component call the Kubernetes API: those that run tasks. */}}
{{- define "svc.callsKubernetes" -}}
{{- if and .root.Values.kubernetesIsolation.enabled (eq .component (ternary "worker" "server" (gt (int .root.Values.worker.replicas) 0))) }}true{{ end }}
{{- end }}
