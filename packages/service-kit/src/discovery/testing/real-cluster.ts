import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { randomBase62 } from '../../ids.ts';
import type { ApiServer } from '../api-server.ts';

/** A namespace of a real cluster, with an account that may only list and watch EndpointSlices in it. */
export interface RealCluster {
  readonly api: ApiServer;
  readonly namespace: string;
  /** Sets the endpoints in a slice of that service. */
  readonly put: (service: string, hosts: readonly string[]) => Promise<void>;
}

const NAME = 'reader';
const config = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.url(), 'certificate-authority-data': z.base64() }) }),
  ]),
});

const run = promisify(execFile);

async function kubectl(...args: string[]): Promise<string> {
  return (await run('kubectl', args)).stdout;
}

async function apply(object: object): Promise<void> {
  const child = spawn('kubectl', ['apply', '-f', '-'], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(JSON.stringify(object));
  const [code] = (await once(child, 'exit')) as unknown[];
  if (code !== 0) throw new Error(`kubectl apply exited with ${String(code)}.`);
}

/** Creates a namespace in the cluster of KUBECONFIG; it is deleted after the test. */
export async function useRealCluster(): Promise<RealCluster> {
  const namespace = `fairlead-discovery-${randomBase62(8).toLowerCase()}`;
  const inNamespace = { namespace, name: NAME };
  onTestFinished(async () => void (await kubectl('delete', 'namespace', namespace, '--wait=false')));
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await apply({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inNamespace },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: inNamespace,
        rules: [{ apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: inNamespace,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: NAME },
        subjects: [{ kind: 'ServiceAccount', ...inNamespace }],
      },
    ],
  });
  const credentials = mkdtempSync(join(tmpdir(), 'service-account-'));
  writeFileSync(join(credentials, 'token'), await kubectl('create', 'token', NAME, '-n', namespace));
  const text = await kubectl('config', 'view', '--raw', '--minify', '-o', 'json');
  const [{ cluster }] = config.parse(JSON.parse(text)).clusters;
  writeFileSync(join(credentials, 'ca.crt'), Buffer.from(cluster['certificate-authority-data'], 'base64'));
  return {
    api: { url: cluster.server, credentials },
    namespace,
    put: (service, hosts) =>
      apply({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: `${service}-1`,
          namespace,
          labels: {
            'kubernetes.io/service-name': service,
            // The cluster's own controller ignores this slice.
            'endpointslice.kubernetes.io/managed-by': 'fairlead-test',
          },
        },
        addressType: 'IPv4',
        endpoints: hosts.map((host) => ({ addresses: [host], conditions: { ready: true } })),
        ports: [{ name: 'http', port: 8080 }],
      }),
  };
}
