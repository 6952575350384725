{{/* Whether calls of a service are split between tracks. Arguments: the service's settings. */}}
{{- define "fairlead.hasCanary" -}}
{{- if ne .canary.mode "none" }}true{{ end }}
{{- end }}

{{/* Service whose share is its number of pods, which an autoscaler would change. Arguments: name. */}}
{{- define "fairlead.isSharedByPods" -}}
{{- if has .name (list "delivery" "triggers") }}true{{ end }}
{{- end }}

{{/*
The release's objects by track, as JSON. `deployments` and `services` are lists of {name, track, component}; `selects` of a Service is
the component of its pods. `components` has the components of the pods of every service, enabled or not, and `flaggerServices` the
Services that Flagger makes for the pods of each track.
*/}}
{{- define "fairlead.tracks" -}}
{{- $deployments := list }}
{{- $services := list }}
{{- $flaggerServices := list }}
{{- $components := dict }}
{{- range $name, $facts := include "fairlead.facts" . | fromJson }}
{{- $service := include "fairlead.service" (dict "root" $ "name" $name) | fromJson }}
{{- $controller := $service.canary.controller }}
{{- $canary := printf "%s-canary" $name }}
{{- $stable := dict "name" $name "track" "stable" "component" $name "selects" $name }}
{{- $own := list $name }}
{{- if $service.enabled }}
{{- include "fairlead.refuseCanary" (dict "root" $ "name" $name "service" $service) }}
{{- $deployments = append $deployments $stable }}
{{- end }}
{{- if not (include "fairlead.hasCanary" $service) }}
{{- if $service.enabled }}{{ $services = append $services $stable }}{{ end }}
{{- else if eq $controller "flagger" }}
{{- /* Its pods of the stable track have this name, and it makes the Services. */}}
{{- $primary := printf "%s-primary" $name }}
{{- $own = append $own $primary }}
{{- if $service.enabled }}
{{- $flaggerServices = append $flaggerServices (dict "name" $name "track" "stable" "component" $primary) }}
{{- $flaggerServices = append $flaggerServices (dict "name" $name "track" "canary" "component" $canary) }}
{{- end }}
{{- else if eq $controller "argo-rollouts" }}
{{- /* It tells the tracks apart by a label that it adds to the selectors. */}}
{{- if $service.enabled }}
{{- $services = append $services $stable }}
{{- $services = append $services (dict "name" $name "track" "canary" "component" $canary "selects" $name) }}
{{- end }}
{{- else }}
{{- $own = append $own $canary }}
{{- if $service.enabled }}
{{- $second := dict "name" $name "track" "canary" "component" $canary "selects" $canary }}
{{- $deployments = append $deployments $second }}
{{- $services = append (append $services $stable) $second }}
{{- end }}
{{- end }}
{{- $_ := set $components $name $own }}
{{- end }}
{{- dict "deployments" $deployments "services" $services "components" $components "flaggerServices" $flaggerServices | toJson }}
{{- end }}

{{/* Settings of the canary's pods as JSON, made from those of the service. Arguments: name, service. */}}
{{- define "fairlead.canaryPods" -}}
{{- $service := deepCopy .service }}
{{- $canary := $service.canary }}
{{- $label := dict "fairlead.dev/track" "canary" }}
{{- $image := ternary (omit $service.image "digest") $service.image (not (empty $canary.image.tag)) }}
{{- $_ := set $service "image" (mergeOverwrite (deepCopy $image) $canary.image) }}
{{- $_ := set $service "replicas" $canary.replicas }}
{{- $_ := set $service "labels" (merge $label $service.labels) }}
{{- $_ := set $service "podLabels" (merge $label $service.podLabels) }}
{{- range $scaler := list $service.autoscaling $service.keda }}
{{- $_ := set $scaler "minReplicas" $canary.replicas }}
{{- if or (eq (int $canary.replicas) 0) (include "fairlead.isSharedByPods" $) }}
{{- $_ := set $scaler "enabled" false }}
{{- end }}
{{- end }}
{{- toJson $service }}
{{- end }}

{{/* Name of the route whose weights are the shares of a service's tracks. Arguments: root, name. */}}
{{- define "fairlead.routeName" -}}
{{ include "fairlead.serviceName" . }}
{{- end }}

{{/* Entry of a service in rules.json. Arguments: root, name, service. */}}
{{- define "fairlead.canaryRule" -}}
{{- $canary := .service.canary }}
{{- $isRoute := eq $canary.mode "route" }}
{{- $rule := dict
      "mode" $canary.mode
      "weight" (ternary 0 $canary.weight $isRoute)
      "accounts" $canary.accounts
      "headers" $canary.headers
      "salt" (include "fairlead.fullname" .root) }}
{{- if $isRoute }}
{{- $_ := set $rule "route" (dict
      "apiVersion" "gateway.networking.k8s.io/v1"
      "kind" (ternary "HTTPRoute" $canary.route.kind (eq $canary.controller "flagger"))
      "namespace" .root.Release.Namespace
      "name" (include "fairlead.routeName" .)) }}
{{- else }}
{{- $pods := include "fairlead.canaryPods" . | fromJson }}
{{- $_ := set $rule "image" ($pods.image.digest | default $pods.image.tag | default .root.Chart.AppVersion) }}
{{- end }}
{{- $rule | toJson }}
{{- end }}

{{/* The rules for callers, as JSON: none by default. They hold services of other releases too. */}}
{{- define "fairlead.canaryRules" -}}
{{- $rules := dict }}
{{- range $name, $facts := omit (include "fairlead.facts" . | fromJson) "gateway" }}
{{- $service := include "fairlead.service" (dict "root" $ "name" $name) | fromJson }}
{{- if include "fairlead.hasCanary" $service }}
{{- $_ := set $rules $name (include "fairlead.canaryRule" (dict "root" $ "name" $name "service" $service) | fromJson) }}
{{- end }}
{{- end }}
{{- dict "services" $rules | toPrettyJson }}
{{- end }}

{{- define "fairlead.canaryConfigMap" -}}
{{ .Release.Name }}-canary
{{- end }}

{{/* Fails on a canary that nothing can serve. Arguments: root, name, service. */}}
{{- define "fairlead.refuseCanary" -}}
{{- $canary := .service.canary }}
{{- $path := printf "services.%s.canary" .name }}
{{- if and $canary.controller (ne $canary.mode "route") }}
{{- fail (printf "%s.controller: only with mode route" $path) }}
{{- end }}
{{- if and (eq .name "gateway") (ne $canary.mode "none") }}
{{- if not .root.Values.httpRoute.enabled }}
{{- fail (printf "%s.mode: needs httpRoute.enabled, whose weights split the requests" $path) }}
{{- end }}
{{- if eq $canary.controller "flagger" }}
{{- fail (printf "%s.controller: flagger would make a second route to the gateway" $path) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Backends of a route by track. Arguments: stable, canary, port, weights of both as JSON. */}}
{{- define "fairlead.weightedBackends" -}}
{{- $weights := .weights | fromJson }}
{{- range $track := list "stable" "canary" }}
- name: {{ index $ $track | quote }}
  port: {{ $.port }}
  weight: {{ index $weights $track }}
{{- end }}
{{- end }}

{{/*
Weights of a route as JSON: with mode `route`, those that an existing route has, so that an upgrade does not take them back; otherwise
those of the values. Arguments: root, service, kind and name of the route.
*/}}
{{- define "fairlead.weights" -}}
{{- $canary := .service.canary }}
{{- $weights := dict "stable" (sub 100 (int $canary.weight)) "canary" (int $canary.weight) }}
{{- if eq $canary.mode "route" }}
{{- $live := lookup "gateway.networking.k8s.io/v1" .kind .root.Release.Namespace .name }}
{{- range $rule := dig "spec" "rules" (list) $live }}
{{- if eq (len (dig "backendRefs" (list) $rule)) 2 }}
{{- range $backend := $rule.backendRefs }}
{{- $_ := set $weights (ternary "canary" "stable" (hasSuffix "-canary" $backend.name)) (dig "weight" 1 $backend | int) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $weights }}
{{- end }}

{{/*
Label that Argo Rollouts has added to the selector of a Service: an upgrade that left it out would be refused, or send a track's calls to the
pods of both. Arguments: root, service, name of the Service.
*/}}
{{- define "fairlead.rolloutsHash" -}}
{{- if eq .service.canary.controller "argo-rollouts" }}
{{- $live := lookup "v1" "Service" .root.Release.Namespace .name }}
{{- with dig "spec" "selector" "rollouts-pod-template-hash" "" $live }}
rollouts-pod-template-hash: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Names of routes that the gateways obey, as JSON: a list by kind in lower case and plural. */}}
{{- define "fairlead.watchedRoutes" -}}
{{- $routes := dict }}
{{- with include "fairlead.canaryRules" . }}
{{- range $rule := (. | fromJson).services }}
{{- if eq $rule.mode "route" }}
{{- $resource := printf "%ss" (lower $rule.route.kind) }}
{{- $_ := set $routes $resource (append (index $routes $resource | default list) $rule.route.name) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $routes }}
{{- end }}
