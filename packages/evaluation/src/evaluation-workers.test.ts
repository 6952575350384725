import type { JsonObject } from '@fairlead/connector-model/json';
import { ManualClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAnswer } from './evaluation-job.ts';
import { createEvaluationWorkers } from './evaluation-workers.ts';
import type { Evaluation, EvaluationLimits } from './evaluation-workers.ts';
import { conditionProgram, parseTemplateResult } from './jsonata/template-program.ts';
import { schemaProgram } from './json-schema/schema-program.ts';

/** Long enough that no time limit ends a test's evaluation. */
const LONG_MS = 60_000;
const bytesOf = (text: string) => new LazyJson(Buffer.from(text));
const SLOW: JsonObject = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
const SLOW_VALUE: JsonObject = { a: `${'a'.repeat(60)}!` };

function start(
  limits: Partial<EvaluationLimits> = {},
  unresponsiveMs = LONG_MS,
  poolLimits: { readonly resultBytes?: number } = {},
) {
  const log = captureLog('info');
  const clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
  const workers = createEvaluationWorkers({
    log: log.log,
    clock,
    limits,
    poolLimits: { unresponsiveMs, startMs: LONG_MS, idleMs: LONG_MS, ...poolLimits },
  });
  onTestFinished(() => workers.close());
  const check = (
    accountId: string,
    schema: JsonObject,
    value: LazyObject,
    { signal = new AbortController().signal, timeoutMs = LONG_MS, excessCounts = true } = {},
  ): Promise<Evaluation> =>
    workers.evaluate(
      accountId,
      schemaProgram(schema),
      { value, root: 'fields' },
      { signal, timeoutMs, excessCounts },
    );
  const warnings = (): unknown[] =>
    log.lines().filter(({ level, msg }) => level === 'warn' && msg?.includes('program'));
  return { workers, check, clock, warnings, lines: log.lines };
}

it("checks values against an account's schema, and against a changed one at once", async () => {
  const { check } = start();
  const schema = (type: string): JsonObject => ({ type: 'object', properties: { a: { type } } });
  for (const type of ['string', 'number', 'boolean', 'string']) {
    expect(await check('a', schema(type), { a: null })).toEqual({
      kind: 'result',
      result: [{ field: 'fields.a', issue: `must be ${type}` }],
    });
  }
});

it('a run that takes too long is stopped, and the second time its program is not used by that account for an hour', async () => {
  const { check, warnings } = start({ runMs: 200 });
  expect(await check('hostile', SLOW, { a: 'aaa' })).toEqual({ kind: 'result', result: [] });
  expect(await check('hostile', SLOW, SLOW_VALUE)).toEqual({ kind: 'tooCostly' });
  expect(await check('hostile', { ...SLOW }, SLOW_VALUE)).toEqual({ kind: 'tooCostly' });
  expect(warnings()).toHaveLength(1);
  expect(await check('hostile', SLOW, { a: 'aaa' })).toEqual({ kind: 'unusable' });
  expect(await check('other', SLOW, { a: 'aaa' })).toEqual({ kind: 'result', result: [] });
});

it('a run that takes too long for its input is stopped, and its program is used all the same', async () => {
  const { check, warnings } = start({ runMs: 200 });
  // Otherwise the account would be in quarantine after so many lost workers.
  for (let at = 0; at < 6; at += 1)
    expect(await check('a', SLOW, SLOW_VALUE, { excessCounts: false })).toEqual({ kind: 'tooCostly' });
  expect(await check('a', SLOW, { a: 'aaa' })).toEqual({ kind: 'result', result: [] });
  expect(warnings()).toEqual([]);
});

it('a schema that branches endlessly is stopped', async () => {
  const { check } = start({ runMs: 200 });
  const branch = { allOf: [{ properties: { x: { $ref: '#/$defs/a' } } }, { required: ['no'] }] };
  const schema = { $defs: { a: { anyOf: [branch, branch] } }, $ref: '#/$defs/a' };
  let value: JsonObject = {};
  for (let depth = 0; depth < 40; depth += 1) value = { x: value };
  expect(await check('hostile', schema, value)).toEqual({ kind: 'tooCostly' });
});

it('a program that does not compile is logged once, with its reason', async () => {
  const { check, warnings } = start();
  for (const _ of [1, 2]) expect(await check('a', { type: 'text' }, {})).toEqual({ kind: 'unusable' });
  expect(warnings()).toEqual([
    expect.objectContaining({ accountId: 'a', reason: expect.stringContaining('neither valid') as string }),
  ]);
});

it('one that takes too long to compile is tried again after a minute', async () => {
  const { check, clock, warnings } = start({ compileMs: 1 });
  const members = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`m${index}`, { type: ['string', 'null'], format: 'uri' }]),
  );
  const schema: JsonObject = { type: 'object', properties: members };
  for (const _ of [1, 2]) expect(await check('a', schema, {})).toEqual({ kind: 'unusable' });
  expect(warnings()).toHaveLength(1);
  clock.advance(60_000);
  expect(await check('a', schema, {})).toEqual({ kind: 'unusable' });
  expect(warnings()).toHaveLength(2);
});

it(
  'while an account keeps its worker busy, others are served; its own wait, within their time',
  { timeout: LONG_MS },
  async () => {
    const { check } = start({ runMs: LONG_MS }, 2_000);
    const stop = new AbortController();
    const spinning = check('hostile', SLOW, SLOW_VALUE, { signal: stop.signal });
    const waiting = check('hostile', SLOW, { a: 'aaa' }, { timeoutMs: 50 });
    expect(await waiting).toEqual({ kind: 'overloaded' });
    expect(await check('other', SLOW, { a: 'aaa' })).toEqual({ kind: 'result', result: [] });
    stop.abort();
    expect(await spinning).toEqual({ kind: 'overloaded' });
    expect(await check('hostile', SLOW, { a: 'aaa' })).toEqual({ kind: 'result', result: [] });
  },
);

const union = (count: number): JsonObject => ({ anyOf: Array.from({ length: count }, () => ({})) });
const list = (items: JsonObject): JsonObject => ({
  type: 'object',
  properties: { list: { type: 'array', items } },
});

it('a union of thousands of members is not compiled, and of what is wrong in a large value the first issue is told', async () => {
  const { check } = start();
  expect(await check('hostile', list(union(7_000)), { list: [1] })).toEqual({ kind: 'unusable' });
  const wrong = { list: Array.from({ length: 99_000 }, () => 'x'.repeat(48)) };
  expect(await check('hostile', list({ type: 'number' }), wrong)).toEqual({
    kind: 'result',
    result: [{ field: 'fields.list[0]', issue: 'must be number' }],
  });
});

it('a condition is true or not, over a value or its text; what it is otherwise is not sent', async () => {
  const { workers } = start();
  const o = { signal: new AbortController().signal, timeoutMs: LONG_MS };
  const holds = async (condition: string, input: Parameters<typeof workers.evaluate>[2]) => {
    const evaluation = await workers.evaluate('a', conditionProgram(condition), input, o);
    return evaluation.kind === 'result' ? parseTemplateResult(evaluation.result) : evaluation;
  };
  expect(await holds('a = 1', { a: 1 })).toEqual({ value: true });
  expect(await holds('a = 1', new LazyJson(Buffer.from('{"a":1}')))).toEqual({ value: true });
  for (const other of ['a', '$', 'b', '"true"', '[true, true]', '$keys'])
    expect(await holds(other, new LazyJson(Buffer.from('{"a":[{"b":{}}]}'))), other).toEqual({
      value: false,
    });
  expect(await holds('$error("no")', {})).toEqual({ error: { path: '', message: 'no' } });
});

it('an answer of a worker that may be compromised is checked', () => {
  for (const answer of [null, [], 'result', {}, { kind: 'else' }])
    expect(() => parseAnswer(answer)).toThrow('The answer of a worker is not');
  expect(parseAnswer({ kind: 'result' })).toEqual({ kind: 'result', result: null });
  expect(parseAnswer({ kind: 'invalid', reason: 'x'.repeat(10_000) })).toEqual({
    kind: 'invalid',
    reason: 'x'.repeat(500),
  });
});

it('a large value is masked, in the worker', async () => {
  const workers = createEvaluationWorkers({
    log: captureLog('info').log,
    clock: new ManualClock(new Date('2026-11-22T10:00:00Z')),
    poolLimits: { unresponsiveMs: LONG_MS, startMs: LONG_MS, idleMs: LONG_MS },
  });
  onTestFinished(() => workers.close());
  const o = { signal: new AbortController().signal, timeoutMs: LONG_MS };
  const secret = 's3cr3t-of-the-account';
  const base64 = Buffer.from(secret).toString('base64');
  const mask = (value: JsonObject) => workers.mask('a', bytesOf(JSON.stringify(value)), [secret], o);
  expect(await mask({ [secret]: [base64, 7] })).toEqual(bytesOf('{"***":["***",7]}'));
  // The slowest text is base64 and hex in nested escapes.
  const value = { text: `%5C${'abcdef%2541'.repeat(95_000)}${base64}` };
  const masked = await mask(value);
  expect(masked?.text).toContain('***');
  expect(masked?.text).not.toContain(base64);
  const without = bytesOf('{"a": "b"}');
  expect(await workers.mask('a', without, [secret], o)).toBe(without);
});

it('what a schema flags in a value is collected in the worker, also where nothing is parsed here', async () => {
  const { workers, check } = start();
  const o = { signal: new AbortController().signal, timeoutMs: LONG_MS };
  const schema: JsonObject = {
    properties: { list: { items: { properties: { pin: { writeOnly: true } } } } },
  };
  const list = new LazyJson(Buffer.from('[{"pin":"pin-1","at":"here"},{"pin":12345}]'));
  expect(await workers.collectSecrets('a', schema, { list }, o)).toEqual(['pin-1', '12345']);
  expect(await check('a', { properties: { list: { maxItems: 1 } } }, { list })).toMatchObject({
    result: [{ field: 'fields.list' }],
  });
  await workers.close();
  expect(await workers.collectSecrets('a', schema, { list }, o)).toBeUndefined();
});

it('a value is not masked if there is no worker in time', async () => {
  const workers = createEvaluationWorkers({
    log: captureLog('info').log,
    clock: new ManualClock(new Date('2026-11-22T10:00:00Z')),
  });
  await workers.close();
  expect(
    await workers.mask('a', bytesOf('{"a":"b"}'), ['secret'], {
      signal: new AbortController().signal,
      timeoutMs: LONG_MS,
    }),
  ).toBeUndefined();
});

it('an error that nobody expects is logged without its texts, which may quote the value', async () => {
  const { workers, lines } = start({}, LONG_MS, { resultBytes: 1_000 });
  // More than a worker may answer.
  const value = bytesOf(JSON.stringify({ a: 'x'.repeat(2_000), b: 'secret' }));
  const o = { signal: new AbortController().signal, timeoutMs: LONG_MS };
  expect(await workers.mask('a', value, ['secret'], o)).toBeUndefined();
  expect(lines()).toContainEqual(
    expect.objectContaining({
      msg: 'an evaluation ended unexpectedly',
      defect: { name: 'JobDefectError', stack: expect.stringContaining('/serve-jobs.ts:') as string },
    }),
  );
  expect(JSON.stringify(lines())).not.toContain('too large');
});

describe('an output that is not built', () => {
  const o = { signal: new AbortController().signal, timeoutMs: LONG_MS };
  const what = { secrets: ['s-3cret'], flags: null, parts: null, maxStoredBytes: 200 };
  const outputOf = (value: unknown): UnbuiltOutput =>
    new UnbuiltOutput({ kind: 'output' }, Buffer.from(JSON.stringify(value)));

  it('is masked, cut for the history, and returned as its JSON', async () => {
    const { workers } = start();
    const output = outputOf({
      key: 'x s-3cret',
      text: 'é'.repeat(1_000),
      password: 'flagged',
      again: 'flagged',
    });
    const flags = { properties: { password: { format: 'password' } } };
    const finished = await workers.finish('a', output, { ...what, flags }, o);
    if (finished?.kind !== 'finished') throw new Error('The output was not finished.');
    const masked = { key: 'x ***', text: 'é'.repeat(1_000), password: '***', again: '***' };
    expect(JSON.parse(finished.answer.text)).toEqual(masked);
    expect(JSON.parse(finished.stored.text)).toMatchObject({ key: 'x ***' });
    expect(finished.stored.text).toMatch(/\[cut: \d+ more/);
    expect(finished).toMatchObject({ secrets: ['flagged'], isBinary: false });
  });

  it('is made of a response, of which paths select a part', async () => {
    const { workers } = start();
    const headers = { 'content-type': 'application/json' };
    const shape = { kind: 'response', status: 200, headers } as const;
    const output = new UnbuiltOutput(shape, Buffer.from('{"items":[{"a":1,"b":2},{"a":3}]}'));
    const finished = await workers.finish('a', output, { ...what, parts: ['body.items.a', 'status'] }, o);
    expect(finished).toMatchObject({
      answer: bytesOf('{"status":200,"body":{"items":[{"a":1},{"a":3}]}}'),
      stored: bytesOf(
        `{"status":200,"headers":${JSON.stringify(headers)},"body":{"items":[{"a":1,"b":2},{"a":3}]}}`,
      ),
    });
  });

  it('fails above the limits of an output', async () => {
    const { workers } = start();
    const nested = (levels: number): UnbuiltOutput =>
      new UnbuiltOutput({ kind: 'output' }, Buffer.from(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`));
    const failing = [
      outputOf({ text: 'x'.repeat(1024 * 1024) }),
      outputOf({ a: Array(100_000).fill(1) }),
      nested(40),
    ];
    const messages = [/larger than 1 MiB/, /more than 100000 JSON values/, /more than 40 levels/];
    for (const [at, output] of failing.entries())
      expect(await workers.finish('a', output, what, o)).toMatchObject({
        kind: 'failed',
        message: expect.stringMatching(messages[at] ?? /^$/) as string,
      });
    expect(await workers.finish('a', nested(39), what, o)).toMatchObject({ kind: 'finished' });
  });

  it('is undefined if no worker finishes it in time', async () => {
    const { workers } = start();
    const signal = AbortSignal.abort();
    expect(await workers.finish('a', outputOf({}), what, { ...o, signal })).toBeUndefined();
  });

  it('is checked against a schema as one that is built', async () => {
    const { workers } = start();
    const program = schemaProgram({ properties: { a: { type: 'number' } } });
    const input = { output: outputOf({ a: 'x' }), root: 'output' };
    expect(await workers.evaluate('a', program, input, o)).toEqual({
      kind: 'result',
      result: [{ field: 'output.a', issue: 'must be number' }],
    });
  });
});
