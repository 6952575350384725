import { expect, it } from 'vitest';
import { objectOrEmpty } from '../json.ts';
import { compiledImport, problemsOfImport } from '../testing/imported.ts';

it('an imported list lends its record to trigger types', () => {
  const trigger = {
    slug: 'acme-task-changed',
    name: 'Task changed',
    description: 'Fires for every changed task.',
    kind: 'poll',
    configSchema: {
      type: 'object',
      properties: { everySeconds: { type: 'integer', minimum: 30, default: 300 } },
    },
    payloadSchema: { $ref: '#/items/acme-list-tasks' },
    poll: {
      request: { url: '/tasks', query: { since: '{{cursor.since}}' } },
      paging: { type: 'link' },
      itemsPointer: '/items',
      idPointer: '/id',
      timePointer: '/changedAt',
      newest: { url: '/tasks' },
    },
  };
  const [type] = compiledImport({ triggerTypes: [trigger] }).triggerTypes;
  expect(Object.keys(objectOrEmpty(type?.payloadSchema['properties']))).toEqual([
    'id',
    'title',
    'due',
    'owner',
  ]);
  const unknown = { ...trigger, payloadSchema: { $ref: '#/items/acme-get-task' } };
  expect(problemsOfImport({ triggerTypes: [unknown] })).toMatchObject([
    { path: 'triggerTypes[0].payloadSchema', message: "there is no schema '#/items/acme-get-task'" },
    { path: 'triggerTypes[0].payloadSchema' },
  ]);
});
