import { expect, it } from 'vitest';
import { objectOrEmpty } from '../json.ts';
import { compiledImport, importedOperations, problemsOfImport } from '../testing/imported.ts';

const { list, get, insert, update, delete: remove } = importedOperations;
const operationsWith = (memberDescriptions: Readonly<Record<string, string>>) => [
  list,
  get,
  { ...insert, inputs: { ...insert.inputs, owner: { ...insert.inputs.owner, memberDescriptions } } },
  update,
  remove,
];

it('describes members that the vendor leaves without a description', () => {
  const connector = compiledImport({ operations: operationsWith({ email: 'Address of the person.' }) });
  const tool = connector.tools.find(({ toolSlug }) => toolSlug === insert.toolSlug);
  const owner = objectOrEmpty(objectOrEmpty(tool?.inputSchema['properties'])['owner']);
  expect(objectOrEmpty(owner['properties'])['email']).toMatchObject({
    description: 'Address of the person.',
  });
  expect(problemsOfImport({ operations: operationsWith({ shoe: 'Size.' }) })).toMatchObject([
    {
      path: 'operations[2].inputs.owner.memberDescriptions',
      message: 'the description has no member shoe',
    },
  ]);
});
