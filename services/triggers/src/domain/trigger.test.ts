import { deferJson } from '@fairlead/service-kit/json/deferred-json';
import { expect, test } from 'vitest';
import { checkTriggerBounds } from './trigger.ts';

test('a large configuration is refused by its size, before anything of it is parsed', () => {
  const rows = deferJson(Buffer.from(`[no JSON${' '.repeat(64 * 1024)}]`));
  expect(() => checkTriggerBounds({ configuration: { rows } })).toThrow(
    'configuration: must be at most 64 KiB of JSON',
  );
});

test('a configuration of which a part is deferred is taken up to its bound', () => {
  const rows = deferJson(Buffer.from(JSON.stringify(Array.from({ length: 5_000 }, (_, at) => at))));
  expect(() => checkTriggerBounds({ configuration: { rows } })).not.toThrow();
});
