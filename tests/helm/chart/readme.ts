import { documentedSections } from './documented-keys.ts';
import type { DocumentedKey, DocumentedSection } from './documented-keys.ts';

const INTRODUCTION = `# Fairlead on Kubernetes

\`npm run generate\` writes this page from \`values.yaml\`.

## Try it

\`\`\`sh
helm install fairlead deploy/helm/fairlead --wait --timeout 10m
helm test fairlead
kubectl port-forward service/fairlead 8080:80
\`\`\`

This is \`profile: evaluation\`. MongoDB and NATS run in the release, and a Job creates the Secrets once. Helm's notes say how to read the keys of the operator and of the sample CRM, and what an uninstall leaves. The chart needs Kubernetes 1.30 and Helm 3.17 or 4.1.

## Production

1. Set \`profile: production\` and an https \`publicUrl\`. The chart then has no stores and creates no Secrets.
2. Print the Secrets with \`fairlead init-secrets\`, keep them in your secret store, and create them in the namespace: one for each service, named \`<fullname>-<service>\`. Each variable is a key. The pods mount them as files. No render contains a random value, so that Argo CD and \`helm template | kubectl apply\` are safe.
3. Choose \`httpRoute\` or \`ingress\`, \`autoscaling\` or \`keda\`, and \`metrics\`. [production-values.yaml](ci/production-values.yaml) shows all of them.

Pods do not restart when a Secret changes. After a rotation, run \`kubectl rollout restart deployment --selector app.kubernetes.io/part-of=<fullname>\`.

## One service per release

Releases of single services share \`fullnameOverride\`, a namespace and their Secrets. Set \`defaults.enabled: false\` and enable one service in each release: [an example](ci/one-service-delivery-values.yaml).

## Network

Each service reaches only the services that it calls, its stores, DNS and, with \`discovery: kubernetes\`, the API server. Services that call applications also reach all public addresses. A private address of yours needs two settings: a rule in \`services.<name>.networkPolicy.egress\`, and its address in \`services.<name>.settings.EGRESS_ALLOW\`. Programs outside the release may call the gRPC port 8081 of a service if \`services.<name>.networkPolicy.from\` lists them; they need a caller context.

## Values
`;

/** The text of the chart's `README.md`, before prettier. */
export function readmeFile(): string {
  const sections = documentedSections();
  const plain = sections.filter(isPlain);
  const others = sections.filter((section) => !isPlain(section));
  return [
    INTRODUCTION,
    table(plain.flatMap(({ keys }) => keys)),
    ...others.map(({ name, description, keys }) => `### \`${name}\`\n\n${description}\n\n${table(keys)}`),
  ].join('\n');
}

/** Whether the section is a single key. */
function isPlain({ keys }: DocumentedSection): boolean {
  return keys[0]?.path.length === 1;
}

function table(keys: readonly DocumentedKey[]): string {
  const rows = keys.map(
    ({ path, value, description }) =>
      `| \`${path.join('.')}\` | ${code(JSON.stringify(value))} | ${cell(description)} |`,
  );
  return ['| key | default | effect |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function code(text: string): string {
  const short = text.length > 80 ? 'see values.yaml' : `\`${text}\``;
  return cell(short);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
