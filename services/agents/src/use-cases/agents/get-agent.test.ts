import { expect, test } from 'vitest';
import { ctx, stranger, useCaseDeps } from '../../testing/use-case-deps.ts';
import { getAgent } from './get-agent.ts';

test('an agent is its account’s; the error names the id', async () => {
  const { deps, create } = useCaseDeps();
  const { id } = await create();
  expect(await getAgent(deps, ctx, id)).toMatchObject({ id, name: 'Lab' });
  await expect(getAgent(deps, stranger, id)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: `The on-prem agent ${id} does not exist.`,
  });
});
