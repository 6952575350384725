import { randomBase62 } from '@fairlead/service-kit/ids';
import { systemClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { openTestNats } from '@fairlead/service-kit/testing/nats';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, onTestFinished, test } from 'vitest';
import { createStreamHub } from './stream-hub.ts';
import type { StreamHub } from './stream-hub.ts';
import { natsPipe } from './stream-pipe.ts';
import { memorySent } from './testing/memory-sent.ts';
import { startStreamServer } from './testing/stream-server.ts';

const MIB = 1024 * 1024;
const never = new AbortController().signal;

async function newHub(): Promise<StreamHub> {
  const hub = createStreamHub({
    sent: memorySent(),
    openPipe: natsPipe(await openTestNats()),
    clock: systemClock,
    timers: systemTimers,
    log: captureLog().log,
  });
  onTestFinished(() => hub.drain(0));
  return hub;
}

const own = { accountId: 'acc_1', isStillAdmitted: () => Promise.resolve(true) };
const newSession = () => ({ key: randomBase62(40), expiresAt: new Date(Date.now() + 3_600_000) });

test('a message of 5 MiB arrives whole on the stream of another replica', async () => {
  const [holder, sender] = [await newHub(), await newHub()];
  const { connect } = await startStreamServer();
  const session = newSession();
  const client = await connect(holder, { session, ...own, isNew: true });
  const text = JSON.stringify({ text: 'é0123456789'.repeat((5 * MIB) / 12) });
  const place = await sender.reserve(session.key, never);
  expect(await place?.send(Buffer.from(text))).toBe(true);
  await expect.poll(() => client.messages().length).toBe(1);
  expect(client.messages()[0] === text).toBe(true);
});

test('many messages of several replicas arrive, each once', async () => {
  const [holder, ...senders] = [await newHub(), await newHub(), await newHub()];
  const { connect } = await startStreamServer();
  const sessions = Array.from({ length: 5 }, newSession);
  const clients = await Promise.all(
    sessions.map((session) => connect(holder, { session, ...own, isNew: true })),
  );
  const numbers = Array.from({ length: 40 }, (_, at) => at);
  await Promise.all(
    sessions.flatMap(({ key }) =>
      numbers.map(async (number) => {
        const place = await senders[number % 2]?.reserve(key, never);
        expect(await place?.send(Buffer.from(String(number)))).toBe(true);
      }),
    ),
  );
  for (const client of clients)
    await expect
      .poll(() =>
        client
          .messages()
          .map(Number)
          .toSorted((a, b) => a - b),
      )
      .toEqual(numbers);
});

test('a newer stream ends the one of another replica, and both replicas reach the newer one', async () => {
  const hubs = [await newHub(), await newHub()] as const;
  const { connect } = await startStreamServer();
  const session = newSession();
  const older = await connect(hubs[0], { session, ...own, isNew: false });
  const newer = await connect(hubs[1], { session, ...own, isNew: false });
  await older.ended;
  for (const hub of hubs) {
    const place = await hub.reserve(session.key, never);
    expect(await place?.send(Buffer.from('1'))).toBe(true);
  }
  await expect.poll(newer.messages).toEqual(['1', '1']);
});

test('a stream whose client has left is not found', async () => {
  const [holder, sender] = [await newHub(), await newHub()];
  const { connect } = await startStreamServer();
  const session = newSession();
  const client = await connect(holder, { session, ...own, isNew: true });
  client.leave();
  await client.ended;
  await expect.poll(() => sender.reserve(session.key, never)).toBeUndefined();
});
