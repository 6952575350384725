import { ApiError } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import { createRequestBounds } from './request-bounds.ts';

const nothing = () => Promise.resolve();
const unknownToken = () => Promise.reject(new ApiError('UNAUTHORIZED', 'Unknown.'));

test('a token has 500 requests a second, and others have theirs', async () => {
  let now = 0;
  const bounds = createRequestBounds(() => now);
  for (let count = 0; count < 500; count += 1) await bounds.within('192.0.2.1', 'Bearer a', nothing);
  const more = bounds.within('192.0.2.1', 'Bearer a', nothing);
  await expect(more).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  await bounds.within('192.0.2.1', 'Bearer b', nothing);
  now = 1_000;
  await bounds.within('192.0.2.1', 'Bearer a', nothing);
});

test('an address that sends 20 unknown tokens in a second is refused for the rest of it', async () => {
  let now = 0;
  const bounds = createRequestBounds(() => now);
  for (let count = 0; count < 20; count += 1) {
    const refused = bounds.within('192.0.2.1', `Bearer ${count}`, unknownToken);
    await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  }
  const known = bounds.within('192.0.2.1', 'Bearer a', nothing);
  await expect(known).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  await bounds.within('192.0.2.2', 'Bearer a', nothing);
  now = 1_000;
  await bounds.within('192.0.2.1', 'Bearer a', nothing);
});
