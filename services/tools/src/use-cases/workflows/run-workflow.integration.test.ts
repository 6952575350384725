import { accountOf, confinementOf, userOf } from '@fairlead/service-kit/context/context';
import { confinedContext, testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { FROM_REST, originOf } from '../../domain/call-origin.ts';
import type { WorkflowStep } from '../../domain/workflow.ts';
import { schema } from '../../storage/schema.ts';
import { workflowRunCollection } from '../../storage/workflow-run.collection.ts';
import { step, workflowWorld } from '../../testing/workflow-runs.ts';
import { toolRequest } from '../../testing/tool-calls.ts';
import type { Death } from '../../testing/workflow-runs.ts';

let store: Awaited<ReturnType<typeof testStore>>;
let world: ReturnType<typeof workflowWorld>;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
beforeEach(() => {
  world = workflowWorld(store);
});
afterAll(() => store.drop());

const called = () => world.vendorCalls.map(({ tool, fields }) => [tool, fields['step'] ?? fields['item']]);
/** The part of a stored run that this test reads. */
const ORIGIN_TEXT = `"origin":${JSON.stringify(FROM_REST)},`;
const SEND = step('send', 'crm-send');
const PUT = step('put', 'crm-put');
const LAST = step('last', 'crm-send');
/** Not UNAVAILABLE: clients would retry it, and so start a second run. */
const LEFT = {
  code: 'TIMEOUT',
  message: expect.stringMatching(/^Another replica goes on with the run; see execution \d+\.$/) as string,
};

/** Runs on a replica that dies at the given place, and continues on another one. */
async function interruptRun(steps: readonly WorkflowStep[], death: Death) {
  const request = await world.workflow(steps);
  const first = world.replica(death);
  void world.run(first, request);
  await first.died;
  expect(await world.takeOver(world.replica(), { isExpired: false })).toBeUndefined();
  return await world.takeOver(world.replica());
}

test('a run of a confined key stays confined in its steps, and on the replica that takes it over', async () => {
  const request = await world.workflow([PUT, LAST]);
  const confinement = { toolsetId: request.toolsetId ?? '', keyId: 'key_1' };
  const by = confinedContext(confinement, accountOf(world.ctx));
  const first = world.replica({ at: 'save stepEnd', nth: 1, when: 'after' });
  void world.run(first, { ...request, toolsetId: undefined }, by);
  await first.died;
  const second = world.replica();
  const seen: unknown[] = [];
  const findConnections: typeof second.deps.connections.findConnections = (ctx, ...o) => {
    seen.push(confinementOf(ctx));
    return connections.findConnections(ctx, ...o);
  };
  const { connections } = second.deps;
  const deps = { ...second.deps, connections: { ...connections, findConnections } };
  expect((await world.takeOver({ ...second, deps }))?.outcome).toMatchObject({ isSuccess: true });
  expect(called()).toEqual([
    ['crm-put', 'put'],
    ['crm-send', 'last'],
  ]);
  expect(seen).toEqual([confinement]);
  expect((await world.rows()).map(({ info }) => info.keyId)).toEqual(['key_1', 'key_1', 'key_1']);
});

test('steps run in order, one row each, and one for the run', async () => {
  world.answers(({ tool, fields }) =>
    tool.toolSlug === 'crm-read' ? { items: [{ id: 1 }, { id: 2 }] } : { sent: fields['item'] ?? null },
  );
  const request = await world.workflow(
    [
      step('find', 'crm-read', { fields: { q: '=input.q' } }),
      step('never', 'crm-send', { when: '=input.q = "other"' }),
      step('each', 'crm-send', { forEach: '=steps.find.output.items', fields: { item: '=item.id' } }),
    ],
    {
      output: { sent: '=steps.each.output.sent', skipped: '=$not($exists(steps.never))' },
      fields: { q: 'a' },
    },
  );
  const result = await world.run(world.replica(), request);
  expect(result).toMatchObject({
    outcome: { isSuccess: true, output: { sent: [1, 2], skipped: true } },
    info: {
      connectionId: null,
      connectionResolution: 'none',
      applicationSlug: 'workflow',
      toolSlug: request.toolSlug,
      attempts: 3,
    },
  });
  expect((await world.rows()).map(({ info, outcome }) => [info.toolSlug, outcome.isSuccess])).toEqual([
    [request.toolSlug, true],
    ['crm-read', true],
    ['crm-send', true],
    ['crm-send', true],
  ]);
  expect(await world.storedRuns()).toBe('[]');
});

test('a run that came through an MCP server says so in its rows, also on the replica that takes it over', async () => {
  const request = await world.workflow([PUT, LAST]);
  const first = world.replica({ at: 'save stepEnd', nth: 1, when: 'after' });
  void world.run(first, { ...request, origin: originOf('Support') });
  await first.died;
  const { userId } = userOf(world.ctx);
  const run = { userId, source: 'mcp', mcpServerName: 'Support' };
  expect((await world.takeOver(world.replica()))?.info).toMatchObject(run);
  const step = { ...run, source: 'workflow' };
  expect((await world.rows()).map(({ info }) => info)).toMatchObject([run, step, step]);
});

test('a run without a toolset goes on without one on the replica that takes it over', async () => {
  const { toolSlug } = await world.workflow([PUT, LAST]);
  const workflowToken = (await world.workflows.findBySlug(world.ctx, accountOf(world.ctx), toolSlug))
    ?.workflowToken;
  const first = world.replica({ at: 'save stepEnd', nth: 1, when: 'after' });
  void world.run(first, { ...toolRequest({ toolSlug: '' }), workflowToken });
  await first.died;
  expect((await world.takeOver(world.replica()))?.outcome).toMatchObject({ isSuccess: true });
  expect((await world.rows()).map(({ info }) => [info.toolSlug, info.connectionResolution])).toEqual([
    [toolSlug, 'none'],
    ['crm-put', 'default'],
    ['crm-send', 'default'],
  ]);
});

test('a run of a client without a credential goes on as no user on the replica that takes it over', async () => {
  const { toolSlug } = await world.workflow([PUT, LAST]);
  const accountId = accountOf(world.ctx);
  const workflowToken = (await world.workflows.findBySlug(world.ctx, accountId, toolSlug))?.workflowToken;
  const by = testContext({ caller: { kind: 'anonymousClient', accountId, serverId: 'server-1' } });
  const first = world.replica({ at: 'save stepEnd', nth: 1, when: 'after' });
  const request = { ...toolRequest({ toolSlug: '', origin: originOf('Support') }), workflowToken };
  void world.run(first, request, by);
  await first.died;
  expect((await world.takeOver(world.replica()))?.outcome).toMatchObject({ isSuccess: true });
  expect((await world.rows()).map(({ info }) => [info.userId, info.mcpServerName])).toEqual([
    [null, 'Support'],
    [null, 'Support'],
    [null, 'Support'],
  ]);
});

test('a run that an earlier release began came over REST', async () => {
  const request = await world.workflow([PUT, LAST]);
  const first = world.replica({ at: 'save stepEnd', nth: 1, when: 'after' });
  void world.run(first, request);
  await first.died;
  await store.collection(workflowRunCollection).updateMany({ accountId: accountOf(world.ctx) }, [
    {
      $set: {
        head: { $replaceOne: { input: '$head', find: ORIGIN_TEXT, replacement: '' } },
      },
    },
  ]);
  expect(await world.storedRuns()).not.toContain('origin');
  const ended = await world.takeOver(world.replica());
  expect(ended).toMatchObject({
    outcome: { isSuccess: true },
    info: { source: 'rest', mcpServerName: null },
  });
});

test('a failed step stops the run, unless it may be passed over', async () => {
  world.answers(({ tool }) => (tool.toolSlug === 'crm-send' ? 'No such person.' : { ok: true }));
  const stopping = await world.workflow([SEND, PUT]);
  expect((await world.run(world.replica(), stopping)).outcome).toEqual({
    isSuccess: false,
    errorMessage: 'Step "send" failed: No such person.',
  });
  expect(called()).toEqual([['crm-send', 'send']]);
  const going = await world.workflow([{ ...SEND, onError: 'continue' }, PUT], { output: '=steps.send' });
  expect((await world.run(world.replica(), going)).outcome).toEqual({
    isSuccess: true,
    output: { isSuccess: false, output: null, errorMessage: 'No such person.' },
  });
});

test('retry makes three calls of an idempotent tool, and one of any other', async () => {
  world.answers(() => 'Busy.');
  const repeatable = await world.workflow([{ ...PUT, onError: 'retry' }]);
  expect((await world.run(world.replica(), repeatable)).outcome).toMatchObject({ isSuccess: false });
  expect(called()).toHaveLength(3);
  const unsafe = await world.workflow([{ ...SEND, onError: 'retry' }]);
  expect((await world.run(world.replica(), unsafe)).outcome).toMatchObject({ isSuccess: false });
  expect(called()).toHaveLength(4);
});

test('a workflow does not run another one, and an unknown tool is a failed step', async () => {
  const inner = await world.workflow([PUT]);
  const outer = await world.workflow([step('inner', inner.toolSlug)]);
  expect((await world.run(world.replica(), outer)).outcome).toEqual({
    isSuccess: false,
    errorMessage: 'Step "inner" failed: NOT_FOUND: The tool does not exist.',
  });
});

test('more than 1 000 items, and an expression that fails, are failed steps', async () => {
  const many = await world.workflow([{ ...PUT, forEach: '=[1..1001]' }]);
  expect((await world.run(world.replica(), many)).outcome).toMatchObject({
    errorMessage: 'Step "put" failed: forEach: it has 1001 items; 1000 are allowed.',
  });
  const wrong = await world.workflow([{ ...PUT, fields: { a: '=1 + "x"' } }]);
  expect((await world.run(world.replica(), wrong)).outcome).toMatchObject({
    errorMessage: expect.stringMatching(/^Step "put" failed: fields\.a: /) as string,
  });
  expect(called()).toEqual([]);
});

test('a run may take five minutes', async () => {
  world.answers(() => {
    world.clock.advance(5 * 60_000);
    return {};
  });
  const request = await world.workflow([SEND, LAST]);
  expect((await world.run(world.replica(), request)).outcome).toEqual({
    isSuccess: false,
    errorMessage: 'Step "last" failed: TIMEOUT: a run may take 5 minutes. Its call was not made.',
  });
  expect(called()).toEqual([['crm-send', 'send']]);
});

test.each<[string, readonly WorkflowStep[], Death, unknown[]]>([
  ['before its first call is written down', [SEND], { at: 'save call', nth: 1, when: 'before' }, ['send']],
  [
    'while it calls an idempotent tool',
    [PUT, LAST],
    { at: 'vendor', nth: 1, when: 'after' },
    ['put', 'put', 'last'],
  ],
  [
    'before the outcome of that is in its row',
    [PUT],
    { at: 'settle', nth: 1, when: 'before' },
    ['put', 'put'],
  ],
  [
    'once the result is stored',
    [SEND, LAST],
    { at: 'save stepEnd', nth: 1, when: 'after' },
    ['send', 'last'],
  ],
  ['before the outcome is in the row of the run', [SEND], { at: 'settle', nth: 2, when: 'before' }, ['send']],
])('a run that is interrupted %s goes on', async (_name, steps, death, calls) => {
  expect(await interruptRun(steps, death)).toMatchObject({ outcome: { isSuccess: true } });
  expect(called().map(([, id]) => id)).toEqual(calls);
  const [run, ...others] = await world.rows();
  expect(run).toMatchObject({ outcome: { isSuccess: true } });
  expect(others.filter(({ outcome }) => outcome.isSuccess)).toHaveLength(steps.length);
  expect(await world.storedRuns()).toBe('[]');
});

test.each<[string, Death, number]>([
  ['before its row', { at: 'insert', nth: 2, when: 'before' }, 0],
  ['during it', { at: 'vendor', nth: 1, when: 'after' }, 1],
  ['before its outcome is in its row', { at: 'settle', nth: 1, when: 'before' }, 1],
  ['before its result is stored', { at: 'save stepEnd', nth: 1, when: 'before' }, 1],
])('a call that is not idempotent and was interrupted %s is not made again', async (_name, death, calls) => {
  const message = expect.stringContaining('during step "send", whose tool is not idempotent') as string;
  expect(await interruptRun([SEND, LAST], death)).toMatchObject({ outcome: { errorMessage: message } });
  expect(called()).toHaveLength(calls);
  const [run] = await world.rows();
  expect(run).toMatchObject({ outcome: { isSuccess: false, errorMessage: message } });
});

test.each<[string, Death]>([
  ['after an item', { at: 'save itemEnd', nth: 2, when: 'after' }],
  ['before an item', { at: 'save call', nth: 3, when: 'before' }],
  ['once the items are stored', { at: 'save items', nth: 1, when: 'after' }],
])('forEach goes on with the next item when it is interrupted %s', async (_name, death) => {
  const each = step('each', 'crm-send', { forEach: '=$shuffle([1..4])', fields: { item: '=item' } });
  const result = await interruptRun([each], death);
  const sent = called().map(([, item]) => item);
  expect(new Set(sent)).toEqual(new Set([1, 2, 3, 4]));
  expect(sent).toHaveLength(4);
  expect(result).toMatchObject({
    outcome: { isSuccess: true, output: { each: sent.map((item) => ({ got: { item } })) } },
  });
});

test('secret inputs are not stored, so a run with some does not go on', async () => {
  const inputSchema = { type: 'object', properties: { pin: { type: 'string', writeOnly: true } } };
  const sending = step('send', 'crm-send', { fields: { pin: '=input.pin' } });
  const request = await world.workflow([sending, LAST], { inputSchema, fields: { pin: 'open-sesame' } });
  const first = world.replica({ at: 'save stepEnd', nth: 1, when: 'after' });
  void world.run(first, request);
  await first.died;
  expect(await world.storedRuns()).not.toContain('open-sesame');
  expect(await world.takeOver(world.replica())).toMatchObject({
    outcome: { errorMessage: expect.stringContaining('Its inputs hold secrets') as string },
  });
  expect(JSON.stringify(await world.rows())).not.toContain('open-sesame');
});

test('an output that puts a secret of a connection together again is masked', async () => {
  world.answers(() => ({ parts: ['the-secret', '-of-the-connection'] }));
  const request = await world.workflow([PUT], { output: { all: '=$join(steps.put.output.parts)' } });
  const { outcome } = await world.run(world.replica(), request);
  expect(outcome).toEqual({ isSuccess: true, output: { all: '***' } });
  expect(JSON.stringify(await world.rows())).not.toContain('the-secret-of-the-connection');
});

test('a replica that another one has replaced makes no further call', async () => {
  const request = await world.workflow([PUT, LAST]);
  const frozen = Promise.withResolvers<undefined>();
  const slow = world.replica();
  const [first, second] = [world.replica(), slow];
  world.answers(() => ({}));
  const thawing = {
    ...second,
    deps: {
      ...second.deps,
      runtime: {
        ...second.deps.runtime,
        execute: async (...o: Parameters<typeof slow.deps.runtime.execute>) => {
          const outcome = await slow.deps.runtime.execute(...o);
          await frozen.promise;
          return outcome;
        },
      },
    },
  };
  const left = world.run(thawing, request);
  await expect.poll(() => called()).toHaveLength(1);
  expect(await world.takeOver(first)).toMatchObject({ outcome: { isSuccess: true } });
  frozen.resolve(undefined);
  await expect(left).rejects.toMatchObject(LEFT);
  expect(called().map(([, id]) => id)).toEqual(['put', 'put', 'last']);
});

test('a replica that stops leaves its runs to another one at once', async () => {
  const stopping = world.replica();
  world.answers(() => {
    void stopping.drain.close();
    return {};
  });
  const request = await world.workflow([SEND, LAST]);
  await expect(world.run(stopping, request)).rejects.toMatchObject(LEFT);
  expect(await world.takeOver(world.replica(), { isExpired: false })).toMatchObject({
    outcome: { isSuccess: true },
  });
  expect(called().map(([, id]) => id)).toEqual(['send', 'last']);
});

test('the run goes on when its caller leaves; its row says how it ended', async () => {
  const caller = new AbortController();
  world.answers(() => {
    caller.abort();
    return {};
  });
  const request = await world.workflow([SEND, LAST]);
  const ctx = { ...world.ctx, signal: caller.signal };
  await expect(world.run(world.replica(), request, ctx)).rejects.toMatchObject({ code: 'TIMEOUT' });
  const outcome = async () => (await world.rows())[0]?.outcome;
  await expect.poll(outcome).toMatchObject({ isSuccess: true });
  expect(called()).toHaveLength(2);
});

test('a dry run shows the first call, and nothing is sent or recorded', async () => {
  const request = await world.workflow(
    [
      { ...SEND, when: '=false' },
      { ...PUT, fields: { a: '=input.b' } },
    ],
    {
      fields: { b: 7 },
    },
  );
  const result = await world.run(world.replica(), { ...request, dryRun: true });
  expect(result).toMatchObject({
    historyId: undefined,
    outcome: { isSuccess: true, output: { stepId: 'put', toolSlug: 'crm-put', fields: { a: 7 } } },
  });
  expect(called()).toEqual([]);
  expect(await world.rows()).toEqual([]);
});

test('a connection in the call of a workflow, and inputs against its schema, are refused without a row', async () => {
  const request = await world.workflow([PUT]);
  await expect(world.run(world.replica(), { ...request, connectionId: 7 })).rejects.toMatchObject({
    details: [{ field: 'connectionId' }],
  });
  await expect(world.run(world.replica(), { ...request, top: 5 })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  await expect(world.run(world.replica(), { ...request, toolsetId: undefined })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await world.rows()).toEqual([]);
});
