import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@fairlead/service-kit/clock';
import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import { NameLookups } from '@fairlead/egress/name-lookups';
import { createResolver } from '@fairlead/egress/resolver';
import { startNameServer } from '@fairlead/service-kit/testing/name-server';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createRequestSender } from '@fairlead-services/delivery/sending/request-sender';
import { target } from '@fairlead-services/delivery/testing/deliveries';
import { expect, it, onTestFinished } from 'vitest';

/** A permitted receiver's address, and one inside the network. */
const [OUTSIDE, INSIDE] = ['127.0.0.1', '127.0.0.2'];
const CALLS = 30;
const AT_ONCE = 5;

/** A server on each address of this machine, and the addresses at which it was called. */
async function startReceiver() {
  const calledAt: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    calledAt.push(request.socket.localAddress);
    // No connection is reused, so that each call resolves the name again.
    response.writeHead(200, { connection: 'close' }).end();
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address of this type
  return { port, calledAt };
}

// Runs in this process, because services of the stack use the machine's name servers.
it('a receiver whose name server rebinds its name for every query is never called inside the network', async () => {
  const { port, calledAt } = await startReceiver();
  const answers = [[OUTSIDE], [INSIDE], [OUTSIDE, INSIDE], ['10.0.0.1'], [INSIDE, '::1']];
  const nameServer = await startNameServer(() => ({
    addresses: answers[nameServer.asked.length % answers.length] ?? [],
    ttlSeconds: 0,
  }));
  const egress = createGuardedEgress({
    allow: [OUTSIDE],
    userAgent: 'test',
    log: createLogger({ service: 'test', level: 'silent' }),
    resolve: createResolver('/nowhere', new NameLookups({ servers: [nameServer.address] })),
  });
  onTestFinished(() => egress.close());
  const send = createRequestSender({ egress, clock: systemClock });
  const receiver = target({ url: `http://rebinding.example:${port}/` });
  const renew = () => Promise.resolve(receiver);
  const event = { eventId: 'te_1', triggerId: 'trg_1', body: Buffer.from('{}') };
  const call = (attempt: number) => send({ target: receiver, renew, ...event, attempt });
  const errors = new Set<string | null | undefined>();
  for (let made = 0; made < CALLS; made += AT_ONCE) {
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => call(1)));
    for (const outcome of outcomes) errors.add(outcome?.error);
  }
  expect(errors).toEqual(new Set([null, 'address_blocked']));
  expect(new Set(calledAt)).toEqual(new Set([OUTSIDE]));
});
