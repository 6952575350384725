import type { CallOptions, VendorCall } from '@fairlead/connector-runtime/call';
import { testContext } from '@fairlead/service-kit/testing/context';
import { fastTimers } from '@fairlead/service-kit/testing/due-jobs';
import { expect, test } from 'vitest';
import { authenticationMethod, connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { listenToUpstream } from './listen-to-upstream.ts';

/** Listens to two resources of a server behind connection 7. */
function listening(o: { readonly kind?: 'MCPClient' | 'Regular'; readonly uris?: readonly string[] } = {}) {
  const { kind = 'MCPClient', uris = ['x://1', 'x://2'] } = o;
  const left = new AbortController();
  const stop = new AbortController();
  const ctx = { ...testContext(), signal: left.signal };
  const calls: { readonly call: VendorCall; readonly options: CallOptions; readonly end: () => void }[] = [];
  const head = connectorHead({ kind, authenticationMethods: [authenticationMethod()] });
  const readAgain: unknown[] = [];
  const deps = {
    catalog: catalogOf(toolDefinition(), head),
    connections: {
      ...connectionsOf(connection({ id: 7, applicationSlug: head.slug }), {
        kind: 'credential',
        credential: { version: 1, fields: {}, secrets: [] },
      }),
      readToolsAgain(_ctx: unknown, of: unknown) {
        readAgain.push(of);
        return Promise.resolve(true);
      },
    },
    listeners: {
      execute: (call: VendorCall, options: CallOptions) =>
        new Promise<void>((resolve) => {
          calls.push({ call, options, end: resolve });
        }),
    },
    timers: fastTimers,
    stopping: stop.signal,
  };
  return { changes: listenToUpstream(deps, ctx, 7, uris), calls, readAgain, left, stop };
}

const updated = (uri: string) => ['notifications/resources/updated', { uri }] as const;

test('changes of the resources come once, with those of lists', async () => {
  const { changes, calls, readAgain, left } = listening();
  const first = changes.next();
  await expect.poll(() => calls).toHaveLength(1);
  const { client } = calls[0]?.options ?? {};
  expect(client).toMatchObject({ principal: undefined, wantsChanges: true });
  for (const uri of ['x://3', 'x://2', 'x://2']) client?.notify(...updated(uri));
  client?.notify('notifications/tools/list_changed', {});
  expect((await first).value).toEqual({ uris: ['x://2'], haveListsChanged: true });
  expect(readAgain).toEqual([{ connectionId: 7, isAnnounced: true }]);
  left.abort();
  expect((await changes.next()).done).toBe(true);
});

test('a call that ends is made again, and all resources may have changed', async () => {
  const { changes, calls, left } = listening();
  const first = changes.next();
  await expect.poll(() => calls).toHaveLength(1);
  calls[0]?.end();
  expect((await first).value).toEqual({ uris: ['x://1', 'x://2'], haveListsChanged: false });
  await expect.poll(() => calls).toHaveLength(2);
  left.abort();
});

test('too many resources, and anything but an MCP server, are refused', async () => {
  const uris = Array.from({ length: 101 }, (_uri, at) => `x://${at}`);
  await expect(listening({ uris }).changes.next()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(listening({ kind: 'Regular' }).changes.next()).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test('a service that stops ends the changes', async () => {
  const { changes, calls, stop } = listening();
  const first = changes.next();
  await expect.poll(() => calls).toHaveLength(1);
  stop.abort();
  expect((await first).done).toBe(true);
  expect(calls[0]?.options.signal.aborted).toBe(true);
});
