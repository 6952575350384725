import type { FollowEnd, FollowServer } from '@fairlead/connector-runtime/mcp/change-stream';
import { testContext } from '@fairlead/service-kit/testing/context';
import { fastTimers } from '@fairlead/service-kit/testing/due-jobs';
import { expect, test } from 'vitest';
import { authenticationMethod, connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { listenToUpstream } from './listen-to-upstream.ts';

/** Listens to two resources of the server of connection 7. */
function listening(
  o: {
    readonly kind?: 'MCPClient' | 'Regular';
    readonly uris?: readonly string[];
    /** Number of attempts to open a session that fail. */
    readonly failures?: number;
  } = {},
) {
  const { kind = 'MCPClient', uris = ['x://1', 'x://2'] } = o;
  let { failures = 0 } = o;
  const left = new AbortController();
  const stop = new AbortController();
  const ctx = { ...testContext(), signal: left.signal };
  const sessions: {
    readonly options: Parameters<FollowServer>[1];
    readonly end: (end: FollowEnd) => void;
  }[] = [];
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
      addNeededScopes: () => Promise.resolve(),
    },
    followServer: (_owner: unknown, options: Parameters<FollowServer>[1]) =>
      new Promise<FollowEnd>((resolve, reject) => {
        if (failures > 0) {
          failures -= 1;
          return reject(new Error('away'));
        }
        options.onOpen();
        sessions.push({ options, end: resolve });
      }),
    timers: fastTimers,
    stopping: stop.signal,
  };
  return { changes: listenToUpstream(deps, ctx, 7, uris), sessions, readAgain, left, stop };
}

const updated = (uri: string) => ['notifications/resources/updated', { uri }] as const;

test('changes of the resources come once, with those of lists', async () => {
  const { changes, sessions, readAgain, left } = listening();
  const first = changes.next();
  await expect.poll(() => sessions).toHaveLength(1);
  const { options } = sessions[0] ?? {};
  for (const uri of ['x://3', 'x://2', 'x://2']) options?.notify(...updated(uri));
  options?.notify('notifications/tools/list_changed', {});
  expect((await first).value).toEqual({ uris: ['x://2'], haveListsChanged: true });
  expect(readAgain).toEqual([{ connectionId: 7, isAnnounced: true }]);
  left.abort();
  expect((await changes.next()).done).toBe(true);
});

test('a session that ends is opened again, and everything may have changed', async () => {
  const { changes, sessions, readAgain, left } = listening();
  const first = changes.next();
  await expect.poll(() => sessions).toHaveLength(1);
  sessions[0]?.end('ended');
  expect((await first).value).toEqual({ uris: ['x://1', 'x://2'], haveListsChanged: true });
  expect(sessions).toHaveLength(2);
  expect(readAgain).toEqual([{ connectionId: 7, isAnnounced: true }]);
  left.abort();
});

test('everything may have changed before a server that was away is followed', async () => {
  const { changes, sessions, readAgain, left } = listening({ failures: 1 });
  expect((await changes.next()).value).toEqual({ uris: ['x://1', 'x://2'], haveListsChanged: true });
  expect([sessions.length, readAgain.length]).toEqual([1, 1]);
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
  const { changes, sessions, stop } = listening();
  const first = changes.next();
  await expect.poll(() => sessions).toHaveLength(1);
  stop.abort();
  expect((await first).done).toBe(true);
  expect(sessions[0]?.options.signal.aborted).toBe(true);
});
