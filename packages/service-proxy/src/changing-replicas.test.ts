import { changingAddresses } from '@fairlead/connect-fast/testing/changing-addresses';
import type { RpcServer } from '@fairlead/service-kit/rpc/server';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { callHttp } from '@fairlead/service-kit/testing/http';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import { expect, test } from 'vitest';
import { startProxyAt, startReplica } from './testing/proxied-service.ts';

const named = (name: string): Promise<RpcServer> =>
  startReplica((_exchange, _request, response) => sendJson(response, 200, { name }));

const post = (proxy: TestHttpService) => callHttp(proxy, 'POST', '/oauth/a', { body: 'x' });

async function namesOf(proxy: TestHttpService): Promise<ReadonlySet<unknown>> {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(proxy)));
  return new Set(answers.map(({ status, body }) => (status === 200 ? body['name'] : status)));
}

test('a replica that appears gets requests, and a removed one gets none', async () => {
  const [a, b] = [await named('a'), await named('b')];
  const addresses = changingAddresses([a.httpUrl]);
  const proxy = await startProxyAt(addresses);
  expect(await namesOf(proxy)).toEqual(new Set(['a']));
  addresses.replace([b.httpUrl]);
  expect(await namesOf(proxy)).toEqual(new Set(['b']));
});

test('no replica yet: 503, until the first appears', async () => {
  const addresses = changingAddresses([]);
  const proxy = await startProxyAt(addresses);
  expect((await post(proxy)).status).toBe(503);
  addresses.replace([(await named('a')).httpUrl]);
  expect((await post(proxy)).status).toBe(200);
});

test('if all known replicas are gone, a request finds those that have taken their place', async () => {
  const gone = await named('gone');
  await gone.close();
  const next = await named('next');
  const proxy = await startProxyAt(changingAddresses([gone.httpUrl], () => [next.httpUrl]));
  expect((await post(proxy)).body).toMatchObject({ name: 'next' });
});

test('a request in flight at a removed replica ends', async () => {
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const old = await startReplica(async (_exchange, _request, response) => {
    arrived.resolve();
    await goOn.promise;
    sendJson(response, 200, { name: 'old' });
  });
  const addresses = changingAddresses([old.httpUrl]);
  const proxy = await startProxyAt(addresses);
  const answer = post(proxy);
  await arrived.promise;
  addresses.replace([(await named('new')).httpUrl]);
  expect((await post(proxy)).body).toMatchObject({ name: 'new' });
  goOn.resolve();
  expect((await answer).body).toMatchObject({ name: 'old' });
});

test('a request for the canary goes there with the choice, and to stable while there is none', async () => {
  const replica = (name: string): Promise<RpcServer> =>
    startReplica(({ canaries }, _request, response) =>
      sendJson(response, 200, { name: `${name} ${String(canaries)}` }),
    );
  const [stable, canary] = [await replica('stable'), await replica('canary')];
  const addresses = changingAddresses([canary.httpUrl]);
  let fallbacks = 0;
  const proxy = await startProxyAt([stable.httpUrl], {
    canaries: {
      addresses,
      onFallback: () => (fallbacks += 1),
      choose: () => ({ canaries: ['echo'], track: 'canary' }),
    },
  });
  expect(await namesOf(proxy)).toEqual(new Set(['canary echo']));
  expect(fallbacks).toBe(0);
  addresses.replace([]);
  expect(await namesOf(proxy)).toEqual(new Set(['stable echo']));
  expect(fallbacks).toBe(20);
});
