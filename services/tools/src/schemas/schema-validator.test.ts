import type { JsonObject } from '@fairlead/connector-model/json';
import type { Evaluation } from '@fairlead/evaluation/evaluation-workers';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, test } from 'vitest';
import { createSchemaValidator } from './schema-validator.ts';

const SCHEMA: JsonObject = { type: 'object', required: ['a'] };
const ISSUE = { field: 'fields.a', issue: 'is required' };

/** A validator whose workers answer `evaluation`, and their recorded requests. */
function validator(evaluation: Evaluation) {
  const asked: unknown[][] = [];
  const log = captureLog();
  const schemas = createSchemaValidator({
    log: log.log,
    workers: {
      evaluate: (accountId, program, input, { timeoutMs }) => {
        asked.push([accountId, program.source(), input, timeoutMs]);
        return Promise.resolve(evaluation);
      },
    },
  });
  const check = (isPlatform: boolean, schema = SCHEMA, value: LazyObject = {}) =>
    schemas.check(schema, value, {
      root: 'fields',
      isPlatform,
      accountId: 'acc_1',
      signal: new AbortController().signal,
      timeoutMs: 500,
    });
  return { check, asked, lines: log.lines };
}

test("the platform's schemas run here, an account's own in workers, even if both are the same", async () => {
  const { check, asked } = validator({ kind: 'result', result: [{ ...ISSUE, more: 1 }] });
  expect(await check(true)).toEqual({ kind: 'checked', issues: [ISSUE] });
  expect(asked).toEqual([]);
  expect(await check(false)).toEqual({ kind: 'checked', issues: [ISSUE] });
  expect(asked).toEqual([['acc_1', JSON.stringify(SCHEMA), { value: {}, root: 'fields' }, 500]]);
});

test.each<[Evaluation, string]>([
  [{ kind: 'unusable' }, 'unchecked'],
  [{ kind: 'tooCostly' }, 'tooCostly'],
  [{ kind: 'overloaded' }, 'overloaded'],
])('an evaluation that ends as %o is %s', async (evaluation, kind) => {
  expect(await validator(evaluation).check(false)).toEqual({ kind });
});

test('what a worker may not answer, and a schema of the platform that does not compile, check nothing and are logged', async () => {
  const { check, lines } = validator({ kind: 'result', result: 'no issues at all' });
  expect(await check(false)).toEqual({ kind: 'unchecked' });
  expect(await check(true, { type: 'text' })).toEqual({ kind: 'unchecked' });
  expect(lines().map(({ level }) => level)).toEqual(['error', 'error']);
});

test('a changed schema is never checked against the old one', async () => {
  const { check } = validator({ kind: 'unusable' });
  expect(await check(true)).toEqual({ kind: 'checked', issues: [ISSUE] });
  expect(await check(true, { type: 'object', required: ['b'] })).toMatchObject({
    issues: [{ field: 'fields.b' }],
  });
  expect(await check(true)).toEqual({ kind: 'checked', issues: [ISSUE] });
});

test("a value that takes long to check is checked in a worker, also against the platform's schema", async () => {
  const { check, asked } = validator({ kind: 'tooCostly' });
  const union = { anyOf: Array.from({ length: 90 }, (_, index) => ({ const: index })) };
  const schema: JsonObject = { type: 'object', properties: { list: { type: 'array', items: union } } };
  expect(await check(true, schema, { list: [0, 1, 2] })).toEqual({ kind: 'checked', issues: [] });
  expect(asked).toHaveLength(0);
  const list = Array.from({ length: 2_000 }, () => 0);
  expect(await check(true, schema, { list })).toEqual({ kind: 'tooCostly' });
  expect(asked).toEqual([['acc_1', JSON.stringify(schema), { value: { list }, root: 'fields' }, 500]]);
});

test("a large member of which the platform's schema asserts nothing is not read", async () => {
  const { check, asked } = validator({ kind: 'overloaded' });
  const schema: JsonObject = {
    type: 'object',
    properties: { body: { description: 'Anything.' }, url: { type: 'string' } },
  };
  const body = Array.from({ length: 200_000 }, () => 0);
  expect(await check(true, schema, { body, url: 1 })).toMatchObject({ issues: [{ field: 'fields.url' }] });
  expect(asked).toHaveLength(0);
});

test('a large member that nobody has parsed is sent to the worker as it is', async () => {
  const { check, asked } = validator({ kind: 'overloaded' });
  await check(false, SCHEMA, { a: new LazyJson(Buffer.from('[no JSON')) });
  expect(jsonBytes(asked[0]?.[2]).toString()).toBe('{"value":{"a":[no JSON},"root":"fields"}');
  const fields = { a: new LazyJson(Buffer.from('"no JSON'.padEnd(2_000_000))), b: null };
  await check(true, SCHEMA, fields);
  expect(jsonBytes(asked[1]?.[2]).toString()).toMatch(
    /^\{"value":\{"a":"no JSON *,"b":null\},"root":"fields"\}$/,
  );
  // Members that the schema does not constrain are not parsed, even in a synchronous check.
  await check(true, { type: 'object', properties: { a: {} } }, fields);
  expect(asked).toHaveLength(2);
});

test("a schema that takes long to compile is compiled in a worker, also one of the platform's", async () => {
  const { check, asked } = validator({ kind: 'result', result: [] });
  const schemaOf = (count: number): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])),
  });
  expect(await check(true, schemaOf(98))).toEqual({ kind: 'checked', issues: [] });
  expect(asked).toHaveLength(0);
  expect(await check(true, schemaOf(99))).toEqual({ kind: 'checked', issues: [] });
  expect(asked).toHaveLength(1);
});
