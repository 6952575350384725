import { ApprovalService } from '@fairlead/contracts/tools/v1/approval_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { ConnectSessionService } from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { routeTable } from './routes/route-table.ts';
import { call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from './testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { connectionMessage } from '@fairlead/rest-records/testing/messages';
import { startRemote } from './testing/remote.ts';
import type { RemoteRoutes } from './testing/remote.ts';

/** The only connection of the account that exists. */
const EXISTING = 1;
/** A deleted connection that records still use. */
const GONE = 2;

/** An end user has more connections than one page lists. */
const THEIRS = Array.from({ length: 130 }, (_, at) => 101 + at);
/** Number of connections that fit into one message. */
const PART = 70;

/** The domains that use connections; each has its own server. */
const DOMAINS = ['tools', 'triggers', 'mcp'] as const;
type Domain = (typeof DOMAINS)[number];

/** The same request to each domain. */
const inEach = (text: string): readonly string[] => DOMAINS.map((domain) => `${domain}: ${text}`).toSorted();

/** The entry for a deletion by the connections service. */
const DELETED = 'delete';

let done: string[] = [];
let uses: Readonly<Record<Domain, readonly string[]>>;
/** The requests, sorted by domain, because the domains are called at the same time. */
function doneInOrder(): readonly string[] {
  const [before = [], after = []] = done.includes(DELETED)
    ? [done.slice(0, done.indexOf(DELETED)), done.slice(done.indexOf(DELETED) + 1)]
    : [done];
  return [...before.toSorted(), ...(done.includes(DELETED) ? [DELETED] : []), ...after.toSorted()];
}
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const usesIn =
    (domain: Domain): RemoteRoutes =>
    (router) =>
      router.service(UseService, {
        listUses: () => ({ uses: [...uses[domain]] }),
        removeUses({ connectionIds }) {
          done.push(`${domain}: remove ${connectionIds.join(' ')}`);
          return {};
        },
      });
  const inTools: RemoteRoutes = (router) => {
    usesIn('tools')(router);
    router.service(ApprovalService, {
      removeEndUserApprovals({ endUserId }) {
        done.push(`tools: remove approvals of ${endUserId}`);
        return {};
      },
    });
  };
  const routes: RemoteRoutes = (router) =>
    router
      .service(ConnectionService, {
        getConnection({ id }) {
          if (id !== EXISTING) throw notFound('connection');
          return { connection: connectionMessage({ id }) };
        },
        listConnections({ endUserId, page }) {
          const { offset = 0, top = 0, after } = page ?? {};
          const theirs = endUserId === 'customer-1' ? THEIRS : [];
          const start = offset + (after === undefined ? 0 : theirs.indexOf(Number(after)) + 1);
          const part = theirs.slice(start, start + Math.min(top, PART));
          const next = part.length < Math.min(top, theirs.length - start) ? String(part.at(-1)) : undefined;
          return { items: part.map((id) => connectionMessage({ id })), next };
        },
        deleteConnection({ id }) {
          if (id !== EXISTING) throw notFound('connection');
          done.push(DELETED);
          return {};
        },
      })
      .service(ConnectSessionService, {
        deleteEndUser() {
          done.push(DELETED);
          return { connectionIds: [...THEIRS, 999] };
        },
      });
  const remote = await startRemote(routes, {
    tools: inTools,
    triggers: usesIn('triggers'),
    mcp: usesIn('mcp'),
  });
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  done = [];
  uses = { tools: [], triggers: [], mcp: [] };
});

describe('deleting a connection', () => {
  test('that nothing uses removes it, after what may be registered with it, and before what may still name it', async () => {
    expect((await call(edge, 'DELETE', `/v1/connections/${EXISTING}`)).status).toBe(204);
    expect(doneInOrder()).toEqual(['triggers: remove 1', DELETED, ...inEach('remove 1')]);
  });

  test('that is in use is refused, naming the uses, unless it is forced', async () => {
    uses = { tools: ['toolset:a', 'toolset:b'], triggers: ['trigger:c'], mcp: ['mcpServer:Sales'] };
    const refused = await call(edge, 'DELETE', `/v1/connections/${EXISTING}`);
    expect([refused.status, refused.body['errorCode']]).toEqual([409, 'CONNECTION_IN_USE']);
    expect(refused.body['candidates']).toEqual(['toolset:a', 'toolset:b', 'trigger:c', 'mcpServer:Sales']);
    expect(done).toEqual([]);
    expect((await call(edge, 'DELETE', `/v1/connections/${EXISTING}?force=true`)).status).toBe(204);
    expect(doneInOrder()).toEqual(['triggers: remove 1', DELETED, ...inEach('remove 1')]);
  });

  test('that one domain alone uses is refused as well', async () => {
    for (const domain of DOMAINS) {
      uses = { tools: [], triggers: [], mcp: [], [domain]: [`${domain}:1`] };
      const refused = await call(edge, 'DELETE', `/v1/connections/${EXISTING}`);
      expect([refused.status, refused.body['candidates']]).toEqual([409, [`${domain}:1`]]);
    }
  });

  test('that is gone is 404, in use or not, and a forced one removes what is left of it', async () => {
    uses = { tools: ['toolset:a'], triggers: [], mcp: [] };
    expect((await call(edge, 'DELETE', `/v1/connections/${GONE}`)).status).toBe(404);
    expect(done).toEqual([]);
    expect((await call(edge, 'DELETE', `/v1/connections/${GONE}?force=true`)).status).toBe(404);
    expect(doneInOrder()).toEqual([...inEach('remove 2'), 'triggers: remove 2'].toSorted());
  });
});

test('the connections of a deleted end user are removed from what uses them, from triggers before that, too', async () => {
  expect((await call(edge, 'DELETE', '/v1/end-users/customer-1')).status).toBe(204);
  expect(doneInOrder()).toEqual([
    `triggers: remove ${THEIRS.join(' ')}`,
    DELETED,
    ...[...inEach(`remove ${THEIRS.join(' ')} 999`), 'tools: remove approvals of customer-1'].toSorted(),
  ]);
});
