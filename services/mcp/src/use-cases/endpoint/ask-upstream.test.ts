import { ApiError } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import { DOCS, errorAnswer, passing } from '../../testing/passing.ts';

test.each([
  ['an error of the upstream keeps its code', errorAnswer(-32_050), { code: -32_050, message: 'No.' }],
  ['an unknown method of the upstream is not one of ours', errorAnswer(-32_601), { code: -32_603 }],
  [
    'a refusal is an error with its code',
    new ApiError('CONNECTION_BLOCKED', 'No licence.'),
    { code: -32_603, data: { errorCode: 'CONNECTION_BLOCKED' } },
  ],
  [
    'a connection that is gone is no missing server',
    new ApiError('NOT_FOUND', 'gone'),
    { code: -32_603, data: { errorCode: 'NOT_FOUND' } },
  ],
  [
    'an error that says nothing of the request stays',
    new ApiError('RATE_LIMIT_EXCEEDED', 'Later.'),
    { code: 'RATE_LIMIT_EXCEEDED' },
  ],
])('%s', async (_what, answer, expected) => {
  const { send } = passing([DOCS], { 7: answer });
  await expect(send('prompts/get', { name: 'ask' })).rejects.toMatchObject(expected);
});
