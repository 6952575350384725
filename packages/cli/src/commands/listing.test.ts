import { describe, expect, it } from 'vitest';
import type { ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { accountApi } from '../testing/account-api.ts';
import { invoke } from '../testing/invoke.ts';

const { call, received } = accountApi();
const AT = '2026-11-22T10:11:12.000Z';

const application = (index: number): object => ({
  slug: `app-${index}`,
  name: 'x'.repeat(index > 150 ? 20 : 5),
  kind: 'Regular',
  toolCount: index,
  triggerTypeCount: 0,
  isAvailable: true,
});
const tool = (index: number): object => ({
  toolSlug: `tool-${index}`,
  applicationSlug: 'crm',
  toolName: `Tool ${index}`,
  isDeprecated: false,
});
const execution = (historyId: number): object => ({
  historyId,
  toolSlug: 'add',
  applicationSlug: 'crm',
  connectionId: 7,
  isSuccess: false,
  errorMessage: 'Refused.',
  fields: { id: 1 },
  output: {},
  executionInfo: {
    durationMs: 12,
    startedAt: AT,
    connectionResolution: 'default',
    attempts: 1,
    userId: 'usr_1',
    source: 'mcp',
    mcpServerName: 'Support',
  },
  createdAt: AT,
});

/** Answers like a list of `count` records. */
function pages(count: number, record: (index: number) => object): (request: ReceivedRequest) => Reply {
  return ({ path }) => {
    const query = new URL(path, 'http://a').searchParams;
    const offset = Number(query.get('offset') ?? 0);
    const top = Number(query.get('top'));
    const items = Array.from({ length: Math.max(0, Math.min(top, count - offset)) }, (_, index) =>
      record(offset + index),
    );
    return { status: 200, body: { items, totalCount: count, offset, top } };
  };
}

const queries = (): Record<string, string>[] =>
  received().map(({ path }) => Object.fromEntries(new URL(path, 'http://a').searchParams));

describe('a long list', () => {
  it('shows the first 100, and says how to see the rest', async () => {
    const { code, out, err } = await call(['applications', 'list'], pages(250, application));
    expect(code).toBe(0);
    expect(out.split('\n')).toHaveLength(102);
    expect(err).toBe('150 more: --limit 250 or --all prints them.\n');
  });

  it('--limit ends it, over pages', async () => {
    const { out } = await call(['applications', 'list', '--limit', '101', '--json'], pages(250, application));
    expect(JSON.parse(out)).toEqual(Array.from({ length: 101 }, (_, index) => application(index)));
    expect(queries().map(({ offset, top }) => [offset, top])).toEqual([
      ['0', '100'],
      ['100', '1'],
    ]);
  });

  it.each([
    [['--json'], /^\[$/gm],
    [[], /^APPLICATION/gm],
  ])('--all %j writes each page before it requests the next', async (more, begins) => {
    const order: string[] = [];
    const list = pages(250, application);
    const answer = (request: ReceivedRequest): Reply => {
      order.push('request');
      return list(request);
    };
    const { code, out } = await call(['applications', 'list', '--all', ...more], answer, {
      onOut: (text) => order.push(text.includes('app-') ? 'page' : 'end'),
    });
    expect(code).toBe(0);
    expect(order.slice(0, 6)).toEqual(['request', 'page', 'request', 'page', 'request', 'page']);
    expect(out.match(/app-\d+/g)).toHaveLength(250);
    expect(out.match(begins)).toHaveLength(1);
  });

  it('that is empty is titles, or an empty array', async () => {
    expect((await call(['tools', 'list'], pages(0, tool))).out).toBe('TOOL  APPLICATION  NAME  DEPRECATED\n');
    expect((await call(['tools', 'list', '--json'], pages(0, tool))).out).toBe('[]\n');
  });

  it('prints nothing if the API refuses the first page', async () => {
    const refused = { status: 403, body: { errorCode: 'FORBIDDEN', message: 'No.' } };
    expect(await call(['tools', 'list', '--json'], refused)).toMatchObject({ code: 3, out: '' });
  });
});

it.each([
  [
    ['applications', 'list', '--search', 'a b', '--kind', 'Key', '--available'],
    { search: 'a b', kind: 'Key', available: 'true' },
  ],
  [['tools', 'list', '--application', 'crm', '--search', 'add'], { applicationSlug: 'crm', search: 'add' }],
  [
    [
      'executions',
      'list',
      '--tool',
      'add',
      '--connection',
      '7',
      '--failed',
      '--from',
      '2026-11-01',
      '--to',
      '2026-11-02',
    ],
    {
      toolSlug: 'add',
      connectionId: '7',
      isSuccess: 'false',
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-02T00:00:00.000Z',
    },
  ],
  [['executions', 'list', '--succeeded'], { isSuccess: 'true' }],
])('%j sends its filters', async (argv, query) => {
  expect((await call(argv, pages(0, tool))).code).toBe(0);
  expect(queries()[0]).toMatchObject(query);
});

it.each([
  [['tools', 'list', '--limit', '0']],
  [['tools', 'list', '--limit', '5', '--all']],
  [['executions', 'list', '--failed', '--succeeded']],
  [['executions', 'list', '--from', 'yesterday']],
  [['executions', 'show', '9007199254740993']],
])('%j is a wrong call', async (argv) => {
  expect((await call(argv, pages(0, tool))).code).toBe(2);
  expect(received()).toEqual([]);
});

describe('executions', () => {
  it('are paged by their ids, so that new ones move nothing', async () => {
    const answer = ({ path }: ReceivedRequest): Reply => {
      const after = Number(new URL(path, 'http://a').searchParams.get('after') ?? 251);
      const items = Array.from({ length: Math.min(100, after - 1) }, (_, index) =>
        execution(after - 1 - index),
      );
      return { status: 200, body: { items, totalCount: after - 1, offset: 0, top: 100 } };
    };
    const { out } = await call(['executions', 'list', '--all', '--json'], answer);
    const ids = (JSON.parse(out) as { historyId: number }[]).map(({ historyId }) => historyId);
    expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index));
    expect(queries().map(({ after }) => after)).toEqual([undefined, '151', '51']);
  });

  it('show prints inputs and output with all digits', async () => {
    const text = JSON.stringify(execution(5)).replace('{"id":1}', '{"id":12345678901234567890}');
    const reply: Reply = (response) => void response.writeHead(200).end(text);
    const { out } = await call(['executions', 'show', '5'], () => reply);
    expect(out).toMatch(/^Error +Refused\.$/m);
    expect(out).toMatch(/^User +usr_1\nSource +mcp\nMCP server +Support$/m);
    expect(out).toContain('"id": 12345678901234567890');
    const json = await call(['executions', 'show', '5', '--json'], () => reply);
    expect(json.out).toContain('"id": 12345678901234567890');
  });
});

it('tools show lists the inputs and how to run the tool', async () => {
  const body = {
    ...tool(1),
    applicationName: 'CRM',
    description: 'Adds.',
    version: '1.0.0',
    supportsFilters: true,
    maxFilters: 5,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'Full name.' }, level: { enum: ['low', 'high'] } },
      required: ['name'],
    },
  };
  const argv = ['tools', 'show', 'tool-1', '--application', 'crm'];
  const { out } = await call(argv, { status: 200, body });
  expect(queries()).toEqual([{ applicationSlug: 'crm' }]);
  expect(out).toMatch(/^name +yes +text +Full name\.$/m);
  expect(out).toMatch(/^level +no +low \| high +-$/m);
  expect(out).toContain('Run it: fairlead tools run tool-1 name=…\n');
});

it.each([
  ['applications', 'list'],
  ['tools', 'list'],
  ['tools', 'show', 'a'],
  ['tools', 'run', 'a'],
  ['executions', 'list'],
  ['executions', 'show', '1'],
])('%s %s without a sign-in says which command signs in', async (...argv) => {
  const environment = { FAIRLEAD_URL: 'http://127.0.0.1:1', FAIRLEAD_CONFIG_DIR: '/nowhere' };
  const { code, err } = await invoke(argv, { environment });
  expect(code).toBe(3);
  expect(err).toBe(
    'fairlead: Not signed in to http://127.0.0.1:1: fairlead login --url http://127.0.0.1:1\n',
  );
});
