import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { CredentialResult } from '../../ports/connections.ts';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { startedCall } from '../../testing/started-calls.ts';
import { catalogOf, connection, connectionsOf, maskingInPlace } from '../../testing/tool-calls.ts';
import { toolset } from '../../testing/toolsets.ts';
import { previewCall } from './preview-call.ts';

const SECRET = 'secret-of-the-connection';
const OPENED: CredentialResult = {
  kind: 'credential',
  credential: { version: 1, fields: {}, secrets: [SECRET] },
};

/** Previews a toolset's call; the stored toolset may have changed. */
function preview(credential = OPENED, stored = toolset()) {
  const deps = {
    catalog: catalogOf(toolDefinition(), connectorHead()),
    connections: connectionsOf(connection(), credential),
    runtime: {
      execute: () => Promise.reject(new Error('A dry run sends nothing.')),
      preview: () => ({
        type: 'http' as const,
        method: 'GET',
        url: `https://${SECRET}`,
        headers: {},
        body: null,
      }),
    },
    toolsets: { find: () => Promise.resolve(stored) },
    callers: { requireCurrent: () => Promise.resolve() },
    outputMasker: maskingInPlace,
    clock: systemClock,
  };
  const { target, ...started } = startedCall({ readAt: systemClock.now() });
  return previewCall(deps, testContext(), { ...started, target: { ...target, toolset: toolset() } });
}

test('a dry run shows what would be sent, secrets masked, and has no row', async () => {
  expect(await preview()).toMatchObject({
    outcome: { isSuccess: true, output: { method: 'GET', url: 'https://***' } },
    historyId: undefined,
  });
});

test('a dry run without a credential says why', async () => {
  expect(await preview({ kind: 'none', errorMessage: 'Sign in again.' })).toMatchObject({
    outcome: { isSuccess: false, errorMessage: 'Sign in again.' },
  });
});

test('a dry run whose toolset has changed is checked anew', async () => {
  await expect(preview(OPENED, toolset({ tools: [] }))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
