import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { listTokens } from './list-cost.ts';

const entry = (json: string) => ({ listed: new LazyJson(Buffer.from(json)) });

test('a list costs a quarter of the bytes of its JSON, rounded up', () => {
  expect(listTokens([])).toBe(1);
  // [12345678,12]: 13 bytes.
  expect(listTokens([entry('12345678'), entry('12')])).toBe(4);
  // ["éé"]: 8 bytes of UTF-8.
  expect(listTokens([entry('"éé"')])).toBe(2);
});
