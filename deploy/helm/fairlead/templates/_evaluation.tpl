{{- define "fairlead.isEvaluation" -}}
{{- if eq .Values.profile "evaluation" }}true{{ end }}
{{- end }}

{{/* Whether the release has that store. Arguments: root, store. */}}
{{- define "fairlead.hasStore" -}}
{{- if and (include "fairlead.isEvaluation" .root) (index .root.Values.evaluation .store).enabled }}true{{ end }}
{{- end }}

{{/* Name of a store's objects. Arguments: root, store. */}}
{{- define "fairlead.storeName" -}}
{{ include "fairlead.fullname" .root }}-{{ .store }}
{{- end }}

{{/* Whether the release has the sample vendor, which is of use with tools only. */}}
{{- define "fairlead.hasSandboxCrm" -}}
{{- if and (include "fairlead.isEvaluation" .) .Values.evaluation.sandboxCrm.enabled (has "tools" (include "fairlead.enabled" . | splitList " ")) }}true{{ end }}
{{- end }}

{{- define "fairlead.sandboxCrmName" -}}
{{ include "fairlead.fullname" . }}-sandbox-crm
{{- end }}

{{/* Host and port of the sample vendor, as the services and browsers see it. */}}
{{- define "fairlead.sandboxCrmHost" -}}
{{ include "fairlead.sandboxCrmName" . }}.{{ include "fairlead.domain" . }}:4010
{{- end }}

{{/* Settings of a service with which it reaches the sample vendor, over its own ones. Arguments: root, facts, settings. */}}
{{- define "fairlead.sandboxCrmSettings" -}}
{{- $host := include "fairlead.sandboxCrmHost" .root }}
{{- $settings := dict }}
{{- if .facts.callsOut }}
{{- $_ := set $settings "EGRESS_ALLOW" (list (index .settings "EGRESS_ALLOW" | default "" | toString) $host | compact | join ",") }}
{{- end }}
{{- if has "CONNECTOR_SETTINGS" .facts.variables }}
{{- $own := index .settings "CONNECTOR_SETTINGS" | default "{}" | fromJson }}
{{- if not (hasKey $own "Error") }}
{{- $_ := set $settings "CONNECTOR_SETTINGS" (mergeOverwrite (dict "sandbox-crm" (dict "baseUrl" (printf "http://%s" $host))) $own | toJson) }}
{{- end }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{- define "fairlead.domain" -}}
{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}
{{- end }}

{{/* The one member of MongoDB's replica set, as all clients see it. */}}
{{- define "fairlead.mongodbHost" -}}
{{- $name := include "fairlead.storeName" (dict "root" . "store" "mongodb") -}}
{{ $name }}-0.{{ $name }}.{{ include "fairlead.domain" . }}:27017
{{- end }}

{{- define "fairlead.mongodbUri" -}}
{{- if include "fairlead.hasStore" (dict "root" . "store" "mongodb") -}}
mongodb://{{ include "fairlead.mongodbHost" . }}/?replicaSet=fairlead
{{- else -}}
{{ required "evaluation.mongodb.uri: required without evaluation.mongodb.enabled" .Values.evaluation.mongodb.uri }}
{{- end }}
{{- end }}

{{- define "fairlead.natsUrl" -}}
{{- if include "fairlead.hasStore" (dict "root" . "store" "nats") -}}
nats://{{ include "fairlead.storeName" (dict "root" . "store" "nats") }}.{{ include "fairlead.domain" . }}:4222
{{- else -}}
{{ required "evaluation.nats.url: required without evaluation.nats.enabled" .Values.evaluation.nats.url }}
{{- end }}
{{- end }}

{{/* Container of the release's Jobs and tests, from the image of the services. Arguments: root. */}}
{{- define "fairlead.toolContainer" -}}
image: {{ include "fairlead.image" (dict "root" .root "image" .root.Values.image) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- toYaml .root.Values.defaults.securityContext | nindent 2 }}
resources:
  {{- toYaml .root.Values.defaults.resources | nindent 2 }}
{{- end }}

{{/* Parts of the spec that pods of Jobs, tests and stores have in common with those of services. */}}
{{- define "fairlead.toolPod" -}}
enableServiceLinks: false
securityContext:
  {{- toYaml .Values.defaults.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.defaults.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.defaults.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .Values.defaults.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.defaults.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Spec of the pod that prepares an evaluation: the replica set, then the Secrets. */}}
{{- define "fairlead.setupPod" -}}
{{- $container := include "fairlead.toolContainer" (dict "root" .) }}
{{- include "fairlead.toolPod" . }}
serviceAccountName: {{ .Release.Name }}-setup
automountServiceAccountToken: true
restartPolicy: OnFailure
{{- if include "fairlead.hasStore" (dict "root" . "store" "mongodb") }}
initContainers:
  - name: replica-set
    args: [init-replica-set, --mongodb, '{{ include "fairlead.mongodbHost" . }}']
    {{- $container | nindent 4 }}
{{- end }}
containers:
  - name: secrets
    args:
      - init-secrets
      - --create
      - --release={{ include "fairlead.fullname" . }}
      - --namespace={{ .Release.Namespace }}
      - --mongodb={{ include "fairlead.mongodbUri" . }}
      - --nats={{ include "fairlead.natsUrl" . }}
      {{- if include "fairlead.hasSandboxCrm" . }}
      - --sandbox-crm={{ .Values.publicUrl }}
      {{- end }}
    {{- $container | nindent 4 }}
{{- end }}
