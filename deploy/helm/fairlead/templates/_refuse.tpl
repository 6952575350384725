{{/* Fails on settings that a release must not have. Arguments: root, name, service. */}}
{{- define "fairlead.refuse" -}}
{{- $path := printf "services.%s" .name }}
{{- $allowed := index .service.settings "EGRESS_ALLOW" | default "" }}
{{- range splitList "," $allowed }}
{{- if regexMatch "^\\s*(\\[?::1\\]?|localhost|127\\.|0\\.0\\.0\\.0|\\[?::(/0|\\]?(:|$)))" . }}
{{- fail (printf "%s.settings.EGRESS_ALLOW: %s would open loopback, which only `npm start` does" $path .) }}
{{- end }}
{{- end }}
{{- if eq .root.Values.profile "production" }}
{{- if not (hasPrefix "https://" .root.Values.publicUrl) }}
{{- fail "publicUrl: must start with https:// in profile production" }}
{{- end }}
{{- if hasPrefix "http://" (index .service.settings "UPSTREAM_OIDC_ISSUER" | default "") }}
{{- fail (printf "%s.settings.UPSTREAM_OIDC_ISSUER: must start with https:// in profile production" $path) }}
{{- end }}
{{- if contains "sandbox-crm" (index .service.settings "CONNECTOR_SETTINGS" | default "") }}
{{- fail (printf "%s.settings.CONNECTOR_SETTINGS: sandbox-crm is only for tests and evaluations" $path) }}
{{- end }}
{{- end }}
{{- end }}
