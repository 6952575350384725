import { describe, expect, it } from 'vitest';
import type { Connector } from '../model.ts';
import { compileManifest } from '../compile-manifest.ts';
import type { Members } from '../testing/manifest.ts';
import { apiKeyMethod, oauthMethod } from '../testing/manifest.ts';
import {
  compiledImport,
  discoveryDocument,
  importedManifest,
  importedOperations,
  importedSource,
  problemsOfImport,
} from '../testing/imported.ts';

function toolOf(connector: Connector, slug: string): Connector['tools'][number] {
  const tool = connector.tools.find(({ toolSlug }) => toolSlug === slug);
  if (tool === undefined) throw new Error(`no tool ${slug}`);
  return tool;
}

const { list, get, insert, update, delete: remove } = importedOperations;

/** The problems of a manifest whose first operation has these members. */
const problemsWith = (members: Members): readonly string[] =>
  problemsOfImport({ operations: [{ ...list, ...members }, get, insert, update, remove] }).map(
    ({ path, message }) => `${path}: ${message}`,
  );

describe('a tool of a discovery document', () => {
  const connector = compiledImport();

  it('is below the address of the document, unless the manifest has its own', () => {
    expect(connector.baseUrl).toBe('https://tasks.acme.test/tasks/v1');
    expect(compiledImport({ baseUrl: 'https://eu.acme.test' }).baseUrl).toBe('https://eu.acme.test');
  });

  it('has only the inputs that the curation names, with our descriptions', () => {
    expect(toolOf(connector, 'acme-list-tasks').inputSchema).toEqual({
      type: 'object',
      properties: {
        listId: { type: 'string', description: 'Id of the list.', default: 'mine' },
        state: {
          type: 'array',
          description: 'Only tasks in these states.',
          items: { type: 'string', enum: ['open', 'done'] },
        },
      },
    });
  });

  it('returns a list page by page, and asks the vendor for the members that it keeps', () => {
    const tool = toolOf(connector, 'acme-list-tasks');
    expect(tool).toMatchObject({
      toolName: 'List tasks',
      retryClass: 'readOnly',
      paging: {
        type: 'cursor',
        sizeQuery: 'maxResults',
        pageSize: 50,
        cursorQuery: 'pageToken',
        nextCursorPointer: '/nextPageToken',
      },
      execution: {
        request: {
          method: 'GET',
          url: '/lists/{{input.listId}}/tasks',
          query: {
            state: '{{input.state}}',
            fields: 'nextPageToken,items(id,title,due(dateTime),owner)',
          },
        },
        response: { type: 'list', itemsPointer: '/items', isTrimmed: true },
      },
    });
    expect(tool.outputSchema).toEqual({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: ['string', 'null'], description: 'Id of the task.' },
              title: {
                type: ['string', 'null'],
                description: 'Title. It may be long, and it may hold code.',
              },
              due: {
                type: ['object', 'null'],
                description: 'When it is due.',
                properties: { dateTime: { type: ['string', 'null'] } },
              },
              // The schema of a person, whose manager is a person, ends at that recursion.
              owner: {
                type: ['object', 'null'],
                properties: {
                  name: { type: ['string', 'null'] },
                  email: { type: ['string', 'null'] },
                  manager: { type: ['object', 'null'] },
                },
              },
            },
          },
        },
      },
      required: ['items'],
    });
  });

  it('sends inputs and constants where they belong', () => {
    const tool = toolOf(connector, 'acme-create-task');
    expect(tool.execution).toMatchObject({
      request: {
        method: 'POST',
        url: '/lists/my%20list/tasks',
        query: { notify: true, fields: 'id' },
        body: {
          title: '{{input.title}}',
          due: { dateTime: '{{input.due}}' },
          owner: '{{input.owner}}',
          priority: '{{input.priority}}',
          state: 'open',
        },
      },
    });
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        title: { type: 'string', description: 'Title of the task.' },
        due: { type: 'string', format: 'date-time', description: 'When it is due.' },
        owner: {
          type: 'object',
          description: 'Who does it.',
          properties: { email: { type: 'string' } },
        },
        priority: { type: 'integer', description: 'How urgent it is.', minimum: 1, maximum: 5 },
      },
      required: ['title'],
    });
  });

  it('takes constants from the fields of the connection, such as the id of an account in the path', () => {
    const account = { name: 'account', label: 'Account', description: 'The account.', isRequired: true };
    const made = compiledImport({
      authenticationMethods: [{ ...apiKeyMethod, fields: [...apiKeyMethod.fields, account] }],
      operations: [
        list,
        get,
        { ...insert, constants: { 'path.listId': '{{field.account}}' } },
        update,
        remove,
      ],
    });
    expect(toolOf(made, 'acme-create-task').execution).toMatchObject({
      request: { url: '/lists/{{field.account}}/tasks' },
    });
  });

  it('takes a whole body without the members that only the vendor sets, and is cut where it contains itself', () => {
    const { inputSchema, execution } = toolOf(connector, 'acme-replace-task');
    expect(execution).toMatchObject({ request: { method: 'PUT', body: '{{input.task}}' } });
    const { task } = inputSchema['properties'] as { task: { properties: Record<string, unknown> } };
    expect(Object.keys(task.properties)).toEqual([
      'title',
      'priority',
      'state',
      'due',
      'owner',
      'parent',
      'size',
      'anything',
      'labels',
    ]);
    expect(task.properties['parent']).toEqual({ type: 'object' });
    expect(task.properties['anything']).toEqual({});
    expect(task.properties['labels']).toEqual({ type: 'object', additionalProperties: { type: 'string' } });
  });

  it('is retried and marked as its method says, unless the curation knows better', () => {
    const classes = ({ tools }: Connector) =>
      tools.map(({ toolSlug, retryClass, isDestructive }) => [toolSlug, retryClass, isDestructive]);
    expect(classes(connector)).toEqual([
      ['acme-list-tasks', 'readOnly', false],
      ['acme-get-task', 'readOnly', false],
      ['acme-create-task', 'unsafe', false],
      ['acme-replace-task', 'idempotent', false],
      ['acme-delete-task', 'idempotent', true],
    ]);
    const curated = { ...remove, retryClass: 'unsafe', isDestructive: false };
    const [, , , , last] = classes(compiledImport({ operations: [list, get, insert, update, curated] }));
    expect(last).toEqual(['acme-delete-task', 'unsafe', false]);
  });

  it('has the parts of a path whose one parameter has slashes', () => {
    const archive = {
      operation: 'acme.tasks.archive',
      toolSlug: 'acme-archive-task',
      description: 'Archives a task.',
      category: 'Tasks',
      inputs: { listsId: 'Id of the list.', id: { description: 'Id of the task.', from: 'path.tasksId' } },
    };
    const made = compiledImport({ operations: [list, get, insert, update, archive] });
    expect(toolOf(made, 'acme-archive-task').execution).toMatchObject({
      request: { url: '/v1/lists/{{input.listsId}}/tasks/{{input.id}}:archive' },
    });
  });

  it('needs one of the scopes that a sign-in asks for', () => {
    const [read, write] = ['https://acme.test/auth/tasks.readonly', 'https://acme.test/auth/tasks'];
    const signIn = (...scopes: readonly string[]) => ({
      kind: 'Regular',
      source: { ...importedSource, hosts: ['acme.test', 'a.test'] },
      authenticationMethods: [apiKeyMethod, { ...oauthMethod, scheme: { ...oauthMethod.scheme, scopes } }],
    });
    const scopesOf = (...scopes: readonly string[]) => compiledImport(signIn(...scopes)).tools[0]?.scopes;
    expect(scopesOf(read)).toEqual([read]);
    expect(scopesOf(read, 'other', write)).toEqual([[read, write]]);
    expect(scopesOf()).toBeUndefined();
    // The curation may name scopes that are newer than the description.
    const curated = { ...list, scopes: ['tasks.new'] };
    const renamed = { ...signIn(read, 'tasks.new'), operations: [curated, get, insert, update, remove] };
    expect(compiledImport(renamed).tools[0]?.scopes).toEqual(['tasks.new']);
    expect(problemsOfImport(signIn('other'))).toMatchObject([
      {
        path: 'operations[0].operation',
        message: `needs one of the scopes ${write}, ${read}, which no sign-in asks for`,
      },
    ]);
  });

  it('asks for the next page only of what has pages', () => {
    const read = (operation: string, members: Members) => ({
      operation,
      toolSlug: 'acme-read-more',
      description: 'Reads.',
      category: 'Tasks',
      ...members,
    });
    const fieldsOf = (members: ReturnType<typeof read>) => {
      const made = compiledImport({ operations: [list, get, insert, update, members] });
      return toolOf(made, 'acme-read-more').execution;
    };
    expect(fieldsOf(read('acme.tasks.listReminders', { result: ['at'] }))).toMatchObject({
      request: { query: { fields: 'nextPageToken,reminders(at)' } },
      response: { type: 'list', itemsPointer: '/reminders' },
    });
    const { operation } = insert;
    const inputs = { listId: 'Id of the list.' };
    expect(fieldsOf(read(operation, { inputs, pointer: '/owner', result: ['name'] }))).toMatchObject({
      request: { query: { fields: 'owner(name)' } },
    });
    expect(fieldsOf(read('acme.tasks.listOwners', { items: '/owners', result: ['name'] }))).toMatchObject({
      request: { query: { fields: 'owners(name)' } },
    });
  });

  it('stands beside tools that are written by hand', () => {
    const own = {
      toolSlug: 'acme-count-tasks',
      toolName: 'Count tasks',
      description: 'Counts.',
      category: 'Tasks',
      retryClass: 'readOnly',
      request: { url: '/count' },
    };
    expect(compiledImport({ tools: [own] }).tools.map(({ toolSlug }) => toolSlug)).toEqual([
      'acme-count-tasks',
      ...connector.tools.map(({ toolSlug }) => toolSlug),
    ]);
    const [problem] = problemsOfImport({
      tools: [own],
      operations: [list, get, insert, update, { ...remove, toolSlug: 'acme-get-task' }],
    });
    expect(problem?.path).toBe('operations[4].toolSlug');
  });
});

describe('the compile step refuses', () => {
  it.each<[string, Members, string]>([
    [
      'an operation that the description lacks',
      { operation: 'acme.none' },
      'operations[0].operation: the description has no operation acme.none',
    ],
    [
      'a deprecated operation',
      {
        operation: 'acme.tasks.touch',
        inputs: { id: { description: 'x', from: 'path.taskId' } },
        result: undefined,
      },
      'operations[0].operation: is deprecated by the vendor',
    ],
    [
      'an input that the operation lacks',
      { inputs: { listId: 'x', nope: 'x' } },
      'operations[0].inputs.nope: is no parameter of the operation and no member of its body; say `from`',
    ],
    [
      'an address that the operation lacks',
      { inputs: { listId: 'x', more: { description: 'x', from: 'query.nope' } } },
      'operations[0].inputs.more: the operation has no query.nope',
    ],
    [
      'a constant that the operation lacks',
      { constants: { 'query.nope': 1 } },
      'operations[0].constants.query.nope: the operation has no such parameter',
    ],
    [
      'a required parameter that gets no value',
      { inputs: {} },
      'operations[0]: the parameter listId is required: give it as an input or a constant',
    ],
    [
      'a member of the result that the response lacks',
      { result: ['id', 'due.nope'] },
      'operations[0].result: the response has no member due.nope',
    ],
    [
      'a pointer that leads nowhere',
      { items: '/nope' },
      'operations[0].items: the response has nothing at /nope',
    ],
    [
      'a parameter that the paging sends',
      { inputs: { listId: 'x', pageToken: 'x' } },
      'operations[0].inputs: pageToken is sent by the paging',
    ],
    [
      'a slug of another application',
      { toolSlug: 'other-list' },
      "operations[0].toolSlug: must begin with 'acme-', so that slugs do not clash",
    ],
    [
      'a mapping without its schema',
      { response: { type: 'empty' } },
      'operations[0]: `response` and `outputSchema` stand together',
    ],
  ])('%s', (_name, members, problem) => {
    expect(problemsWith(members)).toContain(problem);
  });

  it('fewer than five operations', () => {
    expect(problemsOfImport({ operations: [list, get] }).map(({ message }) => message)).toContain(
      'must have at least 5 operations',
    );
  });

  it('two tools with the same request', () => {
    const twice = { ...get, toolSlug: 'acme-fetch-task' };
    expect(problemsOfImport({ operations: [list, get, twice, insert, update] })).toMatchObject([
      { path: 'operations[2]', message: 'sends the same request as acme-get-task: GET /tasks/{}' },
    ]);
  });

  it('addresses that are not the vendor’s, or not https', () => {
    const elsewhere = compileManifest(importedManifest(), {
      directory: 'acme',
      file: 'x',
      description: { ...discoveryDocument, rootUrl: 'https://tasks.other.test/' },
    });
    expect(elsewhere).toMatchObject({
      ok: false,
      problems: [{ path: 'baseUrl', message: 'must be an https address within acme.test' }],
    });
    expect(problemsOfImport({ baseUrl: 'http://tasks.acme.test' })).toMatchObject([{ path: 'baseUrl' }]);
    expect(problemsOfImport({ baseUrl: 'https://evilacme.test' })).toMatchObject([{ path: 'baseUrl' }]);
  });

  it('operations without a source, and a source whose description is not there', () => {
    expect(problemsOfImport({ source: undefined })).toMatchObject([
      { path: 'operations', message: 'need a `source`' },
    ]);
    const result = compileManifest(importedManifest(), { directory: 'acme', file: 'x' });
    expect(result).toMatchObject({ ok: false, problems: [{ path: 'source' }] });
  });

  it('a description that is no object', () => {
    expect(problemsOfImport({}, [])).toMatchObject([
      { path: 'source.file', message: 'the description is no JSON object' },
    ]);
  });
});
