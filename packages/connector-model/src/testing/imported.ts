import { stringify } from 'yaml';
import { compileManifest } from '../compile-manifest.ts';
import type { CompileProblem } from '../compile-manifest.ts';
import type { Connector } from '../model.ts';
import type { Json } from '../json.ts';
import type { Members } from './manifest.ts';
import { apiKeyMethod } from './manifest.ts';

const taskId = { location: 'path', required: true, type: 'string', description: 'The id.' };

/** A discovery document for tests: a vendor of task lists. */
export const discoveryDocument = {
  rootUrl: 'https://tasks.acme.test/',
  servicePath: 'tasks/v1/',
  parameters: { fields: { type: 'string', location: 'query' }, alt: { type: 'string', location: 'query' } },
  schemas: {
    Task: {
      id: 'Task',
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Id of the task.', readOnly: true },
        title: { type: 'string', description: 'Title. It may be long, and it <b>may</b> hold `code`.' },
        priority: { type: 'integer', format: 'int32', minimum: '1', maximum: '5', default: '3' },
        state: { type: 'string', enum: ['open', 'done'], enumDescriptions: ['Open.', 'Done.'] },
        due: { $ref: 'Moment', description: 'When it is due.' },
        owner: { $ref: 'Person' },
        parent: { $ref: 'Task' },
        size: { type: 'string', format: 'int64' },
        old: { type: 'string', deprecated: true },
        anything: { type: 'any' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    Moment: {
      id: 'Moment',
      type: 'object',
      properties: { dateTime: { type: 'string', format: 'date-time' }, timeZone: { type: 'string' } },
    },
    Person: {
      id: 'Person',
      type: 'object',
      properties: { name: { type: 'string' }, email: { type: 'string' }, manager: { $ref: 'Person' } },
    },
    Tasks: {
      id: 'Tasks',
      type: 'object',
      properties: {
        items: { type: 'array', items: { $ref: 'Task' } },
        warnings: { type: 'array', items: { $ref: 'Moment' } },
        nextPageToken: { type: 'string' },
      },
    },
    Owners: {
      id: 'Owners',
      type: 'object',
      properties: { owners: { type: 'array', items: { $ref: 'Person' } } },
    },
    Reminders: {
      id: 'Reminders',
      type: 'object',
      properties: {
        reminders: { type: 'array', items: { type: 'object', properties: { at: { type: 'string' } } } },
        skipped: { type: 'array', items: { type: 'string' } },
        nextPageToken: { type: 'string' },
      },
    },
  },
  resources: {
    tasks: {
      methods: {
        list: {
          id: 'acme.tasks.list',
          httpMethod: 'GET',
          path: 'lists/{listId}/tasks',
          parameters: {
            listId: { location: 'path', required: true, type: 'string' },
            state: { location: 'query', repeated: true, type: 'string', enum: ['open', 'done'] },
            maxResults: { location: 'query', type: 'integer', format: 'uint32', maximum: '50' },
            pageToken: { location: 'query', type: 'string' },
          },
          response: { $ref: 'Tasks' },
          scopes: ['https://acme.test/auth/tasks', 'https://acme.test/auth/tasks.readonly'],
        },
        get: {
          id: 'acme.tasks.get',
          httpMethod: 'GET',
          path: 'tasks/{taskId}',
          parameters: { taskId },
          response: { $ref: 'Task' },
        },
        insert: {
          id: 'acme.tasks.insert',
          httpMethod: 'POST',
          path: 'lists/{listId}/tasks',
          parameters: {
            listId: { location: 'path', required: true, type: 'string' },
            notify: { location: 'query', type: 'boolean' },
          },
          request: { $ref: 'Task' },
          response: { $ref: 'Task' },
        },
        update: {
          id: 'acme.tasks.update',
          httpMethod: 'PUT',
          path: 'tasks/{taskId}',
          parameters: { taskId },
          request: { $ref: 'Task' },
          response: { $ref: 'Task' },
        },
        delete: {
          id: 'acme.tasks.delete',
          httpMethod: 'DELETE',
          path: 'tasks/{taskId}',
          parameters: { taskId },
        },
        archive: {
          id: 'acme.tasks.archive',
          httpMethod: 'POST',
          path: 'v1/{+name}:archive',
          flatPath: 'v1/lists/{listsId}/tasks/{tasksId}:archive',
          parameters: { name: { location: 'path', required: true, type: 'string' } },
          response: { $ref: 'Task' },
        },
        listReminders: {
          id: 'acme.tasks.listReminders',
          httpMethod: 'GET',
          path: 'reminders',
          parameters: { pageToken: { location: 'query', type: 'string' } },
          response: { $ref: 'Reminders' },
        },
        listOwners: {
          id: 'acme.tasks.listOwners',
          httpMethod: 'GET',
          path: 'owners',
          response: { $ref: 'Owners' },
        },
        touch: {
          id: 'acme.tasks.touch',
          httpMethod: 'POST',
          path: 'tasks/{taskId}/touch',
          parameters: { taskId },
          deprecated: true,
        },
      },
    },
  },
} satisfies Json;

const task = { description: 'Id of the task.', from: 'path.taskId' };

/** The curation of five of its operations. */
export const importedOperations = {
  list: {
    operation: 'acme.tasks.list',
    toolSlug: 'acme-list-tasks',
    description: 'Returns tasks.',
    category: 'Tasks',
    inputs: {
      listId: { description: 'Id of the list.', default: 'mine' },
      state: 'Only tasks in these states.',
    },
    result: ['id', 'title', 'due.dateTime', 'owner'],
  },
  get: {
    operation: 'acme.tasks.get',
    toolSlug: 'acme-get-task',
    description: 'Returns one task.',
    category: 'Tasks',
    inputs: { id: task },
  },
  insert: {
    operation: 'acme.tasks.insert',
    toolSlug: 'acme-create-task',
    description: 'Adds a task.',
    category: 'Tasks',
    inputs: {
      title: { description: 'Title of the task.', isRequired: true },
      due: { description: 'When it is due.', from: 'body.due.dateTime' },
      owner: { description: 'Who does it.', members: ['email'] },
      priority: 'How urgent it is.',
    },
    constants: { 'path.listId': 'my list', 'query.notify': true, 'body.state': 'open' },
    result: ['id'],
  },
  update: {
    operation: 'acme.tasks.update',
    toolSlug: 'acme-replace-task',
    description: 'Replaces a task.',
    category: 'Tasks',
    inputs: { id: task, task: { description: 'The whole task.', from: 'body', isRequired: true } },
  },
  delete: {
    operation: 'acme.tasks.delete',
    toolSlug: 'acme-delete-task',
    description: 'Deletes a task.',
    category: 'Tasks',
    inputs: { id: task },
  },
} as const;

/** The location of the manifest's description. */
export const importedSource = {
  kind: 'discovery',
  registry: 'pypi',
  package: 'acme-api',
  version: '1.0.0',
  integrity: 'sha256-AAAA',
  file: 'acme.json',
  hosts: ['acme.test'],
};

const manifest = {
  slug: 'acme',
  name: 'Acme',
  description: 'Tasks.',
  kind: 'Key',
  version: '1.2.3',
  authenticationMethods: [apiKeyMethod],
  source: importedSource,
  operations: Object.values(importedOperations),
};

/** The text of a manifest with imported tools, with these members. */
export function importedManifest(members: Members = {}): string {
  return stringify({ ...manifest, ...members });
}

/** Compiles the imported manifest with these members; throws if it is invalid. */
export function compiledImport(members: Members = {}, description: Json = discoveryDocument): Connector {
  const result = compile(members, description);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.connector;
}

/** The problems of the imported manifest with these members. */
export function problemsOfImport(
  members: Members = {},
  description: Json = discoveryDocument,
): readonly CompileProblem[] {
  const result = compile(members, description);
  return result.ok ? [] : result.problems;
}

function compile(members: Members, description: Json): ReturnType<typeof compileManifest> {
  return compileManifest(importedManifest(members), {
    directory: 'acme',
    file: 'acme/connector.yaml',
    description,
  });
}
