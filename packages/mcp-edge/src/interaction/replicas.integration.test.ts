import { systemClock } from '@fairlead/service-kit/clock';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { openTestNats } from '@fairlead/service-kit/testing/nats';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, onTestFinished, test } from 'vitest';
import { natsCancellations } from '../events/request-cancellations.ts';
import { natsAnswerPipe, natsPipe } from '../streams/stream-pipe.ts';
import { createStreamHub } from '../streams/stream-hub.ts';
import { memorySent } from '../streams/testing/memory-sent.ts';
import { startStreamServer } from '../streams/testing/stream-server.ts';
import { createResumableAnswers } from './resumable-answers.ts';
import { CancelledError, createRunningRequests } from './running-requests.ts';

const { log } = captureLog();

/** The part of a gateway replica that handles requests of sessions. */
async function newReplica() {
  const nats = await openTestNats();
  const hub = createStreamHub({
    openPipe: natsPipe(nats),
    sent: memorySent(),
    clock: systemClock,
    timers: systemTimers,
    log,
  });
  onTestFinished(() => hub.drain(0));
  const running = createRunningRequests({ ...natsCancellations({ nats, log }), clock: systemClock });
  const answers = createResumableAnswers({ openPipe: natsAnswerPipe(nats), hub, timers: systemTimers });
  return { hub, running, answers };
}

test('a cancellation that one replica receives ends the request at another', async () => {
  const [here, there] = [await newReplica(), await newReplica()];
  const request = { sessionKey: randomBase62(40), requestId: '"a"' };
  const work = there.running.run(
    testContext(),
    request,
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error()))),
  );
  const refused = work.catch((error: unknown) => error);
  let isOver = false;
  void refused.then(() => (isOver = true));
  await expect
    .poll(() => {
      // The other replica may not have subscribed yet.
      here.running.cancel('acc_1', request);
      return isOver;
    })
    .toBe(true);
  expect(await refused).toBeInstanceOf(CancelledError);
});

test('an answer of one replica is resumed on a stream that another one holds', async () => {
  const [runner, holder] = [await newReplica(), await newReplica()];
  const session = { key: randomBase62(40), expiresAt: new Date(Date.now() + 3_600_000) };
  const answer = runner.answers.open(session, 'acc_1');
  answer.add(Buffer.from('1'), false);
  const place = holder.answers.placeOf(answer.firstId());
  if (place === undefined) throw new Error('The id names no place.');
  await expect.poll(() => holder.answers.resume(session, place)).toBe(true);
  const { connect } = await startStreamServer();
  const stream = { ...session, key: holder.answers.streamKey(session, place) };
  const client = await connect(holder.hub, {
    session: stream,
    accountId: 'acc_1',
    isStillAdmitted: () => Promise.resolve(true),
    isNew: false,
  });
  await expect.poll(client.messages).toEqual(['1']);
  answer.add(Buffer.from('2'), true);
  await client.ended;
  expect(client.messages()).toEqual(['1', '2']);
});
