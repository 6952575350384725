{{/*
Name of the object that compares a service's tracks: a CronJob, an AnalysisTemplate of Argo Rollouts, or nothing. Of the gateway, no
metric of a caller tells the tracks apart; Flagger has an analysis of its own. Arguments: name, service.
*/}}
{{- define "fairlead.analysisKind" -}}
{{- $canary := .service.canary }}
{{- if and (include "fairlead.hasCanary" .service) $canary.analysis.enabled (ne .name "gateway") (ne $canary.controller "flagger") -}}
{{ ternary "AnalysisTemplate" "CronJob" (eq $canary.controller "argo-rollouts") }}
{{- end }}
{{- end }}

{{/* Names of the services whose tracks are compared, as a JSON list. They may be in other releases. */}}
{{- define "fairlead.analysed" -}}
{{- $names := list }}
{{- range $name, $facts := include "fairlead.facts" . | fromJson }}
{{- $service := include "fairlead.service" (dict "root" $ "name" $name) | fromJson }}
{{- if include "fairlead.analysisKind" (dict "name" $name "service" $service) }}{{ $names = append $names $name }}{{ end }}
{{- end }}
{{- toJson $names }}
{{- end }}

{{/* Addresses of the metrics of a service's callers, separated by commas. Arguments: root, name. */}}
{{- define "fairlead.callerMetrics" -}}
{{- $addresses := list }}
{{- range $caller, $facts := include "fairlead.facts" .root | fromJson }}
{{- if has $.name $facts.calls }}
{{- $service := include "fairlead.service" (dict "root" $.root "name" $caller) | fromJson }}
{{- $components := ternary (list $caller (printf "%s-canary" $caller)) (list $caller) (ne $service.canary.mode "none") }}
{{- range $component := $components }}
{{- $host := include "fairlead.serviceName" (dict "root" $.root "name" $component) }}
{{- $addresses = append $addresses (printf "dns:///%s.%s:9090" $host (include "fairlead.domain" $.root)) }}
{{- end }}
{{- end }}
{{- end }}
{{- join "," $addresses }}
{{- end }}

{{/* Spec of a Job that compares the tracks of a service. Arguments: root, name, service. */}}
{{- define "fairlead.analysisJob" -}}
{{- $root := .root }}
{{- $analysis := .service.canary.analysis }}
{{- $gateway := include "fairlead.service" (dict "root" $root "name" "gateway") | fromJson }}
{{- $aborts := eq (include "fairlead.analysisKind" .) "CronJob" }}
backoffLimit: 0
activeDeadlineSeconds: {{ add (int $analysis.seconds) 120 }}
template:
  metadata:
    labels:
      {{- include "fairlead.podLabels" (dict "root" $root "component" "canary-analysis") | nindent 6 }}
  spec:
    {{- include "fairlead.toolPod" $root | nindent 4 }}
    automountServiceAccountToken: false
    restartPolicy: Never
    containers:
      - name: analysis
        args:
          - canary
          - analyse
          - {{ .name }}
          - --callers={{ include "fairlead.callerMetrics" . }}
          - --seconds={{ include "fairlead.text" $analysis.seconds }}
          - --max-error-difference={{ include "fairlead.text" $analysis.maxErrorDifference }}
          - --max-latency-ratio={{ include "fairlead.text" $analysis.maxLatencyRatio }}
          - --min-calls={{ include "fairlead.text" $analysis.minCalls }}
          {{- if $aborts }}
          - --abort
          # An hour with few calls is no failed Job.
          - --allow-few-calls
          - --url=http://{{ include "fairlead.fullname" $root }}.{{ include "fairlead.domain" $root }}:{{ $root.Values.gatewayService.port }}
        env:
          - name: FAIRLEAD_OPERATOR_KEY_FILE
            value: /etc/fairlead/secrets/OPERATOR_KEY
          {{- end }}
        {{- include "fairlead.toolContainer" (dict "root" $root) | nindent 8 }}
        {{- if $aborts }}
        volumeMounts:
          - name: secrets
            mountPath: /etc/fairlead/secrets
            readOnly: true
    volumes:
      - name: secrets
        secret:
          secretName: {{ include "fairlead.secretName" (dict "root" $root "name" "gateway" "service" $gateway) }}
          # 0440
          defaultMode: 288
          items:
            - key: OPERATOR_KEY
              path: OPERATOR_KEY
        {{- end }}
{{- end }}
