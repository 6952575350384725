import { newSecrets } from '@fairlead/instance-secrets/secrets';
import { expect, it } from 'vitest';
import { createMissingSecrets } from './create-secrets.ts';
import type { KubernetesApi } from './kubernetes-api.ts';

const installation = { mongodbUri: 'mongodb://m', natsUrl: 'nats://n', sandboxCrmFor: undefined };

type Data = Readonly<Record<string, string>>;

/** A fake API server's Secrets of a namespace. */
function namespaceWith(
  stored: Map<string, Data>,
  refusal?: { status: number; message: string },
): KubernetesApi {
  return {
    namespace: 'ns',
    call(method, path, body) {
      if (method === 'GET') {
        const secret = stored.get(path.replace('/api/v1/namespaces/ns/secrets/', ''));
        return Promise.resolve(
          secret === undefined ? { status: 404, body: {} } : { status: 200, body: { data: encoded(secret) } },
        );
      }
      if (refusal !== undefined)
        return Promise.resolve({ status: refusal.status, body: { message: refusal.message } });
      const { metadata, stringData } = body as { metadata: { name: string }; stringData: Data };
      stored.set(metadata.name, stringData);
      return Promise.resolve({ status: 201, body: {} });
    },
  };
}

function encoded(secret: Data): Data {
  return Object.fromEntries(
    Object.entries(secret).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
}

async function create(api: KubernetesApi): Promise<string[]> {
  const lines: string[] = [];
  await createMissingSecrets(api, {
    secrets: newSecrets(),
    release: 'r',
    installation,
    report: (line) => lines.push(line),
  });
  return lines;
}

it('each service gets a Secret of its own, with one shared key and no other in common', async () => {
  const stored = new Map<string, Data>();
  expect(await create(namespaceWith(stored))).toHaveLength(9);
  const all = [...stored.values()];
  expect(new Set(all.map((data) => data['CALLER_CONTEXT_KEYS'])).size).toBe(1);
  const sealing = all.flatMap((data) => data['SEALING_KEYS'] ?? []);
  expect(new Set(sealing).size).toBe(7);
  expect(stored.get('r-tools')).toEqual({
    CALLER_CONTEXT_KEYS: all[0]?.['CALLER_CONTEXT_KEYS'],
    MONGODB_URI: 'mongodb://m',
    NATS_URL: 'nats://n',
  });
  expect(Object.keys(stored.get('r-gateway') ?? {})).toEqual(
    expect.arrayContaining(['AUDIT_KEYS', 'AUDIT_KEYED_SINCE', 'MCP_SESSION_KEYS', 'OPERATOR_KEY']),
  );
});

it('a Secret that exists is never changed', async () => {
  const stored = new Map<string, Data>();
  await create(namespaceWith(stored));
  const before = structuredClone(stored);
  expect(await create(namespaceWith(stored))).toContain('r-gateway exists');
  expect(stored).toEqual(before);
});

it('a Secret that is missing gets the shared key of the others', async () => {
  const stored = new Map<string, Data>();
  await create(namespaceWith(stored));
  const shared = stored.get('r-mcp')?.['CALLER_CONTEXT_KEYS'];
  stored.delete('r-gateway');
  expect(await create(namespaceWith(stored))).toContain('r-gateway created');
  expect(stored.get('r-gateway')?.['CALLER_CONTEXT_KEYS']).toBe(shared);
});

it('a refusal of the API server is the error', async () => {
  const api = namespaceWith(new Map(), { status: 403, message: 'secrets is forbidden' });
  await expect(create(api)).rejects.toThrow(
    'creating r-gateway failed: the API server returned 403 secrets is forbidden',
  );
});
