import type { JsonObject } from '@fairlead/connector-model/json';
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

it('runs what it has compiled, and knows nothing else', async () => {
  const { compile, run } = start(1_000_000);
  expect(await run('one')).toEqual({ kind: 'unknown' });
  expect(await compile('one')).toEqual({ kind: 'compiled' });
  expect(await run('one')).toEqual({ kind: 'result', result: ISSUES });
  expect(await run('one', { a: 1 })).toEqual({ kind: 'result', result: [] });
});

it('drops what was not used for longest when its memory is full, but never the newest', async () => {
  const { compile, run } = start(80_000);
  const kinds = async (...keys: readonly string[]) =>
    (await Promise.all(keys.map((key) => run(key)))).map(({ kind }) => kind);
  await compile('one');
  await compile('two');
  await run('one');
  await compile('three');
  expect(await kinds('one', 'two', 'three')).toEqual(['result', 'unknown', 'result']);
  await compile('large', { ...SCHEMA, description: 'x'.repeat(2_000) });
  expect(await kinds('one', 'three', 'large')).toEqual(['unknown', 'unknown', 'result']);
});

it('says why a program does not compile, and that one is too large', async () => {
  const { compile } = start(1_000_000);
  expect(await compile('wrong', { type: 'text' })).toMatchObject({
    kind: 'invalid',
    reason: expect.stringContaining('neither valid') as string,
  });
  const large = { ...SCHEMA, description: 'x'.repeat(70_000) };
  expect(await compile('large', large)).toMatchObject({
    kind: 'invalid',
    reason: expect.stringContaining('characters') as string,
  });
});

it('an input too deep for a recursive program is an answer', async () => {
  const { compile, run } = start(1_000_000);
  await compile('recursive', {
    $defs: { a: { properties: { x: { $ref: '#/$defs/a' } } } },
    $ref: '#/$defs/a',
  });
  let value: JsonObject = {};
  for (let depth = 0; depth < 100_000; depth += 1) value = { x: value };
  expect(await run('recursive', value)).toEqual({ kind: 'tooDeep' });
});
