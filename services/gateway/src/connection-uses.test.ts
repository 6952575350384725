import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { ConnectSessionService } from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { routeTable } from './routes/route-table.ts';
import { call, startEdge } from './testing/edge.ts';
import type { TestEdge } from './testing/edge.ts';
import { connectionMessage } from './testing/messages.ts';
import { startRemote } from './testing/remote.ts';

/** The only connection of the account that exists. */
const EXISTING = 1;
/** Another one, which was deleted, but is still used. */
const GONE = 2;

/** What each of the domains that use connections is asked, or answers: tools and triggers, here one server. */
const inEach = (...texts: readonly string[]): readonly string[] => [...texts, ...texts];

let done: string[] = [];
let uses: string[] = [];
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const remote = await startRemote((router) =>
    router
      .service(UseService, {
        listUses: () => ({ uses }),
        removeUses({ connectionIds }) {
          done.push(`remove ${connectionIds.join(' ')}`);
          return {};
        },
      })
      .service(ConnectionService, {
        getConnection({ id }) {
          if (id !== EXISTING) throw notFound('connection');
          return { connection: connectionMessage({ id }) };
        },
        deleteConnection({ id }) {
          if (id !== EXISTING) throw notFound('connection');
          done.push(`delete ${id}`);
          return {};
        },
      })
      .service(ConnectSessionService, { deleteEndUser: () => ({ connectionIds: [7, 8] }) }),
  );
  edge = await startEdge({ routes: routeTable, services: remote.services });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  done = [];
  uses = [];
});

describe('deleting a connection', () => {
  test('that nothing uses removes it, and then what came to use it meanwhile', async () => {
    expect((await call(edge, 'DELETE', `/v1/connections/${EXISTING}`)).status).toBe(204);
    expect(done).toEqual(['delete 1', ...inEach('remove 1')]);
  });

  test('that is in use is refused, naming the uses, unless it is forced', async () => {
    uses = ['toolset:a', 'toolset:b'];
    const refused = await call(edge, 'DELETE', `/v1/connections/${EXISTING}`);
    expect([refused.status, refused.body['errorCode']]).toEqual([409, 'CONNECTION_IN_USE']);
    expect(refused.body['candidates']).toEqual(inEach(...uses));
    expect(done).toEqual([]);
    expect((await call(edge, 'DELETE', `/v1/connections/${EXISTING}?force=true`)).status).toBe(204);
    expect(done).toEqual(['delete 1', ...inEach('remove 1')]);
  });

  test('that is gone is 404, in use or not, and a forced one removes what is left of it', async () => {
    uses = ['toolset:a'];
    expect((await call(edge, 'DELETE', `/v1/connections/${GONE}`)).status).toBe(404);
    expect(done).toEqual([]);
    expect((await call(edge, 'DELETE', `/v1/connections/${GONE}?force=true`)).status).toBe(404);
    expect(done).toEqual(inEach('remove 2'));
  });
});

test('the connections of a deleted end user are removed from what used them', async () => {
  expect((await call(edge, 'DELETE', '/v1/end-users/customer-1')).status).toBe(204);
  expect(done).toEqual(inEach('remove 7 8'));
});
