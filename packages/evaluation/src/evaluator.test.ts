import type { JsonObject } from '@fairlead/connector-model/model';
import { expect, it } from 'vitest';
import { createEvaluator } from './evaluator.ts';

const SCHEMA: JsonObject = { type: 'object', required: ['a'] };
const ISSUES = [{ field: 'fields.a', issue: 'is required' }];

function start(maxBytes: number) {
  const evaluator = createEvaluator({ maxBytes });
  const compile = (key: string, schema = SCHEMA) =>
    evaluator.answer({ kind: 'compile', key, language: 'jsonSchema', source: JSON.stringify(schema) });
  const run = (key: string, value: JsonObject = {}) =>
    evaluator.answer({ kind: 'run', key, input: { value, root: 'fields' } });
  return { compile, run };
}

it('runs what it has compiled, and knows nothing else', () => {
  const { compile, run } = start(1_000_000);
  expect(run('one')).toEqual({ kind: 'unknown' });
  expect(compile('one')).toEqual({ kind: 'compiled' });
  expect(run('one')).toEqual({ kind: 'result', result: ISSUES });
  expect(run('one', { a: 1 })).toEqual({ kind: 'result', result: [] });
});

it('drops what was not used for longest when its memory is full, but never the newest', () => {
  const { compile, run } = start(80_000);
  compile('one');
  compile('two');
  run('one');
  compile('three');
  expect(['one', 'two', 'three'].map((key) => run(key).kind)).toEqual(['result', 'unknown', 'result']);
  compile('large', { ...SCHEMA, description: 'x'.repeat(2_000) });
  expect(['one', 'three', 'large'].map((key) => run(key).kind)).toEqual(['unknown', 'unknown', 'result']);
});

it('says why a program does not compile, and that one is too large', () => {
  const { compile } = start(1_000_000);
  expect(compile('wrong', { type: 'text' })).toMatchObject({
    kind: 'invalid',
    reason: expect.stringContaining('neither valid') as string,
  });
  const large = { ...SCHEMA, description: 'x'.repeat(70_000) };
  expect(compile('large', large)).toMatchObject({
    kind: 'invalid',
    reason: expect.stringContaining('characters') as string,
  });
});

it('an input too deep for a recursive program is an answer', () => {
  const { compile, run } = start(1_000_000);
  compile('recursive', { $defs: { a: { properties: { x: { $ref: '#/$defs/a' } } } }, $ref: '#/$defs/a' });
  let value: JsonObject = {};
  for (let depth = 0; depth < 100_000; depth += 1) value = { x: value };
  expect(run('recursive', value)).toEqual({ kind: 'tooDeep' });
});
