import { expect, it } from 'vitest';
import { shippedConnector } from '@fairlead/connector-runtime/testing/shipped-connector';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';

const linear = (respond: (request: ReceivedRequest, count: number) => TestResponse) =>
  shippedConnector('linear', {
    origin: 'https://api.linear.app',
    authenticationId: 1,
    fields: { apiKey: 'lin_api_1' },
    respond,
  });

/** The variables of a GraphQL request. */
function variablesOf({ body }: ReceivedRequest): Record<string, unknown> {
  // The form of every GraphQL request.
  return (JSON.parse(body) as { variables: Record<string, unknown> }).variables;
}

it('creates an issue by a mutation, with the inputs that were given', async () => {
  const issue = { id: 'i1', identifier: 'ENG-1', title: 'Broken', url: 'https://linear.app/x' };
  const { server, call } = await linear(() => ({ body: { data: { issueCreate: { issue } } } }));
  const outcome = await call('linear-create-issue', { teamId: 't1', title: 'Broken', labelIds: ['l1'] });
  expect(outcome).toMatchObject({ isSuccess: true, output: issue });
  const [request] = server.requests;
  expect(request).toMatchObject({
    method: 'POST',
    path: '/graphql',
    headers: { authorization: 'lin_api_1', 'content-type': 'application/json' },
  });
  expect(request && variablesOf(request)).toEqual({
    input: { teamId: 't1', title: 'Broken', labelIds: ['l1'] },
  });
});

it('reads issues page by page, with the conditions that were given', async () => {
  const { server, call } = await linear((request) => {
    const isFirst = variablesOf(request)['after'] === undefined;
    const nodes = [{ id: isFirst ? 'i1' : 'i2', title: 'T' }];
    // The last page has a cursor, too.
    const pageInfo = { hasNextPage: isFirst, endCursor: 'c1' };
    return { body: { data: { issues: { nodes, pageInfo } } } };
  });
  expect(await call('linear-list-issues', { teamKey: 'ENG' }, { top: 30 })).toMatchObject({
    output: { items: [{ id: 'i1' }, { id: 'i2' }] },
  });
  const filter = { team: { key: { eq: 'ENG' } } };
  expect(server.requests.map(variablesOf)).toEqual([
    { first: 30, filter },
    { first: 30, after: 'c1', filter },
  ]);
});

it('fails with the words that Linear has for people', async () => {
  const errors = [
    { message: 'Argument Validation Error', extensions: { userPresentableMessage: 'No such team.' } },
  ];
  const { call } = await linear(() => ({ body: { data: null, errors } }));
  expect(await call('linear-create-issue', { teamId: 'x', title: 'T' })).toMatchObject({
    isSuccess: false,
    errorMessage: 'Linear refused the call: No such team.',
  });
  const plain = await linear(() => ({ status: 400, body: { errors: [{ message: 'Cannot query field' }] } }));
  expect(await plain.call('linear-get-current-user')).toMatchObject({
    errorMessage: 'Linear responded with 400: Cannot query field',
  });
});

it('an authentication error is a refused credential', async () => {
  const errors = [{ message: 'Authentication required', extensions: { code: 'AUTHENTICATION_ERROR' } }];
  const { call } = await linear(() => ({ body: { errors } }));
  expect(await call('linear-get-current-user')).toMatchObject({ isUnauthorized: true });
});
