import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post, put } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const path = '/v1/workflows';
const CREATE = 'sandbox-crm-create-contact';
const LIST = 'sandbox-crm-list-contacts';

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

type Step = Record<string, unknown>;
const step = (id: string, members: Step = {}): Step => ({ id, toolSlug: LIST, ...members });
const members = (more: Record<string, unknown> = {}) => ({
  name: 'Flow',
  slug: `flow-${randomUUID()}`,
  steps: [step('list')],
  ...more,
});
const send = (more: Record<string, unknown> = {}): Promise<Answer> => post(path, members(more), account);
async function create(more: Record<string, unknown> = {}): Promise<Record<string, any>> {
  return expectStatus(await send(more), 201).body;
}

/** A toolset with the CRM that contains these workflows. */
async function holding(tokens: readonly string[], more: Record<string, unknown> = {}): Promise<string> {
  const sent = {
    name: 'Holder',
    connections: [{ connectionId }],
    workflows: tokens.map((workflowToken) => ({ workflowToken })),
    ...more,
  };
  return String(expectStatus(await post('/v1/toolsets', sent, account), 201).body.id);
}

interface Run {
  readonly answer: Answer;
  readonly slug: string;
  readonly toolsetId: string;
}

/** Runs a new workflow with these steps. */
async function run(
  steps: readonly Step[],
  { fields = {}, query = '', toolset = {}, ...more }: Record<string, any> = {},
): Promise<Run> {
  const { workflowToken, slug } = await create({ steps, ...more });
  const toolsetId = await holding([workflowToken], toolset);
  const answer = await post(`/v1/tools/${slug}/execute?toolsetId=${toolsetId}${query}`, { fields }, account);
  return { answer, slug, toolsetId };
}
const outputOf = ({ answer }: Run): Record<string, any> => {
  expect(answer.body, answer.text).toMatchObject({ isSuccess: true });
  return answer.body.output;
};
function expectFailure({ answer }: Run, ...texts: string[]): void {
  expectStatus(answer, 200);
  expect(answer.body.isSuccess).toBe(false);
  for (const text of texts) expect(answer.body.errorMessage).toContain(text);
}
const contact = (name: string): Step => ({ name, email: `${randomUUID()}@example.com` });

describe('A workflow', () => {
  row(
    [
      'completion.toolsets-and-workflows.26',
      'completion.toolsets-and-workflows.27',
      'completion.toolsets-and-workflows.28',
      'completion.toolsets-and-workflows.38',
    ],
    'is created, read, listed, changed and deleted',
    async () => {
      const sent = {
        name: 'Invite',
        slug: `invite-${randomUUID()}`,
        description: 'Invites people',
        inputSchema: { type: 'object', properties: { people: { type: 'array' } } },
        steps: [
          {
            id: 'each',
            toolSlug: CREATE,
            applicationSlug: 'sandbox-crm',
            connectionId,
            fields: { name: '=item.name' },
            when: '=$count(input.people) > 0',
            forEach: '=input.people',
            onError: 'continue',
          },
        ],
        output: { ids: '=steps.each.output.id' },
      };
      const created = await create(sent);
      const { workflowToken, createdAt, updatedAt, ...record } = created;
      expect(record).toEqual(sent);
      expect(updatedAt).toBe(createdAt);
      expect((await get(`${path}/${workflowToken}`, account)).body).toEqual(created);
      const plain = await create();
      expect(plain).toMatchObject({
        description: null,
        output: null,
        steps: [{ id: 'list', toolSlug: LIST, fields: {}, onError: 'stop' }],
      });
      const { items, totalCount } = expectList(await get(path, account));
      expect(items.slice(0, 2).map((it) => it.workflowToken)).toEqual([
        plain['workflowToken'],
        workflowToken,
      ]);
      expect(totalCount).toBe(items.length);
      const changed = await patch(
        `${path}/${workflowToken}`,
        { name: 'Welcome', steps: [step('a')] },
        account,
      );
      expect(changed.body).toMatchObject({ ...sent, name: 'Welcome', steps: [{ id: 'a', onError: 'stop' }] });
      expectStatus(await del(`${path}/${workflowToken}`, account), 204);
      expectError(await get(`${path}/${workflowToken}`, account), 404, 'NOT_FOUND');
    },
  );

  row(
    [
      'completion.toolsets-and-workflows.30',
      'completion.toolsets-and-workflows.35',
      'completion.toolsets-and-workflows.36',
      'completion.toolsets-and-workflows.40',
    ],
    'is refused by the path of what is wrong with it',
    async () => {
      const wrong: [Record<string, unknown>, string][] = [
        [{ steps: [] }, 'steps'],
        [{ steps: [step('a'), step('a')] }, 'steps[1].id'],
        [{ steps: [step('a', { when: 'input.x' })] }, 'steps[0].when'],
        [{ steps: [step('a', { forEach: 'input.x' })] }, 'steps[0].forEach'],
        [{ steps: [step('a', { when: '=input.' })] }, 'steps[0].when'],
        [{ steps: [step('a'), step('b', { fields: { x: [{ y: '=(' }] } })] }, 'steps[1].fields.x[0].y'],
        [{ output: { all: '=)' } }, 'output.all'],
        [{ steps: [step('a', { toolSlug: CREATE, onError: 'retry' })] }, 'steps[0].onError'],
        [{ inputSchema: { type: 'text' } }, 'inputSchema.type'],
        [{ inputSchema: { properties: { a: { type: 'text' } } } }, 'inputSchema'],
        [{ name: '' }, 'name'],
      ];
      const { workflowToken } = await create();
      for (const [more, field] of wrong) {
        expectError(await send(more), 400, 'VALIDATION_ERROR', [field]);
        expectError(await patch(`${path}/${workflowToken}`, more, account), 400, 'VALIDATION_ERROR', [field]);
      }
      expectError(await send({ steps: [step('a', { onError: 'skip' })] }), 400, 'INVALID_ENUM_VALUE');
      expectError(await send({ steps: [step('a', { connectionId: 2_000_000_000 })] }), 404, 'NOT_FOUND');
      expectError(await send({ steps: [step('a', { toolSlug: 'no-such-tool' })] }), 404, 'NOT_FOUND');
    },
  );

  row(
    'completion.toolsets-and-workflows.37',
    'has a slug of its own in the account, which no tool has',
    async () => {
      const { slug, workflowToken } = await create();
      const other = await create();
      expectError(await send({ slug }), 409, 'CONFLICT');
      expectError(await send({ slug: LIST }), 409, 'CONFLICT');
      expectError(await patch(`${path}/${other['workflowToken']}`, { slug }, account), 409, 'CONFLICT');
      expectStatus(await patch(`${path}/${workflowToken}`, { slug }, account), 200);
    },
  );

  row(
    'completion.toolsets-and-workflows.49',
    'that a toolset holds is deleted by force only, naming the toolset',
    async () => {
      const { workflowToken } = await create();
      const toolsetId = await holding([workflowToken]);
      const refused = await del(`${path}/${workflowToken}`, account);
      expectError(refused, 409, 'CONFLICT');
      expect(refused.body.candidates).toEqual([`toolset:${toolsetId}`]);
    },
  );

  row(
    'completion.toolsets-and-workflows.50',
    'that is deleted by force leaves the toolsets that hold it',
    async () => {
      const [gone, kept] = [await create(), await create()];
      const toolsetId = await holding([gone['workflowToken'], kept['workflowToken']]);
      expectStatus(await del(`${path}/${gone['workflowToken']}?force=true`, account), 204);
      const { workflows } = (await get(`/v1/toolsets/${toolsetId}`, account)).body;
      expect(workflows).toEqual([{ workflowToken: kept['workflowToken'] }]);
    },
  );
});

describe('A run', () => {
  row(
    [
      'completion.toolsets-and-workflows.32',
      'completion.toolsets-and-workflows.33',
      'completion.toolsets-and-workflows.47',
    ],
    'is an execution of the tool of its slug, and its steps are executions, all in the history',
    async () => {
      const started = await run([
        step('make', { toolSlug: CREATE, fields: contact('Ada') }),
        step('list', { connectionId }),
      ]);
      outputOf(started);
      const { historyId, executionInfo } = started.answer.body;
      expect(executionInfo).toMatchObject({
        connectionId: null,
        connectionResolution: 'none',
        applicationSlug: 'workflow',
        toolSlug: started.slug,
      });
      const { items } = expectList(await get('/v1/executions?top=3', account));
      const rows = items.map(({ executionInfo: info, isSuccess }) => [
        info.toolSlug,
        info.connectionId,
        info.connectionResolution,
        info.source,
        isSuccess,
      ]);
      expect(rows).toEqual([
        [LIST, connectionId, 'explicit', 'workflow', true],
        [CREATE, connectionId, 'toolset', 'workflow', true],
        [started.slug, null, 'none', 'rest', true],
      ]);
      expect((await get(`/v1/executions/${historyId}`, account)).body).toMatchObject({
        toolSlug: started.slug,
        applicationSlug: 'workflow',
        connectionId: null,
      });
    },
  );

  row(
    ['completion.toolsets-and-workflows.34', 'tools.2', 'completion.toolsets-and-workflows.22'],
    'is found by its slug with a toolset that holds the workflow, and not otherwise',
    async () => {
      const { slug, workflowToken } = await create({ inputSchema: { type: 'object', required: ['a'] } });
      const [toolsetId, other] = [await holding([workflowToken]), await holding([])];
      for (const query of ['', `?toolsetId=${other}`]) {
        expectError(await get(`/v1/tools/${slug}${query}`, account), 404, 'NOT_FOUND');
        expectError(await post(`/v1/tools/${slug}/execute${query}`, {}, account), 404, 'NOT_FOUND');
      }
      const shown = expectStatus(await get(`/v1/tools/${slug}?toolsetId=${toolsetId}`, account), 200).body;
      expect(shown).toMatchObject({
        toolSlug: slug,
        applicationSlug: 'workflow',
        inputSchema: { required: ['a'] },
      });
      const listed = expectList(await get(`/v1/toolsets/${toolsetId}/tools`, account)).items;
      expect(listed.find((it) => it.toolSlug === slug)).toEqual(shown);
      const execute = `/v1/tools/${slug}/execute?toolsetId=${toolsetId}`;
      expectError(await post(execute, {}, account), 400, 'VALIDATION_ERROR', ['fields.a']);
      expectStatus(await post(execute, { fields: { a: 1 } }, account), 200);
    },
  );

  row(
    [
      'completion.toolsets-and-workflows.29',
      'completion.toolsets-and-workflows.31',
      'completion.toolsets-and-workflows.42',
    ],
    'evaluates JSONata over input, the steps that ran, and the item',
    async () => {
      const steps = [
        step('make', { toolSlug: CREATE, fields: { name: '=input.name', email: '=input.email' } }),
        step('never', { when: '=input.name = "Grace"' }),
        step('read', {
          toolSlug: 'sandbox-crm-get-contact',
          fields: { id: '=steps.make.output.id' },
          when: '=steps.make.isSuccess',
        }),
      ];
      const output = {
        name: '=steps.read.output.name',
        never: '=$exists(steps.never)',
        ran: '=$keys(steps)',
        plain: 'input.name',
        error: '=steps.read.errorMessage',
      };
      expect(outputOf(await run(steps, { output, fields: contact('Ada') }))).toEqual({
        name: 'Ada',
        never: false,
        ran: ['make', 'read'],
        plain: 'input.name',
        error: null,
      });
    },
  );

  row(
    'completion.toolsets-and-workflows.41',
    'collects what the items of forEach answered, in their order',
    async () => {
      const people = ['Ada', 'Grace', 'Edsger'].map(contact);
      const each = step('each', {
        toolSlug: CREATE,
        forEach: '=input.people',
        fields: { name: '=item.name', email: '=item.email' },
      });
      const output = { names: '=steps.each.output.name', count: '=$count(steps.each.output)' };
      expect(outputOf(await run([each], { output, fields: { people } }))).toEqual({
        names: ['Ada', 'Grace', 'Edsger'],
        count: 3,
      });
    },
  );

  row(
    ['completion.toolsets-and-workflows.38', 'completion.toolsets-and-workflows.39'],
    'stops at a failed step, goes on after it, or tries it three times',
    async () => {
      const missing = { toolSlug: 'sandbox-crm-get-contact', fields: { id: 'no-such-contact' } };
      const stopped = await run([step('find', missing), step('list')]);
      expectFailure(stopped, 'Step "find" failed');
      const rowsAfter = async ({ answer }: Run): Promise<unknown[]> => {
        const { items } = expectList(await get('/v1/executions?top=10', account));
        return items.filter((it) => it.historyId > answer.body.historyId).map((it) => it.toolSlug);
      };
      expect(await rowsAfter(stopped)).toEqual(['sandbox-crm-get-contact']);
      const output = { error: '=steps.find.errorMessage', ok: '=steps.find.isSuccess' };
      const passed = await run([step('find', { ...missing, onError: 'continue' }), step('list')], { output });
      expect(outputOf(passed)).toEqual({ error: expect.stringContaining('404'), ok: false });
      const tried = await run([step('find', { ...missing, onError: 'retry' })]);
      expectFailure(tried, 'Step "find" failed');
      expect(await rowsAfter(tried)).toEqual(Array(3).fill('sandbox-crm-get-contact'));
    },
  );

  row(
    ['completion.toolsets-and-workflows.43', 'completion.toolsets-and-workflows.44'],
    'fails a step whose expression takes more than a second, or that has more than 1 000 items',
    async () => {
      const endless = '=($f := function($n) { $f($n + 1) }; $f(1))';
      expectFailure(
        await run([step('spin', { fields: { company: endless } })]),
        'Step "spin" failed',
        'fields.company',
      );
      const backtracking = step('match', { when: '=$contains(input.text, /^(a+)+$/)' });
      const fields = { text: `${'a'.repeat(60)}!` };
      expectFailure(await run([backtracking], { fields }), 'Step "match" failed', 'when');
      expectFailure(await run([step('list')], { output: { spin: endless } }), 'output.spin');
      expectFailure(await run([step('many', { forEach: '=[1..1001]' })]), 'Step "many" failed', '1000');
    },
  );

  row(
    ['completion.toolsets-and-workflows.46', 'errors.22', 'errors.28'],
    'fails a step that is refused before its call, with the code',
    async () => {
      const licence = (status: string) =>
        put(`/admin/v1/connections/${connectionId}/licence`, { status }, account);
      expectStatus(await licence('none'), 200);
      try {
        expectFailure(await run([step('list')]), 'Step "list" failed', 'CONNECTION_BLOCKED');
      } finally {
        expectStatus(await licence('active'), 200);
      }
      const tools = [{ applicationSlug: 'sandbox-crm', toolSlug: CREATE }];
      expectFailure(await run([step('list')], { toolset: { tools } }), 'TOOL_NOT_IN_TOOLSET');
      expectFailure(await run([step('list')], { toolset: { connections: [] } }), 'NO_TOOLSET_CONNECTION');
      const noName = step('make', { toolSlug: CREATE });
      expectFailure(await run([noName]), 'VALIDATION_ERROR', 'fields.name');
    },
  );

  row('completion.toolsets-and-workflows.48', 'takes no connection of its own, and no filters', async () => {
    const { answer, slug, toolsetId } = await run([step('list')], { query: `&connectionId=${connectionId}` });
    expectError(answer, 400, 'VALIDATION_ERROR', ['connectionId']);
    const execute = `/v1/tools/${slug}/execute?toolsetId=${toolsetId}`;
    expectError(await post(execute, { top: 5 }, account), 400, 'VALIDATION_ERROR', ['top']);
  });

  row(
    ['completion.applications-and-tools.48', 'completion.applications-and-tools.49'],
    'that is dry shows its first call, and sends and records nothing',
    async () => {
      const steps = [
        step('never', { when: '=false' }),
        step('make', { toolSlug: CREATE, fields: contact('Ada') }),
      ];
      const before = expectList(await get('/v1/executions', account)).totalCount;
      const dry = await run(steps, { query: '&dryRun=true' });
      expect(outputOf(dry)).toMatchObject({ stepId: 'make', toolSlug: CREATE });
      expect(dry.answer.body.historyId).toBeNull();
      expect(expectList(await get('/v1/executions', account)).totalCount).toBe(before);
    },
  );
});
