import { randomBase62 } from '@fairlead/service-kit/ids';
import { systemClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { openTestNats } from '@fairlead/service-kit/testing/nats';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, onTestFinished, test } from 'vitest';
import { createSentMessages, natsSentLog, sentStream } from './sent-messages.ts';
import { createStreamHub } from './stream-hub.ts';
import type { StreamHub } from './stream-hub.ts';
import { natsPipe } from './stream-pipe.ts';
import { startStreamServer } from './testing/stream-server.ts';

/** A replica. */
async function newHub(): Promise<StreamHub> {
  const nats = await openTestNats({ streams: [sentStream] });
  const { log } = captureLog();
  const hub = createStreamHub({
    openPipe: natsPipe(nats),
    sent: createSentMessages({ sentLog: natsSentLog(nats), clock: systemClock, log }),
    clock: systemClock,
    timers: systemTimers,
    log,
  });
  onTestFinished(() => hub.drain(0));
  return hub;
}

const stream = () => ({
  session: { key: randomBase62(40), expiresAt: new Date(Date.now() + 3_600_000) },
  accountId: 'acc_1',
  isStillAdmitted: () => Promise.resolve(true),
  isNew: false,
  isReplayable: true,
});

test('a client that names its last event at another replica gets what was sent after it, once and in order', async () => {
  const [first, second] = [await newHub(), await newHub()];
  const { connect } = await startStreamServer();
  const [own, foreign] = [stream(), stream()];
  const client = await connect(first, own);
  await connect(first, foreign);
  for (const number of [1, 2, 3, 4])
    for (const { session } of [own, foreign]) first.tell(session.key, Buffer.from(String(number)));
  await expect.poll(client.messages).toEqual(['1', '2', '3', '4']);
  const ids = [...client.text().matchAll(/id: (s\.\d+)\ndata: (\d)/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(4);
  const again = await connect(second, { ...own, lastEventId: ids[1] });
  await expect.poll(again.messages).toEqual(['3', '4']);
  expect(again.text()).toContain(`id: ${ids[2]}\ndata: 3\n\nevent: message\nid: ${ids[3]}\ndata: 4`);
  await client.ended;
  second.tell(own.session.key, Buffer.from('5'));
  await expect.poll(again.messages).toEqual(['3', '4', '5']);
  // Ids of answers and forged ids are refused. An id of another session only reveals a time.
  for (const lastEventId of ['r.AAAAAAAAAAAAAAAAAAAAAA.1', 'x']) {
    const other = await connect(second, { ...own, lastEventId });
    second.tell(own.session.key, Buffer.from('6'));
    await expect.poll(other.messages).toEqual(['6']);
  }
});
