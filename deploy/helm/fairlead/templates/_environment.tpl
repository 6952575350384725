{{/* Variables of a service's container. Arguments: root, name, service, facts, track, hasSandboxCrm. */}}
{{- define "fairlead.environment" -}}
{{- $values := .root.Values }}
{{- $variables := dict
      "SERVICE" .name
      "HOST" "0.0.0.0"
      "PORT" "8080"
      "GRPC_PORT" "8081"
      "ADMIN_PORT" "9090"
      "RPC_PORT" "8082"
      "NODE_ENV" "production"
      "CATALOGUE_PATH" "/app/catalogue.json"
      "CANARY_RULES" "/etc/fairlead/canary"
      "PUBLIC_URL" $values.publicUrl
      "RPC_TRANSPORT" $values.rpcTransport
      "SHUTDOWN_GRACE_MS" (mul (int .service.shutdown.graceSeconds) 1000 | toString) }}
{{- if eq .track "canary" }}
{{- $_ := set $variables "TRACK" "canary" }}
{{- end }}
{{- range $key, $value := $variables }}
{{- if not (or (eq $key "SERVICE") (has $key $.facts.variables)) }}
{{- $_ := unset $variables $key }}
{{- end }}
{{- end }}
{{- range $key, $peer := .facts.rpcAddresses }}
{{- $port := ternary "8081" (ternary "8082" "8080" (eq $peer "gateway")) (eq $values.rpcTransport "grpc") }}
{{- $_ := set $variables $key (include "fairlead.address" (dict "root" $.root "peer" $peer "port" $port)) }}
{{- end }}
{{- range $key, $peer := .facts.httpAddresses }}
{{- $_ := set $variables $key (include "fairlead.address" (dict "root" $.root "peer" $peer "port" "8080")) }}
{{- end }}
{{- range $key := concat .facts.secrets (.service.secretVariables | default list) | uniq }}
{{- $_ := set $variables (printf "%s_FILE" $key) (printf "/etc/fairlead/secrets/%s" $key) }}
{{- end }}
{{- range $key, $value := .service.settings }}
{{- $_ := set $variables $key (include "fairlead.text" $value) }}
{{- end }}
{{- if .hasSandboxCrm }}
{{- $variables = mergeOverwrite $variables (include "fairlead.sandboxCrmSettings" (dict "root" .root "facts" .facts "settings" .service.settings) | fromYaml) }}
{{- end }}
{{- $seen := dict }}
{{- range .service.env }}
{{- $variable := trimSuffix "_FILE" .name }}
{{- if or (hasKey $variables $variable) (hasKey $variables (printf "%s_FILE" $variable)) (eq .name "POD_IP") }}
{{- fail (printf "services.%s.env: the chart sets %s" $.name $variable) }}
{{- else if hasKey $seen .name }}
{{- fail (printf "services.%s.env: %s is there twice" $.name .name) }}
{{- else if and (has .name $.facts.variables) (hasKey . "value") }}
{{- fail (printf "services.%s.env: %s belongs in `settings`, or in the Secret" $.name .name) }}
{{- end }}
{{- $_ := set $seen .name true }}
{{- end }}
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
{{- range $key, $value := $variables }}
- name: {{ $key }}
  value: {{ $value | quote }}
{{- end }}
{{- if and .hasSandboxCrm (has "CONNECTOR_OAUTH_CLIENTS" .facts.optionalSecrets) (not (hasKey $variables "CONNECTOR_OAUTH_CLIENTS_FILE")) (not (hasKey $seen "CONNECTOR_OAUTH_CLIENTS")) }}
# Not a file, because a Secret of an installation that had no sample vendor lacks it.
- name: CONNECTOR_OAUTH_CLIENTS
  valueFrom:
    secretKeyRef:
      name: {{ include "fairlead.secretName" . }}
      key: CONNECTOR_OAUTH_CLIENTS
      optional: true
{{- end }}
{{- if and .service.nodeOptions (not (hasKey $seen "NODE_OPTIONS")) }}
- name: NODE_OPTIONS
  value: {{ .service.nodeOptions | quote }}
{{- end }}
{{- with .service.env }}
{{ toYaml . }}
{{- end }}
{{- end }}
