import { setImmediate as turn } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type { LicenceSchema } from '@fairlead/contracts/connections/v1/connection_pb';
import { ResolveConnectionsResponseSchema } from '@fairlead/contracts/connections/v1/credential_service_pb';
import type {
  ResolveConnectionsRequestSchema,
  ResolveConnectionsResultSchema,
} from '@fairlead/contracts/connections/v1/credential_service_pb';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { SHARED_READ_MS } from '@fairlead/service-kit/cache/shared-reads';
import { toItemError } from '@fairlead/service-kit/rpc/errors';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { createConnectionResolver } from './connection-resolver.ts';

type Items = NonNullable<MessageInitShape<typeof ResolveConnectionsRequestSchema>['items']>;

/** A resolver whose RPCs end when the test resolves them. Connections with an id above 100 do not exist. */
function world() {
  const sent: { readonly ctx: RequestContext; readonly items: Items; end: (error?: ApiError) => void }[] = [];
  const time = { ms: 0 };
  const licences = new Map<number, MessageInitShape<typeof LicenceSchema>>();
  const resultOf = (id: number): MessageInitShape<typeof ResolveConnectionsResultSchema> => {
    if (id > 100) return { error: toItemError(notFound('connection')) };
    const licence = licences.get(id);
    return { found: { connection: { id, ...(licence && { licence }) } } };
  };
  const client: Parameters<typeof createConnectionResolver>[0] = {
    resolveConnections: (ctx, { items = [] }) =>
      new Promise((resolve, reject) => {
        const results = items.map(({ request }) => resultOf(Number(request?.by?.value)));
        const end = (error?: ApiError): void =>
          error === undefined
            ? resolve(create(ResolveConnectionsResponseSchema, { results }))
            : reject(error);
        sent.push({ ctx, items, end });
      }),
  };
  const resolver = createConnectionResolver(client, {
    nowMs: () => time.ms,
    clock: { now: () => new Date(time.ms) },
  });
  const byId = (ctx: RequestContext, id: number, endUserId?: string): Promise<number | undefined> =>
    resolver
      .resolve(ctx, { by: { case: 'id', value: id }, ...(endUserId !== undefined && { endUserId }) })
      .then(({ connection }) => connection?.id);
  return { sent, byId, time, licences, resolver };
}

/** Contexts of calls of one user. */
const call = (requestId: string): RequestContext =>
  testContext({ accountId: 'one', userId: 'usr_1', requestId });

const idsOf = (items: Items) => items.map(({ request }) => request?.by?.value);

test('calls share the read of a connection; reads of others that arrive while an RPC is under way share the next one', async () => {
  const { sent, byId } = world();
  const first = [byId(call('req-1'), 7), byId(call('req-2'), 7)];
  await turn();
  expect(sent.map(({ items }) => idsOf(items))).toEqual([[7]]);
  const others = [
    byId(call('req-3'), 7),
    byId(call('req-4'), 8),
    byId(call('req-5'), 8),
    byId(call('req-6'), 7, 'customer-1'),
  ];
  await turn();
  expect(sent).toHaveLength(1);
  sent[0]?.end();
  expect(await Promise.all(first)).toEqual([7, 7]);
  await turn();
  expect(sent[1]?.items).toMatchObject([
    { request: { by: { value: 8 } }, requestIds: ['req-4'] },
    { request: { by: { value: 7 }, endUserId: 'customer-1' }, requestIds: ['req-6'] },
  ]);
  sent[1]?.end();
  expect(await Promise.all(others)).toEqual([7, 8, 8, 7]);
});

test('a read is shared for a moment after it began, and no longer', async () => {
  const { sent, byId, time, resolver } = world();
  const first = byId(call('req-1'), 7);
  await turn();
  sent[0]?.end();
  await first;
  time.ms = SHARED_READ_MS - 1;
  expect(await byId(call('req-2'), 7)).toBe(7);
  time.ms = SHARED_READ_MS;
  const third = byId(call('req-3'), 7);
  await turn();
  expect(sent).toHaveLength(2);
  sent[1]?.end();
  await third;
  resolver.forget(call('req-4'));
  const fourth = byId(call('req-4'), 7);
  await turn();
  expect(sent).toHaveLength(3);
  sent[2]?.end();
  expect(await fourth).toBe(7);
});

test('a licence that has ended since it was read is read anew', async () => {
  const { sent, byId, time, licences } = world();
  licences.set(7, { status: LicenceStatus.ACTIVE, expiresAt: timestampFromMs(10) });
  const first = byId(call('req-1'), 7);
  await turn();
  sent[0]?.end();
  expect(await first).toBe(7);
  time.ms = 10;
  licences.set(7, { status: LicenceStatus.EXPIRED, expiresAt: timestampFromMs(10) });
  const second = byId(call('req-2'), 7);
  await turn();
  await turn();
  expect(sent).toHaveLength(2);
  sent[1]?.end();
  expect(await second).toBe(7);
});

test('after a shared RPC the next one rests, so that calls of later turns share it too', async () => {
  const { sent, byId, time } = world();
  const first = [7, 8, 9].map((id) => byId(call('req-1'), id));
  await turn();
  time.ms = 4;
  sent[0]?.end();
  expect(await Promise.all(first)).toEqual([7, 8, 9]);
  const second = byId(call('req-2'), 10);
  await turn();
  await turn();
  expect(sent).toHaveLength(1);
  const third = byId(call('req-3'), 11);
  time.ms = 8;
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[1]?.items).toMatchObject([{ requestIds: ['req-2'] }, { requestIds: ['req-3'] }]);
  sent[1]?.end();
  expect(await Promise.all([second, third])).toEqual([10, 11]);
});

test('a connection that is not there fails its own calls only; a failed RPC fails all of them', async () => {
  const { sent, byId } = world();
  const ctx = testContext();
  const some = Promise.allSettled([byId(ctx, 7), byId(ctx, 101), byId(ctx, 102)]);
  await turn();
  sent[0]?.end();
  const missing = { reason: { code: 'NOT_FOUND', message: notFound('connection').message } };
  expect(await some).toMatchObject([{ value: 7 }, missing, missing]);
  const all = Promise.allSettled([byId(ctx, 8), byId(ctx, 9)]);
  await turn();
  sent[1]?.end(new ApiError('UNAVAILABLE', 'away'));
  const away = { reason: { code: 'UNAVAILABLE' } };
  expect(await all).toMatchObject([away, away]);
});

test('what was not there when another call asked is read once more', async () => {
  const { sent, byId } = world();
  const first = Promise.allSettled([byId(call('req-1'), 7)]);
  const second = byId(call('req-2'), 7);
  await turn();
  sent[0]?.end(new ApiError('NO_DEFAULT_CONNECTION', 'none'));
  expect(await first).toMatchObject([{ reason: { code: 'NO_DEFAULT_CONNECTION' } }]);
  await turn();
  await turn();
  expect(sent).toHaveLength(2);
  sent[1]?.end();
  expect(await second).toBe(7);
});

test('callers never share a read, and do not wait for each other', async () => {
  const { sent, byId } = world();
  const callers = [
    testContext({ accountId: 'one' }),
    testContext({ accountId: 'two' }),
    testContext({ accountId: 'two', userId: 'usr_2' }),
  ];
  const found = callers.map((ctx) => byId(ctx, 7));
  await turn();
  expect(sent.map(({ ctx, items }) => [ctx.caller, idsOf(items)])).toEqual(
    callers.map(({ caller }) => [caller, [7]]),
  );
  for (const { end } of sent.toReversed()) end();
  expect(await Promise.all(found)).toEqual([7, 7, 7]);
});

test('a call that leaves gets TIMEOUT, and takes nothing from those that share its read', async () => {
  const { sent, byId } = world();
  const leaving = new AbortController();
  const left = byId({ ...call('req-1'), signal: leaving.signal }, 7);
  const stays = byId(call('req-2'), 7);
  await turn();
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(sent[0]?.ctx.signal.aborted).toBe(false);
  sent[0]?.end();
  expect(await stays).toBe(7);
});
