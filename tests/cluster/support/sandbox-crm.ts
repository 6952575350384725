import { randomBytes } from 'node:crypto';

const PORT = 4010;
const LABELS = { app: 'sandbox-crm' };

/** New keys of the sample vendor. */
export function sandboxCrmSecret(): object {
  const key = (): string => randomBytes(16).toString('hex');
  const names = ['API_TOKEN', 'ADMIN_KEY', 'USER_PASSWORD', 'CLIENT_SECRET'];
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sandbox-crm' },
    stringData: Object.fromEntries(names.map((name) => [name, key()])),
  };
}

/** The sample vendor as a pod with the product's image, and a Service. Its keys are in the Secret `sandbox-crm`. */
export function sandboxCrmObjects(image: string): readonly object[] {
  const environment = {
    SERVICE: 'sandbox-crm',
    HOST: '0.0.0.0',
    PORT: String(PORT),
    USER_EMAIL: 'owner@sandbox.example',
    OAUTH_CLIENTS: JSON.stringify([
      {
        clientId: 'fairlead',
        clientSecret: '$(CLIENT_SECRET)',
        redirectUris: ['http://localhost/connect/callback'],
      },
    ]),
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'sandbox-crm' },
      spec: {
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS },
          spec: {
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                name: 'sandbox-crm',
                image,
                // First, because another object refers to it.
                envFrom: [{ secretRef: { name: 'sandbox-crm' } }],
                env: Object.entries(environment).map(([name, value]) => ({ name, value })),
                ports: [{ containerPort: PORT }],
                readinessProbe: { httpGet: { path: '/healthz', port: PORT }, periodSeconds: 2 },
                resources: { limits: { memory: '384Mi' } },
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'sandbox-crm' },
      spec: { selector: LABELS, ports: [{ port: PORT }] },
    },
  ];
}
