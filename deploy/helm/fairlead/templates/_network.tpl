{{/* Pods of a component as the only peer of a rule. Arguments: root, component. */}}
{{- define "fairlead.podPeer" -}}
- podSelector:
    matchLabels:
      {{- include "fairlead.selector" . | nindent 6 }}
{{- end }}

{{/* Pods of several components as the peers of a rule. Arguments: root, components. */}}
{{- define "fairlead.podPeers" -}}
{{- $peers := list }}
{{- range .components }}
{{- $peers = append $peers (include "fairlead.podPeer" (dict "root" $.root "component" .)) }}
{{- end }}
{{- join "\n" $peers }}
{{- end }}

{{/* Ports of a rule, from a list of numbers. */}}
{{- define "fairlead.tcpPorts" -}}
{{- range . }}
- port: {{ . }}
  protocol: TCP
{{- end }}
{{- end }}

{{/* Ports on which other services call the one of that name. */}}
{{- define "fairlead.callPorts" -}}
- {{ ternary 8082 8080 (eq . "gateway") }}
- 8081
{{- end }}

{{- define "fairlead.dnsRule" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dnsPorts }}
    - port: {{ . }}
      protocol: UDP
    - port: {{ . }}
      protocol: TCP
    {{- end }}
{{- end }}

{{/* Rules of the Role of a service; nothing for a service that does not call the API server. Arguments: root, name, facts. */}}
{{- define "fairlead.roleRules" -}}
{{- if and (eq .root.Values.discovery "kubernetes") .facts.rpcAddresses }}
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
{{- end }}
{{- if eq .name "gateway" }}
{{- range $resource, $names := include "fairlead.watchedRoutes" .root | fromJson }}
- apiGroups: [gateway.networking.k8s.io]
  resources: [{{ $resource }}]
  resourceNames: {{ toJson $names }}
  verbs: [get, list, watch]
- apiGroups: [gateway.networking.k8s.io]
  resources: [{{ $resource }}/status]
  resourceNames: {{ toJson $names }}
  verbs: [patch]
{{- end }}
{{- end }}
{{- end }}

{{- define "fairlead.apiServerRule" -}}
- ports:
    {{- include "fairlead.tcpPorts" .Values.networkPolicy.apiServerPorts | nindent 4 }}
  {{- with .Values.networkPolicy.apiServer }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* Egress to a store: the release's own one, otherwise yours. Arguments: root, store. */}}
{{- define "fairlead.storeRule" -}}
{{- $policy := .root.Values.networkPolicy }}
{{- if include "fairlead.hasStore" . -}}
- ports:
    {{- include "fairlead.tcpPorts" (list (ternary 27017 4222 (eq .store "mongodb"))) | nindent 4 }}
  to:
    {{- include "fairlead.podPeer" (dict "root" .root "component" .store) | nindent 4 }}
{{- else -}}
- ports:
    {{- include "fairlead.tcpPorts" (index $policy (printf "%sPorts" .store)) | nindent 4 }}
  {{- with index $policy .store }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
