import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { expect, it } from 'vitest';
import { createCallFingerprints } from './call-fingerprints.ts';

const key = (version: string, byte: number) => `${version}:${Buffer.alloc(32, byte).toString('base64')}`;

it('depends on text and key, and is found after the keys were changed', () => {
  const before = createCallFingerprints(parseKeyRing(key('v1', 1)));
  const after = createCallFingerprints(parseKeyRing(`${key('v2', 2)},${key('v1', 1)}`));
  const [made] = before.of('call');
  expect(before.of('call')).toEqual([made]);
  expect(before.of('another')).not.toContain(made);
  expect(after.of('call')).toHaveLength(2);
  expect(after.of('call')[0]).not.toBe(made);
  expect(after.of('call')).toContain(made);
});
