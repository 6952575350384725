import type { Secrets } from '@fairlead/instance-secrets/secrets';
import { z } from 'zod';
import type { ApiAnswer, KubernetesApi } from './kubernetes-api.ts';
import { secretManifests, variablesByProgram } from './secret-manifests.ts';
import type { Installation, SecretManifest } from './secret-manifests.ts';

const storedSecret = z.object({ data: z.record(z.string(), z.string()).default({}) });
const failure = z.object({ message: z.string() });

/**
 * Creates the missing Secrets of an installation; existing ones are never changed. New ones get the CALLER_CONTEXT_KEYS of existing ones,
 * because services verify each other's signatures. Reports each Secret by a line.
 */
export async function createMissingSecrets(
  api: KubernetesApi,
  o: {
    readonly secrets: Secrets;
    readonly release: string;
    readonly installation: Installation;
    readonly report: (line: string) => void;
  },
): Promise<void> {
  const path = `/api/v1/namespaces/${encodeURIComponent(api.namespace)}/secrets`;
  const manifestsWith = (secrets: Secrets): readonly SecretManifest[] =>
    secretManifests(variablesByProgram(secrets, o.installation), {
      release: o.release,
      namespace: api.namespace,
    });
  const missing = new Set<string>();
  let callerContextKeys: string | undefined;
  for (const { metadata } of manifestsWith(o.secrets)) {
    const answer = await api.call('GET', `${path}/${encodeURIComponent(metadata.name)}`);
    if (answer.status === 404) missing.add(metadata.name);
    else {
      const { data } = storedSecret.parse(requireStatus(answer, 200, `reading ${metadata.name}`));
      callerContextKeys ??= decoded(data['CALLER_CONTEXT_KEYS']);
      o.report(`${metadata.name} exists`);
    }
  }
  const secrets = { ...o.secrets, ...(callerContextKeys === undefined ? {} : { callerContextKeys }) };
  for (const manifest of manifestsWith(secrets)) {
    if (!missing.has(manifest.metadata.name)) continue;
    requireStatus(await api.call('POST', path, manifest), 201, `creating ${manifest.metadata.name}`);
    o.report(`${manifest.metadata.name} created`);
  }
}

function decoded(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString();
}

function requireStatus({ status, body }: ApiAnswer, expected: number, action: string): unknown {
  if (status === expected) return body;
  const { data } = failure.safeParse(body);
  throw new Error(`${action} failed: the API server returned ${String(status)} ${data?.message ?? ''}`);
}
