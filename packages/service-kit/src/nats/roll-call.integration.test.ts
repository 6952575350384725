import { expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { randomBase62 } from '../ids.ts';
import { openLink } from '../testing/network.ts';
import { openTestNats } from '../testing/nats.ts';
import { NatsUnavailableError } from './unavailable.ts';

const schema = z.object({ name: z.string() });

test('every process answers, also after an outage; answers of another form are left out', async () => {
  const subject = `fairlead.test.${randomBase62(12)}.roll-call`;
  const path = await openLink(Number(new URL(inject('natsUrl')).port));
  onTestFinished(() => path.close());
  const [caller, far] = [await openTestNats(), await openTestNats({ url: `nats://127.0.0.1:${path.port}` })];
  const names = async () => {
    const answers = await caller.callRoll({ subject, schema, waitMs: 200 });
    return answers.map(({ name }) => name).toSorted();
  };
  expect(await names()).toEqual([]);
  (await openTestNats()).answerRollCalls(subject, () => ({ name: 'near' }));
  (await openTestNats()).answerRollCalls(subject, () => ({ other: 1 }));
  (await openTestNats()).answerRollCalls(subject, () => {
    throw new Error('no');
  });
  far.answerRollCalls(subject, () => ({ name: 'far' }));
  await expect.poll(names).toEqual(['far', 'near']);
  await path.set({ kind: 'reset' });
  await expect.poll(() => far.isLive()).toBe(false);
  await expect(far.callRoll({ subject, schema, waitMs: 200 })).rejects.toThrow(NatsUnavailableError);
  await path.set({ kind: 'pass' });
  await expect.poll(names).toEqual(['far', 'near']);
});
