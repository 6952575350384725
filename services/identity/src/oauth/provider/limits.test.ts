import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { memoryAttemptBuckets } from '../../pages/testing/memory-attempt-buckets.ts';
import { createAnonymousLimits } from './limits.ts';

const limits = createAnonymousLimits({
  buckets: memoryAttemptBuckets({ clock: new ManualClock(new Date()) }),
  clients: { trimUnused: () => Promise.resolve() },
  config: { OAUTH_REGISTRATIONS_PER_HOUR: 2, OAUTH_MAX_UNUSED_CLIENTS: 10 },
});
const response = () => new ServerResponse(new IncomingMessage(new Socket()));

test('an IPv6 network registers no more clients than a single address', async () => {
  await limits.admitRegistration('2001:db8:1:2::1', response());
  await limits.admitRegistration('2001:db8:1:2::2', response());
  await expect(limits.admitRegistration('2001:db8:1:2::3', response())).rejects.toMatchObject({
    statusCode: 429,
  });
  await limits.admitRegistration('2001:db8:1:3::1', response());
});

test('an IPv6 network makes us fetch no more documents than a single address', async () => {
  const asked = Array.from({ length: 31 }, (_, index) => limits.mayFetchDocument(`2001:db8:1:2::${index}`));
  expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(30);
});

test('an IPv6 network starts no more sign-ins than a single address, and learns when to retry; other networks are not limited', async () => {
  for (let begun = 0; begun < 300; begun += 1) {
    await limits.admitStart(`2001:db8:2:2::${begun}`, response());
  }
  const refused = response();
  await expect(limits.admitStart('2001:db8:2:2::', refused)).rejects.toMatchObject({
    statusCode: 429,
    error: 'temporarily_unavailable',
  });
  expect(refused.getHeader('retry-after')).toBe(1);
  await limits.admitStart('2001:db8:2:3::1', response());
});
