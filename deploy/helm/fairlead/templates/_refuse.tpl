{{/* Loopback, networks of IPv4 so wide that it may be in them, and the unspecified address, which is loopback, too. */}}
{{- define "fairlead.loopback" -}}
(?i)^((.*\.)?localhost\.?|127\..*|0\..*|[0-9.]+/[0-7]|\[?[0:]*:[01]?\]?(/[0-9]+)?|\[?[0:]*:ffff:(127\.|0\.|7f|0*:|[^/]*/).*)(:[0-9]+)?$
{{- end }}

{{/* Fails on settings that a release must not have. Arguments: root, name, service. */}}
{{- define "fairlead.refuse" -}}
{{- $path := printf "services.%s" .name }}
{{- range splitList "," (index .service.settings "EGRESS_ALLOW" | default "" | toString) }}
{{- if regexMatch (include "fairlead.loopback" $) (trim .) }}
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
