import { TokenError } from '@fairlead/connector-runtime/token-client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { DiscoveredServer } from '../domain/mcp-sign-in.ts';
import { providerMethodClient } from '../domain/oauth-client.ts';
import {
  heldProviders,
  openedProvider,
  OWNER,
  providerMethod,
  registeredClients,
  discoveredServer,
} from '../testing/builders.ts';
import { recordClientRefusal } from './record-client-refusal.ts';

const ctx = testContext(OWNER);
const refusal = new TokenError('refused', 'wrong secret provider-s3cr3t', { code: 'invalid_client' });

function record(
  o: {
    readonly isOwn?: boolean;
    readonly lastError?: string | null;
    readonly server?: DiscoveredServer;
    /** Gets the number of errors written before. */
    readonly store?: (errorsWritten: number) => Promise<void>;
  },
  request: () => Promise<string>,
) {
  const authProviders = heldProviders();
  const clients = registeredClients();
  const opened = openedProvider({ lastError: o.lastError ?? null });
  const held = providerMethodClient(providerMethod(), opened);
  const client = o.isOwn === true ? { ...held, authProviderId: 0 } : held;
  const result = recordClientRefusal(
    { authProviders, registeredClients: clients },
    ctx,
    {
      ...OWNER,
      client,
      server: o.server ?? null,
      secrets: client.secrets,
      store: () => o.store?.(authProviders.errors.length) ?? Promise.resolve(),
    },
    request,
  );
  return { errors: authProviders.errors, forgotten: clients.forgotten, result };
}

test('a refused client is recorded in the vendor’s words, its secret masked, and the refusal goes on', async () => {
  const { errors, result } = record({}, () => Promise.reject(refusal));
  await expect(result).rejects.toBe(refusal);
  expect(errors).toEqual(['wrong secret ***']);
});

test('an accepted client loses its error; without one nothing is written', async () => {
  for (const [lastError, written] of [
    ['wrong', [null]],
    [null, []],
  ] as const) {
    const { errors, result } = record({ lastError }, () => Promise.resolve('granted'));
    expect(await result).toBe('granted');
    expect(errors).toEqual(written);
  }
});

test('what was granted is stored before the error of its client is removed, which stays if that fails', async () => {
  const seen: number[] = [];
  const store = (errorsWritten: number): Promise<void> => {
    seen.push(errorsWritten);
    return Promise.resolve();
  };
  const stored = record({ lastError: 'wrong', store }, () => Promise.resolve('granted'));
  await stored.result;
  expect([seen, stored.errors]).toEqual([[0], [null]]);
  const down = new Error('down');
  const lost = record({ lastError: 'wrong', store: () => Promise.reject(down) }, () =>
    Promise.resolve('granted'),
  );
  await expect(lost.result).rejects.toBe(down);
  expect(lost.errors).toEqual([]);
});

test.each([
  ['a refused grant', {}, new TokenError('refused', 'no', { code: 'invalid_grant' })],
  ['an unreachable vendor', {}, new TokenError('unavailable', 'down')],
  ['the connector’s own client', { isOwn: true }, refusal],
])('%s says nothing of a provider', async (_what, o, error) => {
  const { errors, result } = record(o, () => Promise.reject(error));
  await expect(result).rejects.toBe(error);
  expect(errors).toEqual([]);
});

test('a client that was registered is forgotten once its server refuses it, and not before', async () => {
  const server = discoveredServer({ clientId: 'registered' });
  const refused = record({ isOwn: true, server }, () => Promise.reject(refusal));
  await expect(refused.result).rejects.toBe(refusal);
  expect(refused.forgotten).toEqual(['registered']);
  const accepted = record({ isOwn: true, server }, () => Promise.resolve('granted'));
  await accepted.result;
  expect(accepted.forgotten).toEqual([]);
});
