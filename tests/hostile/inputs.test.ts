import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { get, post } from '../contract/support/api.ts';
import type { Answer } from '../contract/support/api.ts';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { areFiguresMeasured, times } from './support/figures.ts';
import { connect, execute } from './support/meet.ts';
import { openToolServers } from './support/tool-servers.ts';
import type { ToolServers } from './support/tool-servers.ts';
import { expectNoGrowth, whileOthersAreServed } from './support/observe.ts';
import type { AttackingCall } from './support/observe.ts';

/**
 * Number of calls per attack. A measured run makes so many that the bystander's own calls, which are measured together with them, are
 * negligible.
 */
const REPEATS = times(4, 20);
const REPEATS_OF_LARGE_BODIES = times(2, 8);
const MIB = 1024 * 1024;

let bystander: Bystander;
let toolServers: ToolServers;
let http = 0;
beforeAll(async () => {
  toolServers = openToolServers();
  bystander = await startBystander();
  const fields = { baseUrl: inject('hostileVendorUrl'), apiKey: 'k' };
  http = await connect({ connection: { applicationSlug: 'http', authenticationId: 1, fields } });
});
afterAll(async () => {
  await bystander.stop();
  await toolServers.close();
});

/** A quarter of the attacking calls so far; the last test repeats them. */
const all: AttackingCall[] = [];

/** Repeats a call while others are served, and checks each response. */
async function repeat(call: AttackingCall, check: (answer: Answer) => void, count = REPEATS): Promise<void> {
  all.push(...Array<AttackingCall>(Math.ceil(count / 4)).fill(call));
  const answers = await whileOthersAreServed(bystander, Array<AttackingCall>(count).fill(call));
  for (const answer of answers) check(answer);
}

/** Checks that a request was refused because of its body. */
function refused(answer: Answer): void {
  expect({
    status: answer.status,
    code: answer.body?.errorCode,
    text: answer.text.slice(0, 500),
  }).toMatchObject({
    status: 400,
    code: 'VALIDATION_ERROR',
  });
}

const json = { headers: { 'content-type': 'application/json' } };

describe('bodies', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  it.each<[string, string]>([
    ['5 MiB of empty objects', `[${'{},'.repeat((5 * MIB - 100) / 3)}{}]`],
    ['350 000 members', `{${Array.from({ length: 350_000 }, (_member, at) => `"a${at}":1`).join()}}`],
    ['11 000 names', `{${Array.from({ length: 11_000 }, (_member, at) => `"a${at}":1`).join()}}`],
    [
      'pairs of 300 names',
      `[${Array.from({ length: 30_000 }, (_object, at) => `{"a${at % 300}":1,"a${at % 299}":1}`).join()}]`,
    ],
    ['350 000 elements', `[${'1,'.repeat(350_000)}1]`],
    ['5 000 levels', nested(5_000)],
    ['2 000 000 levels that never close', '['.repeat(2_000_000)],
  ])('%s are refused', async (_name, value) => {
    const body = `{"fields":{"url":"/","body":${value}}}`;
    await repeat(
      () => post('/v1/tools/http-send-request/execute', undefined, { raw: body, ...json }),
      refused,
      REPEATS_OF_LARGE_BODIES,
    );
    await repeat(
      () => post('/v1/connections', undefined, { raw: body, ...json }),
      refused,
      REPEATS_OF_LARGE_BODIES,
    );
  });

  // More names are refused together with the body.
  it('4 000 headers of a request are a failed call', async () => {
    const headers = Object.fromEntries(Array.from({ length: 4_000 }, (_header, at) => [`x-${at}`, 'v']));
    const call = { toolSlug: 'http-send-request', fields: { url: '/', headers } };
    await repeat(
      () => execute(http, call),
      (answer) => expect(answer.body, answer.text).toMatchObject({ isSuccess: false }),
    );
  });

  it('a query of 4 MiB is a failed call', async () => {
    const query = { a: Array<string>(40).fill('x'.repeat(100_000)) };
    const call = { toolSlug: 'http-send-request', fields: { url: '/', query } };
    await repeat(
      () => execute(http, call),
      (answer) => expect(answer.body, answer.text).toMatchObject({ isSuccess: false }),
      REPEATS_OF_LARGE_BODIES,
    );
  });
});

describe('schemas of an account’s own tools', () => {
  const anyOf = Array.from({ length: 7_000 }, (_member, at) => ({ const: at }));
  const nestedAnyOf = (levels: number): JsonObject =>
    levels === 0
      ? { type: 'string' }
      : { anyOf: [{ items: nestedAnyOf(levels - 1) }, { items: nestedAnyOf(levels - 1) }] };
  const spinning = `${'a'.repeat(40)}!`;
  it.each<[string, JsonObject, Json]>([
    ['a union of 7 000 members', { anyOf }, 'x'],
    ['a union of 400 members', { anyOf: anyOf.slice(0, 400) }, 'x'],
    ['unique items', { uniqueItems: true }, Array.from({ length: 20_000 }, (_item, at) => ({ at }))],
    ['unions in unions', nestedAnyOf(10), [[[[[[[[[[1]]]]]]]]]]],
    ['a schema that refers to itself', { $ref: '#/properties/a' }, 1],
    ['many issues', { items: { type: 'object', required: ['a', 'b', 'c'] } }, Array<number>(50_000).fill(1)],
    // Last, because afterwards checks of the account's schemas are refused for a while.
    ['a pattern that runs for ever', { type: 'string', pattern: '^(a+)+$' }, spinning],
    ['names that match such a pattern', { patternProperties: { '^(a|a)*$': {} } }, { [spinning]: 1 }],
  ])('%s: the call is answered', async (_name, schema, value) => {
    const inputSchema = { type: 'object', properties: { a: schema } };
    const connection = await connect({ connection: await toolServers.serve([{ name: 'do', inputSchema }]) });
    await repeat(
      () => execute(connection, { toolSlug: 'do', fields: { a: value } }),
      (answer) => expect([200, 400, 429], answer.text.slice(0, 500)).toContain(answer.status),
    );
  });
});

describe('searches', () => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzabcdef';
  const changed = (at: number, by: string): string => alphabet.slice(0, at) + by + alphabet.slice(at + 1);
  const words = (wordOf: (at: number) => string, count: number): string =>
    Array.from({ length: count }, (_word, at) => wordOf(at)).join(' ');
  it.each<[string, (tool: number, word: number) => string, string]>([
    [
      'prefixes of every word',
      (tool, word) => `${'a'.repeat(16)}${tool}x${word}`,
      words((at) => 'a'.repeat(at + 2), 16),
    ],
    [
      'words that differ in one letter',
      (tool, word) => changed((tool * 7 + word) % 32, String.fromCodePoint(0x4e00 + tool)),
      words((at) => changed(at, 'Z'), 16),
    ],
  ])('%s, in 1 000 tools of the account', async (_name, wordOf, query) => {
    const tools = Array.from({ length: 1_000 }, (_tool, tool) => ({
      name: `tool-${tool}`,
      description: words((word) => wordOf(tool, word), 40),
      inputSchema: { type: 'object' },
    }));
    await connect({ connection: await toolServers.serve(tools) });
    await repeat(
      () => get(`/v1/tools?search=${encodeURIComponent(query)}`),
      (answer) => expect(answer.status).toBe(200),
    );
  });
});

it.runIf(areFiguresMeasured)(
  'a repeat of the attacks adds less than a fifth to the memory of a service',
  async () => {
    await expectNoGrowth(() => whileOthersAreServed(bystander, all));
  },
);
