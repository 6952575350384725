{{/* Facts about all services, from their code: calls, variables, secrets. */}}
{{- define "fairlead.facts" -}}
{{ .Files.Get "files/services.json" }}
{{- end }}

{{/* Names of the services of this release, separated by spaces. */}}
{{- define "fairlead.enabled" -}}
{{- $names := list }}
{{- range $name, $facts := include "fairlead.facts" . | fromJson }}
{{- $service := include "fairlead.service" (dict "root" $ "name" $name) | fromJson }}
{{- if $service.enabled }}{{ $names = append $names $name }}{{ end }}
{{- end }}
{{- join " " $names }}
{{- end }}

{{/*
Settings of one service as JSON, because YAML takes several times as long: the defaults with its own ones, for the pods of a track.
Arguments: root, name, optionally track.
*/}}
{{- define "fairlead.service" -}}
{{- $own := deepCopy (index .root.Values.services .name | default dict) }}
{{- $service := mergeOverwrite (deepCopy .root.Values.defaults) $own }}
{{- if contains ":null" (toJson $own) }}
{{- include "fairlead.dropNulls" $service }}
{{- end }}
{{- $_ := set $service "image" (mergeOverwrite (deepCopy .root.Values.image) ($service.image | default dict)) }}
{{- if eq (.track | default "stable") "canary" }}
{{- include "fairlead.canaryPods" (dict "name" .name "service" $service) }}
{{- else }}
{{- toJson $service }}
{{- end }}
{{- end }}

{{/* Removes keys that are null from a map and its maps. Helm does so with keys of `defaults`, but not with those of a service. */}}
{{- define "fairlead.dropNulls" -}}
{{- range $key, $value := . }}
{{- if kindIs "invalid" $value }}
{{- $_ := unset $ $key }}
{{- else if kindIs "map" $value }}
{{- include "fairlead.dropNulls" $value }}
{{- end }}
{{- end }}
{{- end }}

{{/* Name of a service's objects. Arguments: root, name. */}}
{{- define "fairlead.serviceName" -}}
{{ include "fairlead.fullname" .root }}-{{ .name }}
{{- end }}

{{/* Name of the service account. Arguments: root, name, service. */}}
{{- define "fairlead.serviceAccountName" -}}
{{- if .service.serviceAccount.create -}}
{{ .service.serviceAccount.name | default (include "fairlead.serviceName" .) }}
{{- else -}}
{{ .service.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{/* Name of the Secret with the variables of a service. Arguments: root, name, service. */}}
{{- define "fairlead.secretName" -}}
{{ .service.existingSecret | default (include "fairlead.serviceName" .) }}
{{- end }}

{{/* Whether something else than the Deployment decides on the number of pods. */}}
{{- define "fairlead.isScaled" -}}
{{- if or .autoscaling.enabled .keda.enabled }}true{{ end }}
{{- end }}

{{/* Seconds between a pod's deletion and SIGKILL. Arguments: name, service. */}}
{{- define "fairlead.terminationSeconds" -}}
{{- $drainSeconds := divf (index .service.settings "DRAIN_DELAY_MS" | default 0 | float64) 1000 | ceil | int }}
{{- $least := add (int .service.shutdown.preStopSeconds) $drainSeconds (int .service.shutdown.graceSeconds) }}
{{- if kindIs "invalid" .service.terminationGracePeriodSeconds }}
{{- add $least 10 }}
{{- else if le (int .service.terminationGracePeriodSeconds) (int $least) }}
{{- fail (printf "services.%s.terminationGracePeriodSeconds: must be above %d, which preStopSeconds, DRAIN_DELAY_MS and graceSeconds need" .name $least) }}
{{- else }}
{{- int .service.terminationGracePeriodSeconds }}
{{- end }}
{{- end }}

{{/* Addresses of a peer. Arguments: root, peer, port. */}}
{{- define "fairlead.address" -}}
{{- $host := include "fairlead.serviceName" (dict "root" .root "name" .peer) }}
{{- if eq .root.Values.discovery "kubernetes" -}}
kubernetes:///{{ $host }}.{{ .root.Release.Namespace }}:{{ .port }}
{{- else -}}
dns:///{{ $host }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}:{{ .port }}
{{- end }}
{{- end }}

{{/* Ports of a service's containers. */}}
{{- define "fairlead.ports" -}}
{{- $ports := list
      (dict "name" "http" "port" 8080 "appProtocol" "http")
      (dict "name" "grpc" "port" 8081 "appProtocol" "kubernetes.io/h2c") }}
{{- if eq .name "gateway" }}
{{- $ports = append $ports (dict "name" "rpc" "port" 8082 "appProtocol" "http") }}
{{- end }}
{{- toYaml (append $ports (dict "name" "admin" "port" 9090 "appProtocol" "http")) }}
{{- end }}
