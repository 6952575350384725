import { expect, test } from 'vitest';
import { parseSealingKeys } from './sealing-keys.ts';

const v1 = `v1:${Buffer.alloc(32, 1).toString('base64')}`;
const v2 = `v2:${Buffer.alloc(32, 2).toString('base64')}`;
const kms = 'kms:/run/kms.sock';

test('a ring without a key management service is read as before: the first key wraps', () => {
  const { ring, ...rest } = parseSealingKeys(`${v2},${v1}`);
  expect([ring?.current, ring?.keys.size]).toEqual(['v2', 2]);
  expect(rest).toEqual({ kmsSocket: undefined, wrapsWith: 'ring' });
});

test('the first entry wraps, be it a key or the key management service', () => {
  expect(parseSealingKeys(`${v1}, ${kms}`)).toMatchObject({ kmsSocket: '/run/kms.sock', wrapsWith: 'ring' });
  expect(parseSealingKeys(`${kms},${v1}`)).toMatchObject({ kmsSocket: '/run/kms.sock', wrapsWith: 'kms' });
  expect(parseSealingKeys(kms)).toEqual({ ring: undefined, kmsSocket: '/run/kms.sock', wrapsWith: 'kms' });
});

test('anything else is refused', () => {
  expect(() => parseSealingKeys(`${kms},${kms}`)).toThrow('more than one kms: entry');
  expect(() => parseSealingKeys('kms:relative')).toThrow('kms: is not followed by the path');
  expect(() => parseSealingKeys(`${kms},v1:short`)).toThrow('key v1 has');
});
