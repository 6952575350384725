import type { JsonObject } from '@fairlead/connector-model/model';
import { ManualClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, it, onTestFinished } from 'vitest';
import { parseAnswer } from './evaluation-job.ts';
import { createEvaluationWorkers } from './evaluation-workers.ts';
import type { Evaluation, EvaluationLimits } from './evaluation-workers.ts';
import { schemaProgram } from './json-schema/schema-program.ts';

/** A long time, in which nothing that a test does can end by itself. */
const LONG_MS = 60_000;
const SLOW: JsonObject = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
const SLOW_VALUE: JsonObject = { a: `${'a'.repeat(60)}!` };

function start(limits: Partial<EvaluationLimits> = {}, unresponsiveMs = LONG_MS) {
  const log = captureLog('info');
  const clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
  const workers = createEvaluationWorkers({
    log: log.log,
    clock,
    limits,
    poolLimits: { unresponsiveMs, startMs: LONG_MS, idleMs: LONG_MS },
  });
  onTestFinished(() => workers.close());
  const check = (
    accountId: string,
    schema: JsonObject,
    value: JsonObject,
    { signal = new AbortController().signal, timeoutMs = LONG_MS } = {},
  ): Promise<Evaluation> =>
    workers.evaluate(accountId, schemaProgram(schema), { value, root: 'fields' }, { signal, timeoutMs });
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

it('a run that takes too long is stopped, and the second time its program is not used any more by that account', async () => {
  const { check, warnings } = start({ runMs: 200 });
  expect(await check('hostile', SLOW, { a: 'aaa' })).toEqual({ kind: 'result', result: [] });
  expect(await check('hostile', SLOW, SLOW_VALUE)).toEqual({ kind: 'tooCostly' });
  expect(await check('hostile', { ...SLOW }, SLOW_VALUE)).toEqual({ kind: 'tooCostly' });
  expect(warnings()).toHaveLength(1);
  expect(await check('hostile', SLOW, { a: 'aaa' })).toEqual({ kind: 'unusable' });
  expect(await check('other', SLOW, { a: 'aaa' })).toEqual({ kind: 'result', result: [] });
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

it.each<[string, JsonObject, JsonObject]>([
  ['a pattern that backtracks endlessly', SLOW, SLOW_VALUE],
  ['a union of 7 000 members', list(union(7_000)), { list: [1] }],
  [
    'a body of 5 MiB whose every part is wrong',
    list({ type: 'number' }),
    { list: Array.from({ length: 99_000 }, () => 'x'.repeat(48)) },
  ],
])(
  '%s costs the service itself less than 50 ms of processor time',
  { timeout: 120_000 },
  async (_name, schema, value) => {
    const { check } = start({ runMs: 200 });
    await check('hostile', { type: 'object' }, {});
    const before = process.threadCpuUsage();
    const CALLS = 3;
    for (let call = 0; call < CALLS; call += 1)
      await check('hostile', { ...schema, title: `${call}` }, value);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000 / CALLS).toBeLessThan(50);
  },
);

it('an answer of a worker that may be compromised is checked', () => {
  for (const answer of [null, [], 'result', {}, { kind: 'else' }])
    expect(() => parseAnswer(answer)).toThrow('A worker answered something else');
  expect(parseAnswer({ kind: 'result' })).toEqual({ kind: 'result', result: null });
  expect(parseAnswer({ kind: 'invalid', reason: 'x'.repeat(10_000) })).toEqual({
    kind: 'invalid',
    reason: 'x'.repeat(500),
  });
});

it('a large value is masked for less than 50 ms of processor time of the service itself', async () => {
  const workers = createEvaluationWorkers({
    log: captureLog('info').log,
    clock: new ManualClock(new Date('2026-11-22T10:00:00Z')),
    poolLimits: { unresponsiveMs: LONG_MS, startMs: LONG_MS, idleMs: LONG_MS },
  });
  onTestFinished(() => workers.close());
  const o = { signal: new AbortController().signal, timeoutMs: LONG_MS };
  const secret = 's3cr3t-of-the-account';
  const base64 = Buffer.from(secret).toString('base64');
  expect(await workers.mask('a', { [secret]: [base64, 7] }, [secret], o)).toEqual({ '***': ['***', 7] });
  // Text that reads as base64 and hex, in escapes of escapes, is the slowest.
  const value = { text: `%5C${'abcdef%2541'.repeat(95_000)}${base64}` };
  const before = process.threadCpuUsage();
  const masked = await workers.mask('a', value, [secret], o);
  const { user, system } = process.threadCpuUsage(before);
  expect(JSON.stringify(masked)).toContain('***');
  expect(JSON.stringify(masked)).not.toContain(base64);
  expect((user + system) / 1_000).toBeLessThan(50);
});

it('a value is not masked if there is no worker in time', async () => {
  const workers = createEvaluationWorkers({
    log: captureLog('info').log,
    clock: new ManualClock(new Date('2026-11-22T10:00:00Z')),
  });
  await workers.close();
  expect(
    await workers.mask('a', { a: 'b' }, ['secret'], {
      signal: new AbortController().signal,
      timeoutMs: LONG_MS,
    }),
  ).toBeUndefined();
});

it('an error that nobody expects is logged without its texts, which may quote the value', async () => {
  const { workers, lines } = start();
  // More than a worker may answer.
  const value = { a: 'x'.repeat(3 * 1024 * 1024) };
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
