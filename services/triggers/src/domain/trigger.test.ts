import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { checkTriggerBounds } from './trigger.ts';

test('a large configuration is refused by its size, before anything of it is parsed', () => {
  const configuration = new LazyJson(Buffer.from(`{no JSON${' '.repeat(64 * 1024)}}`));
  expect(() => checkTriggerBounds({ configuration })).toThrow(
    'configuration: must be at most 64 KiB of JSON',
  );
});

test('a configuration is taken up to its bound', () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => at);
  expect(() => checkTriggerBounds({ configuration: LazyJson.of({ rows }) })).not.toThrow();
});
