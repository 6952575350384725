{{/* Spec of a service's pods. Arguments: root, name, service, facts, track, component, hasSandboxCrm. */}}
{{- define "fairlead.pod" -}}
{{- $service := .service -}}
serviceAccountName: {{ include "fairlead.serviceAccountName" . }}
automountServiceAccountToken: {{ include "fairlead.roleRules" . | trim | empty | not }}
# A variable for each Service of the namespace would only slow the start.
enableServiceLinks: false
terminationGracePeriodSeconds: {{ include "fairlead.terminationSeconds" . }}
securityContext:
  {{- toYaml $service.podSecurityContext | nindent 2 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $service.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $service.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with $service.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $service.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $service.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $service.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  -
    {{- toYaml . | nindent 4 }}
    labelSelector:
      matchLabels:
        {{- include "fairlead.selector" (dict "root" $.root "component" $.component) | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- with $service.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ .name }}
    image: {{ include "fairlead.image" (dict "root" .root "image" $service.image) | quote }}
    imagePullPolicy: {{ $service.image.pullPolicy }}
    securityContext:
      {{- toYaml $service.securityContext | nindent 6 }}
    env:
      {{- include "fairlead.environment" . | trim | nindent 6 }}
    {{- with $service.envFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    ports:
      {{- range include "fairlead.ports" . | fromYamlArray }}
      - name: {{ .name }}
        containerPort: {{ .port }}
      {{- end }}
    {{- range $kind := list "startup" "readiness" "liveness" }}
    {{ $kind }}Probe:
      {{- if eq $.name "gateway" }}
      httpGet:
        path: {{ ternary "/readyz" "/healthz" (eq $kind "readiness") }}
        port: http
      {{- else }}
      grpc:
        port: 8081
      {{- end }}
      {{- toYaml (index $service.probes $kind) | nindent 6 }}
    {{- end }}
    {{- with $service.shutdown.preStopSeconds }}
    lifecycle:
      preStop:
        sleep:
          seconds: {{ . }}
    {{- end }}
    resources:
      {{- toYaml $service.resources | nindent 6 }}
    volumeMounts:
      - name: secrets
        mountPath: /etc/fairlead/secrets
        readOnly: true
      - name: tmp
        mountPath: /tmp
      # A folder: a single file in it would not follow the ConfigMap.
      - name: canary
        mountPath: /etc/fairlead/canary
        readOnly: true
      {{- with $service.volumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  {{- with $service.containers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: secrets
    secret:
      secretName: {{ include "fairlead.secretName" . }}
      # 0440
      defaultMode: 288
  - name: tmp
    emptyDir:
      sizeLimit: {{ $service.tmpSizeLimit }}
  - name: canary
    configMap:
      name: {{ include "fairlead.canaryConfigMap" .root }}
  {{- with $service.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
