import { expect, it } from 'vitest';
import type { JsonType } from './input-schema.ts';
import { typedValue } from './typed-value.ts';

it.each<[JsonType[], string, string]>([
  [['string'], '12', '"12"'],
  [['string'], 'true', '"true"'],
  [['string'], '@file', '"@file"'],
  [['string', 'null'], 'null', 'null'],
  [['integer'], '12345678901234567890', '12345678901234567890'],
  [['integer'], '-7', '-7'],
  [['number'], '1.50', '1.50'],
  [['boolean'], 'false', 'false'],
  [['array'], ' ["a",12345678901234567890]', '["a",12345678901234567890]'],
  [['object'], '{"a":{"b":1}}', '{"a":{"b":1}}'],
  [['string', 'integer'], '5', '5'],
  [['string', 'integer'], '5a', '"5a"'],
  [['string', 'object'], '{not json', '"{not json"'],
  [[], '{"a":1}', '{"a":1}'],
  [[], 'hello', '"hello"'],
])('%j reads %s as %s', (types, text, json) => {
  expect(JSON.stringify(typedValue(new Set(types), text)?.value)).toBe(json);
});

it.each<[JsonType[], string]>([
  [['integer'], '1.5'],
  [['integer'], '007'],
  [['number'], 'Infinity'],
  [['number'], ''],
  [['boolean'], 'yes'],
  [['array'], 'a,b'],
  [['object'], '[]'],
  [['null'], ''],
])('%j does not read %j', (types, text) => {
  expect(typedValue(new Set(types), text)).toBeUndefined();
});
