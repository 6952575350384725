import { HandlerError, InputError, parsedMembers } from '@fairlead/connector-runtime/handler';
import type { Handler, HandlerCall } from '@fairlead/connector-runtime/handler';
import { isObject } from '@fairlead/connector-runtime/templates';
import { operationKinds } from './operation-kinds.ts';
import { sendOperation } from './send-operation.ts';
import type { Operation } from './send-operation.ts';

/** Sends a document that contains only queries, because the server decides which of its operations runs. */
export const runQuery: Handler = (call) => run(call, 'query', 'graphql-run-mutation');

/** Sends a document that contains only mutations. */
export const runMutation: Handler = (call) => run(call, 'mutation', 'graphql-run-query');

/** Tests endpoint and credential with a query of the root type's name. */
export const testConnection: Handler = async (call) => {
  await sendOperation(call, { query: 'query Check { __typename }' });
  return {};
};

function run(call: HandlerCall, kind: string, other: string): ReturnType<Handler> {
  const operation = operationOf(call);
  if (operationKinds(operation.query).some((each) => each !== kind))
    throw new InputError([
      { field: 'fields.query', issue: `must hold each operation as a ${kind}; for others use ${other}` },
    ]);
  return sendOperation(call, operation);
}

function operationOf(call: HandlerCall): Operation {
  const { query, variables, operationName } = parsedMembers(call.fields);
  if (typeof query !== 'string') throw new HandlerError('The call has no query.');
  return {
    query,
    ...(isObject(variables) ? { variables } : {}),
    ...(typeof operationName === 'string' ? { operationName } : {}),
  };
}
