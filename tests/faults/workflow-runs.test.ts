import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { createHttpConnection, post, readHistory } from './support/api.ts';
import { kill, killAtRandom, processesOf } from './support/processes.ts';
import { isEverything } from './support/selection.ts';
import { startVendor } from './support/vendor.ts';
import type { RecordingVendor } from './support/vendor.ts';

const stack = inject('stack');

const TOOLS = 'services/tools/src/main.ts';
/** A run pauses at most 20 s after its replica died (services/tools/README.md). */
const TAKEN_OVER = { timeout: 180_000, interval: 100 };
const SEND = 'http-send-request';
const RUNS = 100;
const CALLERS = 8;
const RUNS_PER_KILL = 8;
const PAUSE_MS = 300;

let vendor: RecordingVendor;
let mongo: MongoClient;
/** The connection for calls that must not be repeated. */
let sending: number;
beforeAll(async () => {
  vendor = await startVendor();
  mongo = await MongoClient.connect(stack.mongodbUri);
  sending = await createHttpConnection(vendor.url);
});
afterAll(async () => {
  vendor.close();
  await mongo.close();
});

interface Row {
  readonly _id: number;
  readonly toolSlug: string;
  readonly isSettled: boolean;
  readonly isSuccess: boolean;
  readonly errorMessage: string | null;
  readonly fields: string;
}

async function rowsOf(toolSlug: string): Promise<Row[]> {
  await readHistory();
  return mongo
    .db('fairlead_tools')
    .collection<Row & { readonly accountId: string }>('executions')
    .find({ accountId: stack.account.accountId, toolSlug })
    .toArray();
}
const runsUnderWay = (): Promise<number> =>
  mongo.db('fairlead_tools').collection('workflow_runs').countDocuments();
const calls = (call: string): number => vendor.calls.filter((it) => it === call).length;
const times = (...of: string[]): number[] => of.map(calls);

/** The name of a run, from its input. */
const runOf = ({ fields }: Row): string => z.object({ run: z.string() }).parse(JSON.parse(fields)).run;

/** A step that sends to that path (or an expression's value), and must not be repeated. */
const send = (id: string, url: string, members: object = {}) => ({
  id,
  toolSlug: SEND,
  connectionId: sending,
  fields: { method: 'POST', url },
  ...members,
});

/** A step that reads at the vendor's path `at`, and may be repeated. */
async function read(id: string, at: string) {
  const { body } = await post('/v1/connections', {
    applicationSlug: 'key',
    connectionName: 'Killed',
    fields: { address: vendor.url + at, token: 'not-in-any-row' },
  });
  const connectionId = z.object({ id: z.int() }).parse(body).id;
  return { id, toolSlug: 'key-crm-whoami', applicationSlug: 'key', connectionId, fields: {} };
}

/** A workflow in a toolset with its steps' connections: its slug, and where it is executed. */
async function workflow(steps: readonly { readonly connectionId: number }[]) {
  const slug = `killed-${randomUUID()}`;
  const made = await post('/v1/workflows', { name: 'Killed', slug, steps });
  const { workflowToken } = z.object({ workflowToken: z.string() }).parse(made.body);
  const ids = [...new Set(steps.map(({ connectionId }) => connectionId))];
  const connections = ids.map((connectionId) => ({ connectionId }));
  const toolset = await post('/v1/toolsets', { name: 'Killed', connections, workflows: [{ workflowToken }] });
  const { id } = z.object({ id: z.string() }).parse(toolset.body);
  return { slug, path: `/v1/tools/${slug}/execute?toolsetId=${id}` };
}

it('kill -9 of tools during a step: a run goes on if the call may be made again, and ends saying so if not', async () => {
  const resumed = await workflow([
    send('first', '/resumed/first'),
    await read('read', '/resumed'),
    send('last', '/resumed/last'),
  ]);
  const doubtful = await workflow([
    send('first', '/doubtful/first'),
    send('unsafe', '/doubtful/unsafe'),
    send('last', '/doubtful/last'),
  ]);
  const inBoth = [vendor.hold('GET /resumed/api/whoami'), vendor.hold('POST /doubtful/unsafe')];
  const answers = Promise.all([resumed, doubtful].map(({ path }) => post(path, {})));
  await Promise.all(inBoth);
  for (const id of processesOf(stack, TOOLS)) kill(id);
  for (const { status } of await answers) expect([0, 503, 504]).toContain(status);
  vendor.release();
  await expect.poll(runsUnderWay, TAKEN_OVER).toBe(0);

  expect(
    times('POST /resumed/first', 'GET /resumed/api/whoami', 'POST /resumed/last'),
    'a call that may be made again is, and no other',
  ).toEqual([1, 2, 1]);
  expect(await rowsOf(resumed.slug)).toMatchObject([{ isSettled: true, isSuccess: true }]);
  expect(times('POST /doubtful/first', 'POST /doubtful/unsafe', 'POST /doubtful/last')).toEqual([1, 1, 0]);
  expect(await rowsOf(doubtful.slug)).toMatchObject([
    {
      isSettled: true,
      isSuccess: false,
      errorMessage: expect.stringContaining('during step "unsafe", whose tool is not idempotent') as string,
    },
  ]);
  const sent = (await rowsOf(SEND)).filter(({ fields }) => fields.includes('/doubtful/unsafe'));
  expect(sent).toMatchObject([{ isSettled: false, errorMessage: expect.any(String) as string }]);
});

it.runIf(isEverything)(
  'kill -9 of tools at random: of no run is an unsafe call made twice, and each row says where its run ended',
  { timeout: 600_000 },
  async () => {
    const steps = [
      send('a', '="/" & input.run & "/a"'),
      await read('b', '/random'),
      send('c', '="/" & input.run & "/c" & item', { forEach: '=[0..2]' }),
      await read('d', '/random'),
      send('e', '="/" & input.run & "/e"'),
    ];
    const { slug, path } = await workflow(steps);
    const effects = (run: string): string[] =>
      ['a', 'c0', 'c1', 'c2', 'e'].map((end) => `POST /${run}/${end}`);
    let ended = 0;
    const killing = killAtRandom(stack, TOOLS, { per: RUNS_PER_KILL, done: () => ended });
    let next = 0;
    const answered: string[] = [];
    const caller = async (): Promise<void> => {
      for (let number = (next += 1); number <= RUNS; number = next += 1) {
        await killing.next();
        const { status } = await post(path, { fields: { run: `run-${number}` } });
        ended += 1;
        if (status === 200) answered.push(`run-${number}`);
        else await delay(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const kills = await killing.stop();
    await expect.poll(runsUnderWay, TAKEN_OVER).toBe(0);

    const rows = await rowsOf(slug);
    const tally = { kills, answered: answered.length, rows: rows.length, whole: 0, stopped: 0 };
    for (const row of rows) {
      const run = runOf(row);
      const made = times(...effects(run));
      const [, doubtful = ''] =
        /during step "([ace])", whose tool is not idempotent/.exec(row.errorMessage ?? '') ?? [];
      const count = made.filter((it) => it > 0).length;
      const ends = effects(run).map((call) => call.split('/').at(-1)?.[0]);
      // The call in doubt is the last one that the vendor got, or would have got next.
      const isClear = row.isSuccess
        ? count === made.length
        : [ends[count - 1], ends[count]].includes(doubtful);
      expect({ row, made, isSettled: row.isSettled, isClear }).toEqual({
        row,
        made: made.map((_, index) => (index < count ? 1 : 0)),
        isSettled: true,
        isClear: true,
      });
      tally[row.isSuccess ? 'whole' : 'stopped'] += 1;
    }
    console.log(tally);
    const recorded = new Set(rows.map(runOf));
    const sent = (await rowsOf(SEND)).map(({ fields }) => fields);
    const unknown = vendor.calls.filter((call) => {
      const [, url, run] = /^POST (\/(run-\d+)\/.+)$/.exec(call) ?? [];
      if (url === undefined || run === undefined) return false;
      return !recorded.has(run) || !sent.some((fields) => fields.includes(`"${url}"`));
    });
    expect(unknown).toEqual([]);
    expect(answered.filter((run) => !recorded.has(run))).toEqual([]);
    expect(kills).toBeGreaterThan(0);
    expect(tally.whole).toBeGreaterThan(0);
  },
);
