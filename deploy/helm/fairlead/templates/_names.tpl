{{/* Prefix of all names. */}}
{{- define "fairlead.fullname" -}}
{{- $name := .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- if not (regexMatch "^[a-z]" $name) }}
{{- fail (printf "fullnameOverride: required, because the names of Services start with a letter, and %s does not" $name) }}
{{- end }}
{{- $name -}}
{{- end }}

{{/* Name of the Service for clients that leads to the gateways of a track. Arguments: root, track. */}}
{{- define "fairlead.publicName" -}}
{{ include "fairlead.fullname" .root }}{{ ternary "-canary" "" (eq .track "canary") }}
{{- end }}

{{/* Labels of an object of the release. Arguments: root, component, labels. */}}
{{- define "fairlead.labels" -}}
{{- $own := dict
      "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_")
      "app.kubernetes.io/version" .root.Chart.AppVersion
      "app.kubernetes.io/managed-by" .root.Release.Service
      "app.kubernetes.io/instance" .root.Release.Name -}}
{{- $selector := include "fairlead.selector" . | fromYaml -}}
{{- toYaml (mergeOverwrite (dict) (.root.Values.commonLabels | default dict) (.labels | default dict) $own $selector) -}}
{{- end }}

{{/* Labels by which pods are selected. They hold no release, because a release may have one service only. */}}
{{- define "fairlead.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/part-of: {{ include "fairlead.fullname" .root | quote }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{/* Metadata of an object. Arguments: root, name, component, labels, annotations. */}}
{{- define "fairlead.metadata" -}}
name: {{ .name | quote }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "fairlead.labels" . | nindent 2 }}
{{- with mergeOverwrite (dict) (.root.Values.commonAnnotations | default dict) (.annotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A value as text. Numbers of values are floating point numbers, which must not become 3.65e+05. */}}
{{- define "fairlead.text" -}}
{{- if kindIs "float64" . }}
{{- if eq (floor .) . }}{{ printf "%.0f" . }}{{ else }}{{ toString . }}{{ end }}
{{- else }}{{ toString . }}{{ end }}
{{- end }}

{{/* Labels of pods. They name no version, so that a new version of the chart alone replaces no pod. */}}
{{- define "fairlead.podLabels" -}}
{{- $own := dict "app.kubernetes.io/instance" .root.Release.Name "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $selector := include "fairlead.selector" . | fromYaml -}}
{{- toYaml (mergeOverwrite (dict) (.root.Values.commonLabels | default dict) (.labels | default dict) $own $selector) -}}
{{- end }}

{{/* Fails with the message if the list is empty; `required` fails for what is absent only. Arguments: list, message. */}}
{{- define "fairlead.refuseEmpty" -}}
{{- if empty .list }}{{ fail .message }}{{ end }}
{{- end }}

{{/* Name of an image. Arguments: root, image. */}}
{{- define "fairlead.image" -}}
{{- with .image.digest -}}
{{ $.image.repository }}@{{ . }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .root.Chart.AppVersion }}
{{- end }}
{{- end }}
