import { setImmediate as turn } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  ResolveConnectionResponseSchema,
  ResolveConnectionsResponseSchema,
} from '@fairlead/contracts/connections/v1/credential_service_pb';
import type {
  ResolveConnectionsRequestSchema,
  ResolveConnectionsResultSchema,
} from '@fairlead/contracts/connections/v1/credential_service_pb';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { toItemError } from '@fairlead/service-kit/rpc/errors';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { createConnectionResolver } from './connection-resolver.ts';

type Items = NonNullable<MessageInitShape<typeof ResolveConnectionsRequestSchema>['items']>;

/** A resolver whose RPCs end when the test says so, and take as long as it says. Connections with an id above 100 do not exist. */
function world() {
  const sent: { readonly ctx: RequestContext; readonly items: Items; end: (error?: ApiError) => void }[] = [];
  const answer = <R>(ctx: RequestContext, items: Items, result: () => R): Promise<R> =>
    new Promise((resolve, reject) => {
      const end = (error?: ApiError) => (error === undefined ? resolve(result()) : reject(error));
      sent.push({ ctx, items, end });
    });
  const resultOf = (id: unknown): MessageInitShape<typeof ResolveConnectionsResultSchema> =>
    Number(id) > 100
      ? { error: toItemError(notFound('connection')) }
      : { found: { connection: { id: Number(id) } } };
  const client: Parameters<typeof createConnectionResolver>[0] = {
    resolveConnection: (ctx, request) =>
      answer(ctx, [{ request }], () =>
        create(ResolveConnectionResponseSchema, { connection: { id: Number(request.by?.value) } }),
      ),
    resolveConnections: (ctx, { items = [] }) =>
      answer(ctx, items, () =>
        create(ResolveConnectionsResponseSchema, {
          results: items.map(({ request }) => resultOf(request?.by?.value)),
        }),
      ),
  };
  const time = { ms: 0 };
  const resolver = createConnectionResolver(client, () => time.ms);
  const byId = (ctx: RequestContext, id: number, endUserId?: string): Promise<number | undefined> =>
    resolver
      .resolve(ctx, { by: { case: 'id', value: id }, ...(endUserId !== undefined && { endUserId }) })
      .then(({ connection }) => connection?.id);
  return { sent, byId, time };
}

/** Contexts of one user's calls. */
const call = (requestId: string): RequestContext =>
  testContext({ accountId: 'one', userId: 'usr_1', requestId });

const idsOf = (items: Items) => items.map(({ request }) => request?.by?.value);

test('calls that arrive while a read is under way share the next one, with each connection in it once', async () => {
  const { sent, byId } = world();
  const [first, second, third] = [call('req-1'), call('req-2'), call('req-3')];
  const alone = byId(first, 7);
  await turn();
  expect(sent).toMatchObject([{ ctx: first, items: [{ request: { opensCredential: true } }] }]);
  const rest = [byId(second, 7), byId(third, 7), byId(third, 8), byId(third, 7, 'customer-1')];
  await turn();
  expect(sent).toHaveLength(1);
  sent[0]?.end();
  expect(await alone).toBe(7);
  await turn();
  expect(sent).toHaveLength(2);
  expect(sent[1]?.items).toMatchObject([
    { request: { by: { value: 7 } }, requestIds: ['req-2', 'req-3'] },
    { request: { by: { value: 8 } }, requestIds: ['req-3'] },
    { request: { by: { value: 7 }, endUserId: 'customer-1' }, requestIds: ['req-3'] },
  ]);
  sent[1]?.end();
  expect(await Promise.all(rest)).toEqual([7, 7, 8, 7]);
});

test('after a shared read the next one rests, so that calls of later turns share it too', async () => {
  const { sent, byId, time } = world();
  const first = [7, 8, 9].map((id) => byId(call('req-1'), id));
  await turn();
  time.ms = 4;
  sent[0]?.end();
  expect(await Promise.all(first)).toEqual([7, 8, 9]);
  const second = byId(call('req-2'), 7);
  await turn();
  await turn();
  expect(sent).toHaveLength(1);
  const third = byId(call('req-3'), 7);
  time.ms = 8;
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[1]?.items).toMatchObject([{ requestIds: ['req-2', 'req-3'] }]);
  sent[1]?.end();
  expect(await Promise.all([second, third])).toEqual([7, 7]);
});

test('a connection that is not there fails its own calls only; a failed RPC fails all of them', async () => {
  const { sent, byId } = world();
  const ctx = testContext();
  const some = Promise.allSettled([byId(ctx, 7), byId(ctx, 101), byId(ctx, 101)]);
  await turn();
  sent[0]?.end();
  const missing = { reason: { code: 'NOT_FOUND', message: notFound('connection').message } };
  expect(await some).toMatchObject([{ value: 7 }, missing, missing]);
  const all = Promise.allSettled([byId(ctx, 7), byId(ctx, 8)]);
  await turn();
  sent[1]?.end(new ApiError('UNAVAILABLE', 'away'));
  const away = { reason: { code: 'UNAVAILABLE' } };
  expect(await all).toMatchObject([away, away]);
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
  expect(sent.map(({ ctx, items }) => [ctx, idsOf(items)])).toEqual(callers.map((ctx) => [ctx, [7]]));
  for (const { end } of sent.toReversed()) end();
  expect(await Promise.all(found)).toEqual([7, 7, 7]);
});

test('a call that leaves gets TIMEOUT, and takes nothing from those with which it shares the read', async () => {
  const { sent, byId } = world();
  const leaving = new AbortController();
  const left = byId({ ...call('req-1'), signal: leaving.signal }, 7);
  const stays = byId(call('req-2'), 8);
  await turn();
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(sent[0]?.ctx.signal.aborted).toBe(false);
  sent[0]?.end();
  expect(await stays).toBe(8);
});
